import { setTimeout as wait } from "node:timers/promises";

import type { OperationKind } from "./operations.js";
import { isSuccess, isThrottled } from "./statuses.js";

/** Time and randomness, so that tests can control both. */
export interface Clock {
  /** Milliseconds, about those since the epoch, that never jump. */
  now(): number;
  /** A number from 0 (inclusive) to 1 (exclusive). */
  random(): number;
  /** Resolves after the given milliseconds, or as soon as the signal is aborted. */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
}

export const systemClock: Clock = {
  // Unlike Date.now(), it does not jump when the clock is set.
  now: () => performance.timeOrigin + performance.now(),
  random: () => Math.random(),
  sleep: async (milliseconds, signal) => {
    await wait(milliseconds, undefined, signal && { signal }).catch(() => undefined);
  },
};

/** The maximum number of requests in flight, of all operations of a process. */
export const MAX_IN_FLIGHT = 16;

/** Milliseconds of the first pause after a 429 without `Retry-After`, and of the longest one. */
const [FIRST_PAUSE, LONGEST_PAUSE] = [1_000, 60_000];
/** Milliseconds. If 429s last for so long, or ask for a longer pause, operations fail instead of waiting. */
const PATIENCE = 120_000;
/** How many milliseconds early a timer of Node may fire. */
const TIMER_ERROR = 2;
/** By how much a response other than a 429 raises the limit of requests in flight: 20 raise it by one. */
const GROWTH = 0.05;

/** A request that waits to be sent, or is in flight. */
export interface Turn {
  readonly kind: OperationKind;
  /** Whether it is sent only while no other change or creation is in flight. */
  readonly isAlone: boolean;
  /** Whether another change or creation has been in flight at the same time. */
  overlapped: boolean;
}

/**
 * Limits all requests of the process to 16 in flight. After a 429, none is sent until a pause is over. Then
 * the limit starts at one, and grows. It stays at one at a service that makes one change at a time.
 */
export class RateLimiter {
  readonly #clock: Clock;
  readonly #signal: AbortSignal | undefined;
  /** Requests that wait for others, in their order. */
  readonly #queue: { readonly turn: Turn; readonly proceed: () => void }[] = [];
  readonly #inFlight = new Set<Turn>();
  /** The number of requests that are to be sent alone, before any other change or creation. */
  #waitingAlone = 0;
  #maximum = MAX_IN_FLIGHT;
  #limit = MAX_IN_FLIGHT;
  #pausedUntil = 0;
  #nextPause = FIRST_PAUSE;
  /** When the first 429 since any other response arrived. */
  #throttledSince: number | null = null;

  constructor(clock: Clock, signal?: AbortSignal) {
    this.#clock = clock;
    this.#signal = signal;
    signal?.addEventListener("abort", () => {
      this.#proceed(0, Infinity);
    });
  }

  /** Milliseconds until the next request may be sent. */
  get pause(): number {
    const pause = this.#pausedUntil - this.#clock.now();
    return pause < TIMER_ERROR ? 0 : pause;
  }

  /**
   * Waits for a turn, which {@link release} ends.
   *
   * @param isAlone See {@link Turn}.
   * @param onPause Called before each pause with its milliseconds.
   * @returns `null` if the signal is aborted, or if 429s have lasted for too long.
   */
  async acquire(
    kind: OperationKind,
    isAlone: boolean,
    onPause: (milliseconds: number) => void,
  ): Promise<Turn | null> {
    const turn: Turn = { kind, isAlone, overlapped: false };
    if (isAlone) this.#waitingAlone += 1;
    const isStarted = await this.#wait(turn, onPause);
    if (isAlone) this.#waitingAlone -= 1;
    return isStarted ? turn : null;
  }

  /** Ends a turn. @param status `null` without a response. @param retryAfter Milliseconds; `null` if none. */
  release(turn: Turn, status: number | null, retryAfter: number | null): void {
    this.#inFlight.delete(turn);
    // It had been refused next to others, so the service makes one change at a time.
    if (turn.isAlone && isSuccess(status)) this.#maximum = 1;
    if (isThrottled(status)) this.#throttle(retryAfter);
    else if (status !== null) this.#relax();
    this.#wake();
  }

  /** Milliseconds for which the server has returned nothing but 429s. */
  get #throttledFor(): number {
    return this.#throttledSince === null ? 0 : this.#clock.now() - this.#throttledSince;
  }

  #throttle(retryAfter: number | null): void {
    const now = this.#clock.now();
    this.#throttledSince ??= now;
    this.#limit = 1;
    // Requests in flight together get 429s together: only the first lengthens the pause.
    if (now >= this.#pausedUntil) {
      // Partly random, so that several processes do not begin again at the same time.
      this.#pausedUntil = now + this.#nextPause * (1 + this.#clock.random() / 2);
      this.#nextPause = Math.min(LONGEST_PAUSE, this.#nextPause * 2);
    }
    this.#pausedUntil = Math.max(this.#pausedUntil, now + (retryAfter ?? 0));
    this.#proceed(0, Infinity); // What is queued waits for the end of the pause instead, or fails.
  }

  #relax(): void {
    this.#throttledSince = null;
    this.#nextPause = Math.max(FIRST_PAUSE, this.#nextPause / 2);
    this.#limit = Math.min(this.#maximum, this.#limit + GROWTH);
  }

  /** Returns whether the request has started. */
  async #wait(turn: Turn, onPause: (milliseconds: number) => void): Promise<boolean> {
    while (!this.#signal?.aborted) {
      const { pause } = this;
      if (pause > 0) {
        if (pause > PATIENCE || this.#throttledFor >= PATIENCE) return false;
        onPause(pause);
        await this.#clock.sleep(pause, this.#signal);
      } else if (this.#mayStart(turn)) {
        this.#start(turn);
        return true;
      } else {
        await new Promise<void>((proceed) => this.#queue.push({ turn, proceed }));
      }
    }
    return false;
  }

  #mayStart({ kind, isAlone }: Turn): boolean {
    if (this.#inFlight.size >= Math.floor(this.#limit)) return false;
    if (kind === "read") return true;
    const others = this.#writesInFlight();
    return isAlone ? others.length === 0 : this.#waitingAlone === 0 && !others.some((turn) => turn.isAlone);
  }

  #start(turn: Turn): void {
    const others = turn.kind === "read" ? [] : this.#writesInFlight();
    for (const each of others.length === 0 ? [] : [turn, ...others]) each.overlapped = true;
    this.#inFlight.add(turn);
  }

  #writesInFlight(): Turn[] {
    return [...this.#inFlight].filter(({ kind }) => kind !== "read");
  }

  /** Lets as many requests proceed as there is room for. */
  #wake(): void {
    for (let room = Math.floor(this.#limit) - this.#inFlight.size; room > 0; room--) {
      const index = this.#queue.findIndex(({ turn }) => this.#mayStart(turn));
      if (index < 0) return;
      this.#proceed(index, 1);
    }
  }

  #proceed(start: number, count: number): void {
    // Responses that arrived together are handled first: one of them may be a 429.
    for (const { proceed } of this.#queue.splice(start, count)) setImmediate(proceed);
  }
}
