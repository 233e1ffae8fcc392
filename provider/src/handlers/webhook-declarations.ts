import { ResourceError } from "./problems.js";

/** Stands for the URN of a resource, where the host is not told it. */
const UNNAMED = "";

/** Which webhooks the program manages in this run: what it only renames or moves must not be undone, nor declared twice. */
export class WebhookDeclarations {
  readonly #owners = new Map<number, string>();
  /** Who speaks for all others. */
  #others: string | null = null;

  /**
   * Takes note of what a resource manages: some webhooks, and with `others` all the rest of the account.
   *
   * @returns an error if another one manages the same webhooks and the host tells the two apart.
   */
  declare(webhookIds: readonly number[], others: boolean, urn = UNNAMED): ResourceError | null {
    const conflict = (webhookId: number | null, owner: string | null | undefined): ResourceError | null =>
      owner && urn !== UNNAMED && owner !== urn
        ? new ResourceError({ kind: "declaredTwice", webhookId, urns: [owner, urn] })
        : null;
    let problem = conflict(null, this.#others);
    if (others) {
      for (const owner of this.#owners.values()) problem ??= conflict(null, owner);
      this.#others ??= urn;
    }
    for (const webhookId of webhookIds) {
      problem ??= conflict(webhookId, this.#owners.get(webhookId));
      if (!this.#owners.has(webhookId)) this.#owners.set(webhookId, urn);
    }
    return problem;
  }

  /** Whether a resource of the program manages a webhook. */
  has(webhookId: number): boolean {
    return this.#others !== null || this.#owners.has(webhookId);
  }
}
