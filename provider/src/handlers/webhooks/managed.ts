import { createHash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";

import type { WebhookState } from "../../api/operations.js";
import { ResourceError, type Notice } from "../problems.js";
import { idsOf, pick, type StateMap, type StateOnDestroy } from "./fleet-model.js";

/**
 * What the plugin processes of one engine run tell each other. Each provider instance has a process of its own, so the process that
 * deletes a resource may not be the one in which the program declares its webhook again.
 */
export interface RunJournal {
  /** Where the entries are. */
  readonly folder: string;
  /** Adds an entry. Once this returns, the other processes can read it. @returns `false` if they cannot */
  append(entry: JournalEntry): boolean;
  /**
   * Returns what other processes have added since the last call, the oldest entries of each process first; `null` if it cannot be
   * read.
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
   * `claim`: the program declares them through this process. `release`: this process is about to set their final states, unless
   * another process has claimed them. `released`: it has finished.
   */
  readonly kind: "claim" | "release" | "released";
  /** The servers of the account, hashed: the same webhooks, whatever the account is called. */
  readonly servers: readonly string[];
  /** Two accounts of one server may have different webhooks with the same ID. */
  readonly account: string;
  readonly webhooks: readonly DeclaredWebhook[];
  /** The resource that declares the webhooks of a claim; empty if it is not known, or if `others` only covers them. */
  readonly urn: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** What {@link ManagedWebhooks} needs to know about its process. */
export interface JournalOwner {
  readonly account: string;
  /** `servers`: the addresses of the account. */
  readSettings(): { readonly servers: readonly string[] };
  readonly currentTime: () => number;
  /** Aborts when the process is asked to stop. */
  readonly signal: AbortSignal | undefined;
  warn(notice: Notice): void;
}

/** A webhook by its ID, or all webhooks of the account that no resource names. */
type DeclaredWebhook = number | "others";

/** Milliseconds between two looks at another process's release, and the number of looks after which it counts as lost. */
const POLL_INTERVAL = 25;
const MAX_POLLS = 4800;

/**
 * Decides which webhooks this run manages, and which it lets go. It never lets go a webhook that a resource of the program has
 * declared so far, so a rename or a move to another provider undoes nothing.
 */
export class ManagedWebhooks {
  /** The webhooks that the program declares through this process, with the URNs of the resources. */
  readonly #declared = new Map<DeclaredWebhook, string>();
  readonly #finalStates = new Map<number, WebhookState | null>();
  /** The claims of other processes at the same server. */
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
   * Records that the program declares webhooks. Two resources with one webhook would overwrite each other in every update.
   *
   * @param urn The URN of the resource; empty if the host does not know it, or if `others` only covers the webhooks. Then, they
   *   never conflict with another resource.
   * @returns An error if another resource of the run declares one of them.
   */
  declare(webhooks: readonly DeclaredWebhook[], urn = ""): ResourceError | null {
    const added = webhooks.filter((webhook) => !this.#declared.has(webhook));
    for (const webhook of added) this.#declared.set(webhook, urn); // The first owner stays.
    // Before the others are read: of two processes that declare a webhook at the same time, at least one finds the other. If this
    // fails, the other processes usually cannot let the webhooks go either, but they cannot find a webhook that is declared twice.
    const isShared = this.#append("claim", added, urn) && this.#readOthers();
    if (!isShared && this.#journal) this.#owner.warn({ kind: "notShared", folder: this.#journal.folder });
    if (urn === "") return null;
    for (const webhook of webhooks)
      for (const other of webhook === "others" ? this.#allDeclared() : [webhook, "others" as const]) {
        const rival = this.#ownersOf(other).find((owner) => owner !== "" && owner !== urn);
        if (rival === undefined) continue;
        const webhookId = webhook === other && webhook !== "others" ? webhook : null;
        return new ResourceError({ kind: "declaredTwice", webhookId, urns: [rival, urn] });
      }
    return null;
  }

  /** Whether a resource of the program declares a webhook through this process. */
  isDeclared(webhookId: number): boolean {
    return this.#declared.has("others") || this.#declared.has(webhookId);
  }

  /**
   * Decides which webhooks are let go: those that no resource of the run declares. Warns about those that another process declares,
   * and those that have no state to restore.
   *
   * @param initialStates The webhooks that a resource no longer manages.
   * @returns The states to set, and a function to call when that has succeeded or failed.
   * @throws {ResourceError} if the other processes cannot be asked.
   */
  release(
    initialStates: StateMap,
    stateOnDestroy: StateOnDestroy,
  ): { readonly states: StateMap; readonly end: () => void } {
    const undeclared = idsOf(initialStates).filter((id) => !this.isDeclared(id));
    const lost = undeclared.filter((id) => stateOnDestroy === "restore" && !initialStates[id]);
    if (lost.length > 0) this.#owner.warn({ kind: "nothingToRestore", webhookIds: lost });
    const wanted = finalStates(stateOnDestroy, pick(initialStates, undeclared));
    const webhookIds = idsOf(wanted);
    const claimed = this.#announceRelease(webhookIds); // Another process also claims each webhook that its `others` covers.
    const kept = webhookIds.filter((webhookId) => claimed.has(webhookId));
    if (kept.length > 0) this.#owner.warn({ kind: "declaredElsewhere", webhookIds: kept });
    const free = webhookIds.filter((webhookId) => !claimed.has(webhookId));
    for (const webhookId of free) this.#finalStates.set(webhookId, wanted[webhookId] ?? null);
    return { states: pick(wanted, free), end: () => void this.#append("released", webhookIds) };
  }

  /** Whether webhooks may no longer be in these states, because a resource of this run has let one of them go. */
  hasReleased(states: StateMap): boolean {
    const ids = idsOf(states);
    const isOther = (id: number): boolean => (this.#finalStates.get(id) ?? states[id]) !== states[id];
    this.#readOthers(); // If it fails, no process releases anything.
    return ids.some(isOther) || ids.some((id) => this.#releases.has(id));
  }

  /**
   * Waits until other processes have let webhooks go, or until this process is asked to stop, when no request is sent any more.
   *
   * @returns When the last of them was let go, in milliseconds since the epoch: an older list shows an outdated state.
   */
  async lastReleaseElsewhere(webhookIds: readonly number[]): Promise<number> {
    const { signal } = this.#owner;
    for (let polls = 0; ; polls += 1) {
      this.#readOthers();
      const releases = webhookIds.flatMap((id) => [...(this.#releases.get(id)?.values() ?? [])]);
      const isOver = releases.every(({ kind }) => kind === "released");
      if (isOver || polls === MAX_POLLS || signal?.aborted)
        return releases.reduce((last, { at }) => Math.max(last, at), -Infinity);
      await sleep(POLL_INTERVAL, null, { signal }).catch(() => null);
    }
  }

  /** Tells the other processes which webhooks are about to be let go, and returns those that they have claimed. */
  #announceRelease(webhookIds: readonly number[]): Pick<ReadonlySet<DeclaredWebhook>, "has"> {
    if (this.#journal === null || webhookIds.length === 0) return new Set();
    // Before the claims are read: a process that claims a webhook later finds the release, and sets the webhook again.
    if (this.#append("release", webhookIds) && this.#readOthers()) return this.#claims;
    throw new ResourceError({ kind: "noRunFolder", folder: this.#journal.folder });
  }

  /** @returns Whether the other processes can read the entry. */
  #append(kind: JournalEntry["kind"], webhooks: readonly DeclaredWebhook[], urn = ""): boolean {
    if (this.#journal === null || webhooks.length === 0) return true;
    const { account, currentTime } = this.#owner;
    return this.#journal.append({
      kind,
      servers: this.#servers(),
      account,
      webhooks,
      urn,
      at: currentTime(),
    });
  }

  /** Returns the webhooks that resources of this account declare, through any process. */
  #allDeclared(): DeclaredWebhook[] {
    return [...this.#declared.keys(), ...this.#claims.keys()];
  }

  /** Returns the URNs of the resources of this account that declare a webhook. */
  #ownersOf(webhook: DeclaredWebhook): string[] {
    const claims = this.#claims.get(webhook) ?? [];
    const elsewhere = claims.filter(({ account }) => account === this.#owner.account).map(({ urn }) => urn);
    return [this.#declared.get(webhook) ?? "", ...elsewhere];
  }

  /** Adds the new entries of other processes about the same server to the index. @returns Whether they can be read. */
  #readOthers(): boolean {
    if (this.#journal === null) return true;
    const servers = this.#servers(); // First, because it may throw, and each entry is read only once.
    const added = this.#journal.readOthers();
    for (const entry of added ?? []) {
      if (!entry.servers.some((server) => servers.includes(server))) continue;
      for (const webhook of entry.webhooks) {
        if (entry.kind === "claim") addTo(this.#claims, webhook, () => []).push(entry);
        else addTo(this.#releases, webhook, () => new Map<string, OtherEntry>()).set(entry.process, entry);
      }
    }
    return added !== null;
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

/** Returns the final states of webhooks, without those whose initial states are unknown. */
export function finalStates(stateOnDestroy: StateOnDestroy, initialStates: StateMap): StateMap {
  if (stateOnDestroy === "leave") return {};
  if (stateOnDestroy === "restore")
    return Object.fromEntries(Object.entries(initialStates).filter(([, state]) => state));
  return Object.fromEntries(idsOf(initialStates).map((id) => [id, stateOnDestroy]));
}
