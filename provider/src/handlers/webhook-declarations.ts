import type { WebhookState } from "../api/operations.js";
import { ResourceError } from "./problems.js";

/**
 * The webhooks that the resources of a run manage, and those that they release. This ensures that a rename undoes nothing,
 * and that no two resources manage one webhook.
 */
export class WebhookDeclarations {
  readonly #owners = new Map<number, string>();
  /** The resource that manages all other webhooks of the account. */
  #ownerOfOthers: string | null = null;
  readonly #finalStates = new Map<number, WebhookState>();

  /**
   * Records which webhooks a resource manages. With `others`, it manages the rest of the account as well.
   *
   * @param urn Empty if the host does not know it. Such a resource never conflicts with another.
   * @returns An error if another resource manages one of the webhooks.
   */
  declare(webhookIds: readonly number[], others: boolean, urn = ""): ResourceError | null {
    const conflict = (webhookId: number | null, owner: string | null | undefined): ResourceError | null =>
      owner && urn && owner !== urn
        ? new ResourceError({ kind: "declaredTwice", webhookId, urns: [owner, urn] })
        : null;
    let problem = conflict(null, this.#ownerOfOthers);
    if (others) {
      for (const owner of this.#owners.values()) problem ??= conflict(null, owner);
      this.#ownerOfOthers ??= urn;
    }
    for (const webhookId of webhookIds) {
      problem ??= conflict(webhookId, this.#owners.get(webhookId));
      if (!this.#owners.has(webhookId)) this.#owners.set(webhookId, urn);
    }
    return problem;
  }

  /** Whether a resource of the program manages a webhook. */
  has(webhookId: number): boolean {
    return this.#ownerOfOthers !== null || this.#owners.has(webhookId);
  }

  /** Records the final state of a webhook that a resource releases. */
  release(webhookId: number, state: WebhookState): void {
    this.#finalStates.set(webhookId, state);
  }

  /** Whether a resource has released a webhook into another state than the given one. */
  isReleasedOtherwise(webhookId: number, state: unknown): boolean {
    return (this.#finalStates.get(webhookId) ?? state) !== state;
  }
}
