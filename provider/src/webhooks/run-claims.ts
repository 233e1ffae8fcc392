import { createHash, createHmac } from "node:crypto";

import { notShared, type Journal } from "../shared/journal.js";
import type { Notice } from "../shared/problems.js";

/** What one process says about webhooks. */
export interface JournalEntry {
  /**
   * `claim`: the program declares them through this process. `release`: this process releases those that no
   * other has claimed.
   */
  readonly kind: "claim" | "release";
  /** The servers of the account, hashed. */
  readonly servers: readonly string[];
  /** The name of the account. It stays the same when the access token changes. */
  readonly account: string;
  /**
   * The access token and the headers, hashed. Two accounts of one server may have different webhooks with the
   * same ID, but then they have different tokens, or a header that names the tenant.
   */
  readonly token: string;
  readonly webhooks: readonly DeclaredWebhook[];
  /** The resource that declares the webhooks of a claim; empty if it is not known. */
  readonly urn: string;
}

/** What {@link RunClaims} needs to know about its process. */
export interface JournalOwner {
  readonly account: string;
  /** `servers`: the addresses of the account. `identity` is secret. */
  readSettings(): { readonly servers: readonly string[]; readonly identity: string };
  warn(notice: Notice): void;
}

/** A webhook by its ID, or all webhooks of the account that no resource names. */
export type DeclaredWebhook = number | "others";

/**
 * Asks the other processes of the run which webhooks the program declares through them, and which they
 * release, and tells them the same about this process. Never waits for them.
 *
 * The engine checks all resources of the program before it deletes what the program dropped, so a claim is
 * there in time for a deletion. Only an update that drops a webhook can come before the claim, which is then
 * refused: this process may have read an older list, and the other one's change may still be on its way.
 */
export class RunClaims {
  /** The claims of other processes. */
  readonly #claims = new Map<DeclaredWebhook, JournalEntry[]>();
  /** The webhooks that other processes are releasing, or have released, unless they found a claim. */
  readonly #released = new Set<number>();
  readonly #owner: JournalOwner;
  readonly #journal: Journal<JournalEntry> | null;

  /** @param journal `null` if this is the only process of the run. */
  constructor(owner: JournalOwner, journal: Journal<JournalEntry> | null) {
    this.#owner = owner;
    this.#journal = journal;
  }

  /**
   * Tells the other processes that the program declares webhooks through this one, then reads what they say.
   * The order matters: of two processes that declare a webhook at once, at least one finds the other.
   *
   * @returns Those that another process has released: too late.
   */
  claim(webhooks: readonly DeclaredWebhook[], urn: string): readonly number[] {
    this.#tell("claim", webhooks, urn);
    return [...this.#released].filter((id) => webhooks.includes(id) || webhooks.includes("others"));
  }

  /** The webhooks that the program declares through other processes. */
  declared(): Iterable<DeclaredWebhook> {
    return this.#claims.keys();
  }

  /** Returns the URNs of the resources of this account that declare a webhook through other processes. */
  urnsOf(webhook: DeclaredWebhook): string[] {
    const claims = this.#claims.get(webhook) ?? [];
    return claims.filter(({ account }) => account === this.#owner.account).map(({ urn }) => urn);
  }

  /**
   * Tells the other processes that webhooks are about to be released, unless the program has declared them
   * there.
   *
   * @returns Those that it has declared there, or covers with `others`: they must not be released.
   */
  release(webhookIds: readonly number[]): readonly number[] {
    this.#tell("release", webhookIds);
    const isClaimed = (id: number): boolean => this.#claims.has(id) || this.#claims.has("others");
    return webhookIds.filter(isClaimed);
  }

  /**
   * Adds an entry, then reads those of the others. Warns if they cannot be reached, and does not fail:
   * usually, there are none, and a stack must be able to go.
   */
  #tell(kind: JournalEntry["kind"], webhooks: readonly DeclaredWebhook[], urn = ""): void {
    if (this.#journal === null || webhooks.length === 0) return;
    const { account } = this.#owner;
    const [servers, token] = [this.#servers(), this.#token()];
    const isTold = this.#journal.append({ kind, servers, account, token, webhooks, urn });
    if (!this.#readOthers() || !isTold) this.#owner.warn(notShared(this.#journal));
  }

  /**
   * Adds the new entries of other processes about the same webhooks to the index: those of the same server,
   * and the same token or name of the account. @returns Whether they can be read.
   */
  #readOthers(): boolean {
    // First, because they may throw, and each entry is read only once.
    const [servers, token] = [this.#servers(), this.#token()];
    const isOurs = (entry: JournalEntry): boolean =>
      entry.servers.some((server) => servers.includes(server)) &&
      (entry.token === token || entry.account === this.#owner.account);
    const added = this.#journal?.readOthers();
    for (const entry of added ?? []) {
      if (!isOurs(entry)) continue;
      for (const webhook of entry.webhooks) {
        if (entry.kind === "claim") this.#claims.set(webhook, [...(this.#claims.get(webhook) ?? []), entry]);
        else if (webhook !== "others") this.#released.add(webhook);
      }
    }
    return added !== null;
  }

  /** The access token and the headers, hashed. */
  #token(): string {
    return createHmac("sha256", this.#owner.readSettings().identity).digest("hex").slice(0, 16);
  }

  /** The servers of the account, hashed. */
  #servers(): string[] {
    const { servers } = this.#owner.readSettings();
    return servers.map((server) => createHash("sha256").update(server).digest("hex").slice(0, 16));
  }
}
