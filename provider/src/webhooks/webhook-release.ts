import type { WebhookState } from "../api/operations.js";
import type { StateOnDestroy } from "../registration.js";
import type { Journal } from "../shared/journal.js";
import { ResourceError } from "../shared/problems.js";
import { idsOf, pick, type StateMap } from "./fleet-model.js";
import { RunClaims, type DeclaredWebhook, type JournalEntry, type JournalOwner } from "./run-claims.js";

/**
 * The webhooks that the program declares. They decide which ones are released. A webhook is
 *
 * - declared if a resource of the program names it, or if the resource's `others` covers it,
 * - managed if it is in the state of a resource,
 * - leaving if it is managed by a resource that no longer declares it, and
 * - released if it is leaving and no resource of the run declares it. Then, it gets its final state
 *   (`stateOnDestroy`).
 *
 * Only what the program has declared so far counts, so a rename or a move to another provider undoes nothing.
 */
export class DeclaredWebhooks {
  /** The webhooks that the program declares through this process, with the URNs of the resources. */
  readonly #declared = new Map<DeclaredWebhook, string>();
  /** The final states of the webhooks that this process has released. */
  readonly #finalStates = new Map<number, WebhookState | null>();
  readonly #owner: JournalOwner;
  readonly #elsewhere: RunClaims;

  /** @param journal `null` if this is the only process of the run. */
  constructor(owner: JournalOwner, journal: Journal<JournalEntry> | null) {
    this.#owner = owner;
    this.#elsewhere = new RunClaims(owner, journal);
  }

  /**
   * Records that the program declares webhooks. Two resources with one webhook would overwrite each other in
   * every update.
   *
   * @param urn The URN of the resource; empty if the host does not know it. Then, they never conflict with
   *   another resource.
   * @returns An error if another resource of the run declares one of them, or another process has released
   *   one.
   */
  declare(webhooks: readonly DeclaredWebhook[], urn = ""): ResourceError | null {
    const added = webhooks.filter((webhook) => !this.#declared.has(webhook));
    const released = this.#elsewhere.claim(added, urn);
    if (released.length > 0) return new ResourceError({ kind: "releasedElsewhere", webhookIds: released });
    for (const webhook of added) this.#declared.set(webhook, urn); // The first owner stays.
    if (urn === "") return null;
    for (const webhook of webhooks) {
      const rival = this.#rivalOf(webhook, urn);
      if (rival === null) continue;
      return new ResourceError({ kind: "declaredTwice", webhookId: rival.webhookId, urns: [rival.urn, urn] });
    }
    return null;
  }

  /** Returns those webhooks that no resource declares through this process. */
  undeclared(webhookIds: readonly number[]): number[] {
    return this.#declared.has("others") ? [] : webhookIds.filter((id) => !this.#declared.has(id));
  }

  /**
   * Decides which leaving webhooks are released. Warns about those that the program declares through another
   * process, and those that have no state to restore.
   *
   * @param leaving The initial states of the leaving webhooks.
   * @returns The final states of those that are released.
   */
  release(leaving: StateMap, stateOnDestroy: StateOnDestroy): StateMap {
    const undeclared = this.undeclared(idsOf(leaving));
    const unknown = undeclared.filter((id) => stateOnDestroy === "restore" && !leaving[id]);
    if (unknown.length > 0) this.#owner.warn({ kind: "nothingToRestore", webhookIds: unknown });
    const final = finalStates(stateOnDestroy, pick(leaving, undeclared));
    const declared = this.#elsewhere.release(idsOf(final));
    if (declared.length > 0) this.#owner.warn({ kind: "declaredElsewhere", webhookIds: declared });
    const released = idsOf(final).filter((webhookId) => !declared.includes(webhookId));
    for (const webhookId of released) this.#finalStates.set(webhookId, final[webhookId] ?? null);
    return pick(final, released);
  }

  /** Returns the webhooks that this process has released in other states than these. */
  releasedInOtherStates(states: StateMap): number[] {
    return idsOf(states).filter((id) => (this.#finalStates.get(id) ?? states[id]) !== states[id]);
  }

  /**
   * Finds another resource of this account that declares a webhook.
   *
   * @returns Its URN, and the webhook; `null` instead of the webhook if one of the two resources declares all
   *   `others`.
   */
  #rivalOf(
    webhook: DeclaredWebhook,
    urn: string,
  ): { readonly urn: string; readonly webhookId: number | null } | null {
    const everything = [...this.#declared.keys(), ...this.#elsewhere.declared()];
    for (const overlapping of webhook === "others" ? everything : [webhook, "others" as const]) {
      const rival = this.#urnsOf(overlapping).find((owner) => owner !== "" && owner !== urn);
      if (rival === undefined) continue;
      return { urn: rival, webhookId: overlapping === webhook && webhook !== "others" ? webhook : null };
    }
    return null;
  }

  /** Returns the URNs of the resources of this account that declare a webhook, through any process. */
  #urnsOf(webhook: DeclaredWebhook): string[] {
    return [this.#declared.get(webhook) ?? "", ...this.#elsewhere.urnsOf(webhook)];
  }
}

/** Returns the final states of webhooks, without those whose initial states are unknown. */
export function finalStates(stateOnDestroy: StateOnDestroy, initialStates: StateMap): StateMap {
  if (stateOnDestroy === "leave") return {};
  if (stateOnDestroy === "restore")
    return Object.fromEntries(Object.entries(initialStates).filter(([, state]) => state));
  return Object.fromEntries(idsOf(initialStates).map((id) => [id, stateOnDestroy]));
}
