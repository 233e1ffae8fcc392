import { createHash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";

import type { WebhookState } from "../api/operations.js";
import { ResourceError, type Notice } from "./problems.js";
import { idsOf, pick, type StateMap, type StateOnDestroy } from "./webhook-fleet-state.js";

/**
 * What the plugin processes of one engine run tell each other. Each provider instance has a process of its own, so the process that
 * deletes a resource may not be the one in which the program declares its webhook again.
 */
export interface RunJournal {
  /** Where the entries are. */
  readonly folder: string;
  /** Adds an entry. Once this returns, the other processes can read it. @returns `false` if they cannot */
  append(entry: JournalEntry): boolean;
  /** Returns the entries of each other process, oldest first; `null` if they cannot be read. */
  readOthers(): readonly (readonly JournalEntry[])[] | null;
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
  warn(notice: Notice): void;
}

/** A webhook by its ID, or all webhooks of the account that no resource names. */
type DeclaredWebhook = number | "others";

/** Milliseconds between two looks at another process's release, and the number of looks after which it counts as lost. */
const POLL_INTERVAL = 25;
const MAX_POLLS = 4800;

/**
 * Decides which webhooks this run manages, and which it lets go. It never lets go a webhook that any resource of the program
 * declares, so a rename or a move to another provider undoes nothing.
 */
export class ManagedWebhooks {
  /** The webhooks that the program declares through this process, with the URNs of the resources. */
  readonly #declared = new Map<DeclaredWebhook, string>();
  readonly #finalStates = new Map<number, WebhookState | null>();
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
    // fails, the other processes cannot let the webhooks go either.
    this.#append("claim", added, urn);
    if (urn === "") return null;
    const rivals = [...this.#declared, ...this.#declaredElsewhere()].filter(
      ([, owner]) => owner !== "" && owner !== urn,
    );
    for (const webhook of webhooks) {
      const rival = rivals.find(([other]) => other === webhook || other === "others" || webhook === "others");
      if (!rival) continue;
      const webhookId = webhook === rival[0] && webhook !== "others" ? webhook : null;
      return new ResourceError({ kind: "declaredTwice", webhookId, urns: [rival[1], urn] });
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
    return ids.some(isOther) || this.#releasesElsewhere(ids).length > 0;
  }

  /**
   * Waits until other processes have let webhooks go.
   *
   * @returns When the last of them was let go, in milliseconds since the epoch: an older list shows an outdated state.
   */
  async lastReleaseElsewhere(webhookIds: readonly number[]): Promise<number> {
    for (let polls = 0; ; polls += 1) {
      const releases = this.#releasesElsewhere(webhookIds);
      if (releases.every(({ kind }) => kind === "released") || polls === MAX_POLLS)
        return Math.max(-Infinity, ...releases.map(({ at }) => at));
      await sleep(POLL_INTERVAL);
    }
  }

  /** Tells the other processes which webhooks are about to be let go, and returns those that they have claimed. */
  #announceRelease(webhookIds: readonly number[]): ReadonlySet<DeclaredWebhook> {
    if (this.#journal === null || webhookIds.length === 0) return new Set();
    // Before the claims are read: a process that claims a webhook later finds the release, and sets the webhook again.
    const others = this.#append("release", webhookIds) ? this.#readOthers() : null;
    if (others === null) throw new ResourceError({ kind: "noRunFolder", folder: this.#journal.folder });
    const claims = others.flat().filter(({ kind }) => kind === "claim");
    return new Set(claims.flatMap(({ webhooks }) => webhooks));
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

  /** Returns the webhooks of the same account that resources declare through other processes, with the URNs of the resources. */
  #declaredElsewhere(): (readonly [DeclaredWebhook, string])[] {
    const entries = (this.#readOthers() ?? [])
      .flat()
      .filter(({ account }) => account === this.#owner.account);
    return entries.flatMap(({ webhooks, urn }) => webhooks.map((webhook) => [webhook, urn] as const));
  }

  /** Returns the last entry of each other process about the release of each webhook. */
  #releasesElsewhere(webhookIds: readonly number[]): JournalEntry[] {
    // A process that cannot write releases nothing.
    return (this.#readOthers() ?? []).flatMap((entries) => {
      const releases = entries.filter(({ kind }) => kind !== "claim");
      return webhookIds.flatMap((id) => releases.findLast((entry) => entry.webhooks.includes(id)) ?? []);
    });
  }

  /** Returns the entries of each other process about the same server; `null` if they cannot be read. */
  #readOthers(): readonly (readonly JournalEntry[])[] | null {
    const others = this.#journal?.readOthers() ?? null;
    if (others === null) return null;
    const servers = this.#servers();
    const isSame = (entry: JournalEntry): boolean => entry.servers.some((server) => servers.includes(server));
    return others.map((entries) => entries.filter(isSame));
  }

  /** The servers of the account, hashed. */
  #servers(): string[] {
    const { servers } = this.#owner.readSettings();
    return servers.map((server) => createHash("sha256").update(server).digest("hex").slice(0, 16));
  }
}

/** Returns the final states of webhooks, without those whose initial states are unknown. */
export function finalStates(stateOnDestroy: StateOnDestroy, initialStates: StateMap): StateMap {
  if (stateOnDestroy === "leave") return {};
  if (stateOnDestroy === "restore")
    return Object.fromEntries(Object.entries(initialStates).filter(([, state]) => state));
  return Object.fromEntries(idsOf(initialStates).map((id) => [id, stateOnDestroy]));
}
