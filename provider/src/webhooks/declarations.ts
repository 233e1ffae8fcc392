import { declaredTwice } from "./webhook-messages.js";

/** Which resource declares which webhook, as far as the program has declared them in this process. */
export class Declarations {
  /** The URN of the first resource that names each webhook; empty if the host does not know it. */
  readonly #owners = new Map<number, string>();
  /** Likewise, of the first resource that sets `others`. */
  #ownerOfOthers: string | undefined;

  /**
   * Records what a resource declares. Two resources with one webhook would overwrite each other.
   *
   * @param coversOthers Whether its `others` covers all webhooks that it does not name.
   * @throws {PartnerError} if another resource declares the same; never without a URN.
   */
  declare(webhookIds: readonly number[], coversOthers: boolean, urn: string): void {
    for (const id of webhookIds) if (!this.#owners.has(id)) this.#owners.set(id, urn);
    if (coversOthers) this.#ownerOfOthers ??= urn;
    if (urn === "") return;

    const isRival = (owner: string | undefined): owner is string =>
      owner !== undefined && owner !== "" && owner !== urn;
    for (const id of webhookIds) {
      const owner = this.#owners.get(id);
      if (isRival(owner)) throw declaredTwice(id, [owner, urn]);
    }
    // `others` overlaps with whatever another resource declares.
    const overlapping = coversOthers
      ? [...this.#owners.values(), this.#ownerOfOthers]
      : [this.#ownerOfOthers];
    const rival = overlapping.find(isRival);
    if (rival !== undefined) throw declaredTwice(null, [rival, urn]);
  }

  /**
   * Returns those of the webhooks that no resource has declared so far. Only these are released, so that
   * renaming, replacing or splitting a resource undoes nothing. What is declared later is set again. Not seen
   * is what another process declares, and what `--target` and `--exclude` leave out.
   */
  undeclared(webhookIds: readonly number[]): number[] {
    return this.#ownerOfOthers === undefined ? webhookIds.filter((id) => !this.#owners.has(id)) : [];
  }
}
