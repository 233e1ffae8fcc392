/** A webhook by its ID, or all webhooks of the account that no resource names. */
export type DeclaredWebhook = number | "others";

/** Two owners of one webhook. `others`: one of them owns all webhooks that no resource names. */
export interface DeclarationConflict<Owner> {
  readonly webhook: DeclaredWebhook;
  readonly owner: Owner;
}

/**
 * Records the webhooks that an owner declares. Two owners of one webhook would overwrite each other in every update. The program
 * and the plugin share this rule.
 *
 * @param declared The owners of one account. The first owner of a webhook stays.
 * @returns The first conflict with another owner.
 */
export function declareWebhooks<Owner>(
  declared: Map<DeclaredWebhook, Owner>,
  webhooks: readonly DeclaredWebhook[],
  owner: Owner,
): DeclarationConflict<Owner> | null {
  let conflict: DeclarationConflict<Owner> | null = null;
  for (const webhook of webhooks) {
    const rivals = webhook === "others" ? [...declared.keys()] : ([webhook, "others"] as const);
    for (const rival of rivals) {
      const other = declared.get(rival);
      if (other === undefined || other === owner) continue;
      conflict ??= { webhook: webhook === rival ? webhook : "others", owner: other };
    }
    if (!declared.has(webhook)) declared.set(webhook, owner);
  }
  return conflict;
}

/** Whether a text is a webhook ID in canonical form: `7`, but not `07` or `7.0`. */
export function isWebhookId(text: string): boolean {
  return /^[1-9]\d*$/.test(text) && Number.isSafeInteger(Number(text));
}
