import { createHash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";

import type { WebhookState } from "../api/operations.js";
import { declareWebhooks, type DeclaredWebhook } from "../webhook-declarations.js";
import { ResourceError, type Notice } from "./problems.js";
import { idsOf, pick, type WantedStates } from "./webhook-fleet-state.js";

/**
 * What the plugin processes of one engine run tell each other. Each provider instance has a process of its own, so the process that
 * deletes a resource may not be the one in which the program declares its webhook again.
 */
export interface RunJournal {
  /** Adds an entry. Once this returns, the other processes can read it. @throws {ResourceError} if they cannot. */
  append(entry: JournalEntry): void;
  /** Returns the entries of each other process, oldest first. */
  readOthers(): readonly (readonly JournalEntry[])[];
}

/** What one process says about webhooks. */
export interface JournalEntry {
  /**
   * `claim`: the program declares them through this process. `release`: this process is about to change them into their final
   * states, until it adds `released`, or `kept` because another process has claimed them.
   */
  readonly kind: "claim" | "release" | "released" | "kept";
  /** The servers of the account, hashed. */
  readonly servers: readonly string[];
  readonly webhookIds: readonly number[];
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** A release that has been decided. */
export interface Release {
  /** The states to set. */
  readonly states: WantedStates;
  /** Must be called when the changes have ended, whether they succeeded or not. */
  readonly end: () => void;
}

/** What a process knows about itself. */
interface Self {
  /** The addresses of the account's server. */
  readonly servers: () => readonly string[];
  readonly currentTime: () => number;
  readonly warn: (notice: Notice) => void;
}

/** Milliseconds between two looks at another process's release, and the number of looks before it counts as lost. */
const POLL_INTERVAL = 25;
const MAX_POLLS = 4800;

/**
 * Decides which webhooks this run manages, and which it lets go. A webhook that any resource of the program declares is never let
 * go, so a rename or a move to another provider undoes nothing.
 */
export class ManagedWebhooks {
  readonly #declared = new Map<DeclaredWebhook, string>();
  readonly #claimed = new Set<number>();
  readonly #finalStates = new Map<number, WebhookState>();
  readonly #journal: RunJournal | null;
  readonly #self: Self;

  /** @param journal `null` if this is the only process of the run. */
  constructor(journal: RunJournal | null, self: Self) {
    this.#journal = journal;
    this.#self = self;
  }

  /**
   * Records that a resource of the program declares webhooks.
   *
   * @param urn The URN of the resource; empty if the host does not know it. Such a resource never conflicts with another.
   * @returns An error if another resource declares one of them.
   */
  declare(webhooks: readonly DeclaredWebhook[], urn = ""): ResourceError | null {
    const conflict = declareWebhooks(this.#declared, webhooks, urn);
    this.claim(webhooks.filter((webhook) => webhook !== "others"));
    if (conflict === null) return null;
    const webhookId = conflict.webhook === "others" ? null : conflict.webhook;
    return new ResourceError({ kind: "declaredTwice", webhookId, urns: [conflict.owner, urn] });
  }

  /** Tells the other processes that the program declares webhooks through this one. Those under `others` have no other record. */
  claim(webhookIds: readonly number[]): void {
    const added = webhookIds.filter((webhookId) => !this.#claimed.has(webhookId));
    for (const webhookId of added) this.#claimed.add(webhookId);
    // Without the folder, other processes cannot release these webhooks either.
    this.#tolerate(() => {
      this.#append("claim", added);
    });
  }

  /** Whether a resource of the program declares a webhook through this process. */
  isDeclared(webhookId: number): boolean {
    return this.#declared.has("others") || this.#declared.has(webhookId);
  }

  /**
   * Decides which webhooks are let go: those that no process of the run has claimed. Warns about the others.
   *
   * @param finalStates The states to set, without webhooks that are declared through this process.
   * @throws {ResourceError} if the other processes cannot be asked.
   */
  release(finalStates: WantedStates): Release {
    const webhookIds = idsOf(finalStates);
    // Before the claims are read: a process that claims a webhook later finds the release and sets the webhook again.
    this.#append("release", webhookIds);
    const claimed = this.#claimedElsewhere();
    const kept = webhookIds.filter((webhookId) => claimed.has(webhookId));
    if (kept.length > 0) {
      this.#append("kept", kept);
      this.#self.warn({ kind: "declaredElsewhere", webhookIds: kept });
    }
    const states = pick(
      finalStates,
      webhookIds.filter((webhookId) => !claimed.has(webhookId)),
    );
    for (const [webhookId, state] of Object.entries(states)) this.#finalStates.set(Number(webhookId), state);
    return {
      states,
      end: () => {
        this.#tolerate(() => {
          this.#append("released", idsOf(states));
        });
      },
    };
  }

  /** Whether a webhook may no longer be in a state, because a resource of this run has let it go. */
  isReleasedOtherwise(webhookId: number, state: unknown): boolean {
    return (
      (this.#finalStates.get(webhookId) ?? state) !== state || this.#releasesElsewhere([webhookId]).length > 0
    );
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

  #append(kind: JournalEntry["kind"], webhookIds: readonly number[]): void {
    if (this.#journal === null || webhookIds.length === 0) return;
    this.#journal.append({ kind, servers: this.#servers(), webhookIds, at: this.#self.currentTime() });
  }

  /** Runs a step that may fail if the other processes cannot be reached. @returns its result, or `undefined` */
  #tolerate<Result>(step: () => Result): Result | undefined {
    try {
      return step();
    } catch (error) {
      if (error instanceof ResourceError) return undefined;
      throw error;
    }
  }

  #claimedElsewhere(): ReadonlySet<number> {
    const claims = this.#entriesElsewhere()
      .flat()
      .filter(({ kind }) => kind === "claim");
    return new Set(claims.flatMap(({ webhookIds }) => webhookIds));
  }

  /** Returns the last word of each other process about the release of webhooks, unless it kept them. */
  #releasesElsewhere(webhookIds: readonly number[]): JournalEntry[] {
    const others = this.#tolerate(() => this.#entriesElsewhere()) ?? [];
    return others.flatMap((entries) =>
      webhookIds.flatMap((webhookId) => {
        const last = entries.findLast(
          (entry) => entry.kind !== "claim" && entry.webhookIds.includes(webhookId),
        );
        return last === undefined || last.kind === "kept" ? [] : [last];
      }),
    );
  }

  /** Returns the entries of each other process about the same server. */
  #entriesElsewhere(): readonly (readonly JournalEntry[])[] {
    const servers = this.#servers();
    const isOurs = (entry: JournalEntry): boolean => entry.servers.some((server) => servers.includes(server));
    return (this.#journal?.readOthers() ?? []).map((entries) => entries.filter(isOurs));
  }

  #servers(): readonly string[] {
    return this.#self
      .servers()
      .map((server) => createHash("sha256").update(server).digest("hex").slice(0, 16));
  }
}
