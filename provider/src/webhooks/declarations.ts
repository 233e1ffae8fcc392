import { declaredTwice } from "./webhook-messages.js";

/** A webhook that a resource declares; `others`: all that no resource names. */
type Declared = number | "others";

/** Who declares which webhook: what the program has declared so far in this process. */
export class Declarations {
  /** The URN of the first resource that declares each; empty if the host does not know it. */
  readonly #owners = new Map<Declared, string>();

  /**
   * Records what a resource declares. Two resources with one webhook would overwrite each other.
   * @throws {PartnerError} if another resource declares the same; never without a URN.
   */
  declare(webhooks: readonly Declared[], urn: string): void {
    for (const webhook of webhooks) if (!this.#owners.has(webhook)) this.#owners.set(webhook, urn);
    if (urn === "") return;
    const isOther = (owner: string | undefined): owner is string =>
      owner !== undefined && owner !== "" && owner !== urn;
    for (const webhook of webhooks) {
      const same = this.#owners.get(webhook);
      if (webhook !== "others" && isOther(same)) throw declaredTwice(webhook, [same, urn]);
      const rivals = webhook === "others" ? [...this.#owners.values()] : [this.#owners.get("others")];
      const rival = rivals.find(isOther);
      if (rival !== undefined) throw declaredTwice(null, [rival, urn]);
    }
  }

  /**
   * Returns those webhooks that no resource has declared so far. Only these are released, so that a resource
   * that is renamed, replaced or split undoes nothing. Not known are what another provider declares, what
   * `--target` and `--exclude` leave out, and what depends on the releasing resource: it is declared later.
   */
  undeclared(webhookIds: readonly number[]): number[] {
    return this.#owners.has("others") ? [] : webhookIds.filter((id) => !this.#owners.has(id));
  }
}
