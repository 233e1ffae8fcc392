import { createHash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";

import type { WebhookState } from "../api/operations.js";
import { ResourceError, type Notice } from "./problems.js";
import { idsOf, pick, type StateMap, type StateOnDestroy, type WantedStates } from "./webhook-fleet-state.js";

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
  /** The servers of the account, hashed. */
  readonly servers: readonly string[];
  readonly webhookIds: readonly number[];
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** What {@link ManagedWebhooks} needs to know about its process. */
export interface JournalOwner {
  /** The addresses of the account's server. */
  readonly servers: readonly string[];
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
  readonly #declared = new Map<DeclaredWebhook, string>();
  readonly #claimed = new Set<number>();
  readonly #finalStates = new Map<number, WebhookState>();
  readonly #owner: JournalOwner;
  readonly #journal: RunJournal | null;

  /** @param journal `null` if this is the only process of the run. */
  constructor(owner: JournalOwner, journal: RunJournal | null) {
    this.#owner = owner;
    this.#journal = journal;
  }

  /**
   * Records that a resource of the program declares webhooks. Two resources with one webhook would overwrite each other in every update.
   *
   * @param urn The URN of the resource; empty if the host does not know it. Such a resource never conflicts with another.
   * @returns An error if another resource declares one of them.
   */
  declare(webhooks: readonly DeclaredWebhook[], urn = ""): ResourceError | null {
    let error: ResourceError | null = null;
    for (const webhook of webhooks) {
      const rivals = webhook === "others" ? [...this.#declared.keys()] : ([webhook, "others"] as const);
      for (const rival of rivals) {
        const owner = this.#declared.get(rival);
        if (!owner || urn === "" || owner === urn) continue;
        const webhookId = webhook === rival && webhook !== "others" ? webhook : null;
        error ??= new ResourceError({ kind: "declaredTwice", webhookId, urns: [owner, urn] });
      }
      if (!this.#declared.has(webhook)) this.#declared.set(webhook, urn); // The first owner stays.
    }
    this.claim(webhooks.filter((webhook) => webhook !== "others"));
    return error;
  }

  /** Tells the other processes that the program declares webhooks through this one. `others` claims the webhooks that it covers. */
  claim(webhookIds: readonly number[]): void {
    const added = webhookIds.filter((webhookId) => !this.#claimed.has(webhookId));
    for (const webhookId of added) this.#claimed.add(webhookId);
    this.#append("claim", added); // If this fails, the other processes cannot let them go either.
  }

  /** Whether a resource of the program declares a webhook through this process. */
  isDeclared(webhookId: number): boolean {
    return this.#declared.has("others") || this.#declared.has(webhookId);
  }

  /**
   * Returns the states that webhooks get when they are let go, without those that a resource declares through this process. Warns
   * about webhooks that have no state to restore.
   */
  finalStatesOf(initialStates: StateMap, stateOnDestroy: StateOnDestroy): WantedStates {
    const ids = idsOf(initialStates).filter((id) => !this.isDeclared(id));
    const webhookIds = ids.filter((id) => stateOnDestroy === "restore" && !initialStates[id]);
    if (webhookIds.length > 0) this.#owner.warn({ kind: "nothingToRestore", webhookIds });
    return finalStates(stateOnDestroy, pick(initialStates, ids));
  }

  /**
   * Decides which webhooks are let go: those that no other process has claimed. Warns about the others.
   *
   * @param finalStates The states to set, without webhooks that are declared through this process.
   * @returns The states to set, and a function to call when that has succeeded or failed.
   * @throws {ResourceError} if the other processes cannot be asked.
   */
  release(finalStates: WantedStates): { readonly states: WantedStates; readonly end: () => void } {
    const webhookIds = idsOf(finalStates);
    if (webhookIds.length === 0 || this.#journal === null) return this.#released(finalStates);
    // Before the claims are read: a process that claims a webhook later finds the release, and sets the webhook again.
    const others = this.#append("release", webhookIds) ? this.#readOthers() : null;
    if (others === null) throw new ResourceError({ kind: "noRunFolder", folder: this.#journal.folder });
    const claims = others.flat().filter(({ kind }) => kind === "claim");
    const claimed = new Set(claims.flatMap((claim) => claim.webhookIds));
    const kept = webhookIds.filter((webhookId) => claimed.has(webhookId));
    if (kept.length > 0) this.#owner.warn({ kind: "declaredElsewhere", webhookIds: kept });
    const free = webhookIds.filter((webhookId) => !claimed.has(webhookId));
    return this.#released(pick(finalStates, free), () => this.#append("released", webhookIds));
  }

  /** Whether a webhook may no longer be in a state, because a resource of this run has let it go. */
  isReleasedOtherwise(webhookId: number, state: unknown): boolean {
    const isOther = (this.#finalStates.get(webhookId) ?? state) !== state;
    return isOther || this.#releasesElsewhere([webhookId]).length > 0;
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

  #released(states: WantedStates, end: () => void = () => undefined): ReturnType<ManagedWebhooks["release"]> {
    for (const [webhookId, state] of Object.entries(states)) this.#finalStates.set(Number(webhookId), state);
    return { states, end };
  }

  /** @returns Whether the other processes can read the entry. */
  #append(kind: JournalEntry["kind"], webhookIds: readonly number[]): boolean {
    if (this.#journal === null || webhookIds.length === 0) return true;
    return this.#journal.append({
      kind,
      servers: this.#servers(),
      webhookIds,
      at: this.#owner.currentTime(),
    });
  }

  /** Returns the last entry of each other process about the release of each webhook. */
  #releasesElsewhere(webhookIds: readonly number[]): JournalEntry[] {
    // A process that cannot write releases nothing.
    return (this.#readOthers() ?? []).flatMap((entries) => {
      const releases = entries.filter(({ kind }) => kind !== "claim");
      return webhookIds.flatMap((id) => releases.findLast((entry) => entry.webhookIds.includes(id)) ?? []);
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

  #servers(): readonly string[] {
    return this.#owner.servers.map((server) =>
      createHash("sha256").update(server).digest("hex").slice(0, 16),
    );
  }
}

/** Returns the final states of webhooks, without those whose initial states are unknown. */
export function finalStates(stateOnDestroy: StateOnDestroy, initialStates: StateMap): WantedStates {
  if (stateOnDestroy === "leave") return {};
  const states = idsOf(initialStates).map((id) => [
    id,
    stateOnDestroy === "restore" ? initialStates[id] : stateOnDestroy,
  ]);
  return Object.fromEntries(states.filter(([, state]) => state)) as WantedStates;
}
