import { setTimeout as wait } from "node:timers/promises";

import { isThrottled } from "./statuses.js";

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

/**
 * Limits all requests of the process to 16 in flight. After a 429, none is sent until a pause is over. Then
 * the limit starts at one, and grows.
 */
export class RateLimiter {
  readonly #clock: Clock;
  readonly #signal: AbortSignal | undefined;
  readonly #queue: (() => void)[] = [];
  #inFlight = 0;
  #limit = MAX_IN_FLIGHT;
  #pausedUntil = 0;
  #nextPause = FIRST_PAUSE;
  /** When the first 429 since any other response arrived. */
  #throttledSince: number | null = null;

  constructor(clock: Clock, signal?: AbortSignal) {
    this.#clock = clock;
    this.#signal = signal;
    signal?.addEventListener("abort", () => {
      this.#wake(Infinity);
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
   * @param onPause Called before each pause with its milliseconds.
   * @returns `false` if the signal is aborted, or if 429s have lasted for too long.
   */
  async acquire(onPause: (milliseconds: number) => void): Promise<boolean> {
    while (!this.#signal?.aborted) {
      const { pause } = this;
      if (pause > 0) {
        if (pause > PATIENCE || this.#throttledFor >= PATIENCE) return false;
        onPause(pause);
        await this.#clock.sleep(pause, this.#signal);
      } else if (this.#inFlight < Math.floor(this.#limit)) {
        this.#inFlight += 1;
        return true;
      } else {
        await new Promise<void>((resolve) => this.#queue.push(resolve));
      }
    }
    return false;
  }

  /** Ends a turn. @param status `null` without a response. @param retryAfter Milliseconds; `null` if none. */
  release(status: number | null, retryAfter: number | null): void {
    this.#inFlight -= 1;
    if (isThrottled(status)) this.#throttle(retryAfter);
    else if (status !== null) this.#relax();
    this.#wake(Math.floor(this.#limit) - this.#inFlight);
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
    this.#wake(Infinity); // What is queued waits for the end of the pause instead, or fails.
  }

  #relax(): void {
    this.#throttledSince = null;
    this.#nextPause = Math.max(FIRST_PAUSE, this.#nextPause / 2);
    this.#limit = Math.min(MAX_IN_FLIGHT, this.#limit + GROWTH);
  }

  #wake(count: number): void {
    // Responses that arrived together are handled first: one of them may be a 429.
    for (const proceed of this.#queue.splice(0, Math.max(0, count))) setImmediate(proceed);
  }
}
