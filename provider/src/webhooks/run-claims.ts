import { createHash, createHmac } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";

import { ResourceError, type Notice } from "../shared/problems.js";

/**
 * What the plugin processes of one engine run tell each other. Each provider instance has a process of its
 * own, so the process that deletes a resource may not be the one in which the program declares its webhook
 * again.
 */
export interface RunJournal {
  /** Where the entries are. */
  readonly folder: string;
  /** `false` if another user may have access to that folder, so that it is not used. */
  readonly isPrivate: boolean;
  /** Adds an entry. Once this returns, the other processes can read it. @returns `false` if they cannot */
  append(entry: JournalEntry): boolean;
  /**
   * Returns what other processes have added since the last call, the oldest entries of each process first;
   * `null` if it cannot be read.
   */
  readOthers(): readonly OtherEntry[] | null;
}

/** An entry of another process. */
export interface OtherEntry extends JournalEntry {
  /** Tells the processes of the run apart. */
  readonly process: string;
}

/** What one process says about webhooks. */
export interface JournalEntry {
  /**
   * `claim`: the program declares them through this process. `release`: this process is about to release
   * them, unless the program declares them through another one. `released`: it has finished.
   */
  readonly kind: "claim" | "release" | "released";
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
  /**
   * The resource that declares the webhooks of a claim; empty if it is not known, or if `others` only covers
   * them.
   */
  readonly urn: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** What {@link RunClaims} needs to know about its process. */
export interface JournalOwner {
  readonly account: string;
  /** `servers`: the addresses of the account. `identity` is secret. */
  readSettings(): { readonly servers: readonly string[]; readonly identity: string };
  readonly currentTime: () => number;
  /** Aborts when the process is asked to stop. */
  readonly signal: AbortSignal | undefined;
  warn(notice: Notice): void;
}

/** A webhook by its ID, or all webhooks of the account that no resource names. */
export type DeclaredWebhook = number | "others";

/** Milliseconds between two looks at a release of another process, and those after which a wait fails. */
const POLL_INTERVAL = 25;
const MAX_WAIT = 120_000;

/**
 * Asks the other processes of the run which webhooks the program declares through them, and which they
 * release, and tells them the same about this process. Decides nothing.
 *
 * It is as large as it is because a fleet can drop a webhook in an update, before the resource that takes it
 * over in another process is checked. Without the wait for that release, that resource would have to fail,
 * and only a second `up` would converge.
 */
export class RunClaims {
  /** The claims of other processes for the same account. */
  readonly #claims = new Map<DeclaredWebhook, OtherEntry[]>();
  /** The last entry of each other process about the release of a webhook, by webhook and process. */
  readonly #releases = new Map<DeclaredWebhook, Map<string, OtherEntry>>();
  readonly #owner: JournalOwner;
  readonly #journal: RunJournal | null;

  /** @param journal `null` if this is the only process of the run. */
  constructor(owner: JournalOwner, journal: RunJournal | null) {
    this.#owner = owner;
    this.#journal = journal;
  }

  /**
   * Tells the other processes that the program declares webhooks through this one, then reads what they
   * declare. The order matters: of two processes that declare a webhook at the same time, at least one finds
   * the other. Warns if they cannot be reached.
   */
  claim(webhooks: readonly DeclaredWebhook[], urn: string): void {
    if (!this.#append("claim", webhooks, urn) || !this.#readOthers()) this.#warnNotShared();
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
   * Tells the other processes that webhooks are about to be released, then reads what they declare. The order
   * matters: a process that declares a webhook later finds the release, and sets the webhook again. Warns if
   * they cannot be reached, and does not fail: usually, there are none, and a stack must be able to go.
   *
   * @returns The webhooks that the program declares through other processes. Each includes what its `others`
   *   covers.
   */
  startRelease(webhookIds: readonly number[]): Pick<ReadonlySet<DeclaredWebhook>, "has"> {
    if (this.#journal === null || webhookIds.length === 0) return new Set();
    if (!this.#append("release", webhookIds) || !this.#readOthers()) this.#warnNotShared();
    return this.#claims;
  }

  /** Tells the other processes that a release has succeeded or failed. */
  endRelease(webhookIds: readonly number[]): void {
    this.#append("released", webhookIds);
  }

  /** Returns the webhooks that other processes have released, or are about to. */
  released(): Pick<ReadonlySet<DeclaredWebhook>, "has"> {
    this.#readOthers(); // If it fails, a warning of the claim has said so.
    return this.#releases;
  }

  /**
   * Waits until other processes have released webhooks, or until this process is asked to stop, when no
   * request is sent any more.
   *
   * @returns When the last of them was released, in milliseconds since the epoch: an older list shows an
   *   outdated state.
   * @throws {ResourceError} after two minutes: what is set while a release goes on could be undone by it.
   */
  async lastRelease(webhookIds: readonly number[]): Promise<number> {
    const { signal, currentTime } = this.#owner;
    for (const startedAt = currentTime(); ;) {
      this.#readOthers();
      const releases = webhookIds.flatMap((id) => [...(this.#releases.get(id)?.values() ?? [])]);
      const isOver = releases.every(({ kind }) => kind === "released");
      if (!isOver && currentTime() - startedAt > MAX_WAIT)
        throw new ResourceError({ kind: "releasePending", webhookIds });
      if (isOver || signal?.aborted) return releases.reduce((last, { at }) => Math.max(last, at), -Infinity);
      await sleep(POLL_INTERVAL, null, { signal }).catch(() => null);
    }
  }

  #warnNotShared(): void {
    if (this.#journal === null) return;
    const { folder, isPrivate } = this.#journal;
    this.#owner.warn({ kind: "notShared", folder, isPrivate });
  }

  /** @returns Whether the other processes can read the entry. */
  #append(kind: JournalEntry["kind"], webhooks: readonly DeclaredWebhook[], urn = ""): boolean {
    if (this.#journal === null || webhooks.length === 0) return true;
    const { account, currentTime } = this.#owner;
    return this.#journal.append({
      kind,
      servers: this.#servers(),
      account,
      token: this.#token(),
      webhooks,
      urn,
      at: currentTime(),
    });
  }

  /**
   * Adds the new entries of other processes about the same webhooks to the index: those of the same server,
   * and the same token or name of the account. @returns Whether they can be read.
   */
  #readOthers(): boolean {
    if (this.#journal === null) return true;
    // First, because they may throw, and each entry is read only once.
    const [servers, token] = [this.#servers(), this.#token()];
    const isOurs = (entry: OtherEntry): boolean =>
      entry.servers.some((server) => servers.includes(server)) &&
      (entry.token === token || entry.account === this.#owner.account);
    const added = this.#journal.readOthers();
    for (const entry of added ?? []) {
      if (!isOurs(entry)) continue;
      for (const webhook of entry.webhooks) {
        if (entry.kind === "claim") addTo(this.#claims, webhook, () => []).push(entry);
        else addTo(this.#releases, webhook, () => new Map<string, OtherEntry>()).set(entry.process, entry);
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

/** Returns the value of a key, which it adds if it is missing. */
function addTo<Key, Value>(map: Map<Key, Value>, key: Key, create: () => Value): Value {
  const value = map.get(key) ?? create();
  map.set(key, value);
  return value;
}
