import { setTimeout as wait } from "node:timers/promises";

import type { Operation } from "./operations.js";

/**
 * Milliseconds of the pause after a 429, or longer if `Retry-After` says so. It doubles while no request
 * succeeds.
 */
const BASE_PAUSE = 1_000;
/** Milliseconds after a 429 during which fewer connections are used. */
const RECOVERY = 60_000;

/** Time and randomness, so that tests can control both. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** The same by the clock of the machine, which jumps when it is set. @default `now` */
  timeOfDay?(): number;
  /** A number from 0 (inclusive) to 1 (exclusive). */
  random(): number;
  /** Resolves after the given milliseconds, or as soon as the signal is aborted. */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
}

export const systemClock: Clock = {
  // Unlike Date.now(), it does not jump when the clock is set.
  now: () => performance.timeOrigin + performance.now(),
  timeOfDay: () => Date.now(),
  random: () => Math.random(),
  sleep: async (milliseconds, signal) => {
    await wait(milliseconds, undefined, signal && { signal }).catch(() => undefined);
  },
};

/**
 * Limits all requests of the process, retries included: at most `maxConnections` in flight, at most
 * `requestsPerSecond`, and none during the pause after a 429. After the pause, half the connections are used
 * until a minute has passed without a 429.
 *
 * An operation that gets 429s in a row, while others succeed and none of them gets one, has longer and longer
 * pauses of its own.
 */
export class RateLimiter {
  readonly #clock: Clock;
  readonly #maxConnections: number;
  readonly #maxRate: number;
  readonly #signal: AbortSignal | undefined;
  readonly #queue: (() => void)[] = [];
  readonly #shared = new Pause();
  readonly #own = new Map<Operation, Pause>();
  #connections: number;
  #inFlight = 0;
  #nextTurn = 0;
  #throttledAt = -Infinity;

  /** @param requestsPerSecond `null` for no limit. @param signal When it aborts, all waits end. */
  constructor(clock: Clock, maxConnections: number, requestsPerSecond: number | null, signal?: AbortSignal) {
    this.#clock = clock;
    this.#maxConnections = maxConnections;
    this.#connections = maxConnections;
    this.#maxRate = requestsPerSecond ?? Infinity;
    this.#signal = signal;
    signal?.addEventListener("abort", () => {
      for (const proceed of this.#queue.splice(0)) proceed();
    });
  }

  /** Returns the milliseconds until an operation is sent again. */
  pausedFor(operation: Operation): number {
    return Math.max(0, this.#pausedUntil(operation) - this.#clock.now());
  }

  /**
   * Waits for a turn, or until the signal is aborted. Unless it returns `null`, the caller must call
   * {@link release} afterwards.
   *
   * @param maxWait The longest pause to wait for, in milliseconds.
   * @returns The milliseconds of pauses that count as time of the operation, because others succeeded; `null`
   * if the pause is too long.
   */
  async acquire(operation: Operation, maxWait: number): Promise<number | null> {
    const own = this.#ownPause(operation);
    let counted = 0;
    await this.#connect();
    while (!this.#signal?.aborted) {
      const now = this.#clock.now();
      if (this.pausedFor(operation) > maxWait - counted) {
        this.release();
        return null;
      }
      const { until } = own;
      const isOwn = until > Math.max(now, this.#shared.until);
      if (isOwn) {
        // The others do not wait, so this one must not keep a connection from them.
        this.release();
        await this.#clock.sleep(until - now, this.#signal);
        await this.#connect();
      } else {
        const turn = Math.max(now, this.#nextTurn, this.#shared.until);
        this.#nextTurn = turn + 1000 / this.#maxRate;
        if (turn > now) await this.#clock.sleep(turn - now, this.#signal);
      }
      if (own.isAlone) counted += Math.max(0, Math.min(this.#clock.now(), until) - now);
      // Otherwise a 429 arrived in the meantime.
      if (!isOwn && this.#clock.now() >= this.#pausedUntil(operation)) break;
    }
    return counted;
  }

  /** Frees a connection for the next request. */
  release(): void {
    this.#inFlight -= 1;
    while (this.#inFlight < this.#connections && this.#queue.length > 0) {
      this.#inFlight += 1;
      const next = this.#queue.shift();
      // Lets responses that arrived together be handled first: one of them may be a 429.
      if (next) setImmediate(next);
    }
  }

  /** Records a response other than 429. */
  succeeded(operation: Operation): void {
    this.#shared.reset();
    this.#ownPause(operation).reset();
    for (const [other, pause] of this.#own) if (other !== operation) pause.recordOtherSuccess();
    if (this.#clock.now() - this.#throttledAt >= RECOVERY) this.#connections = this.#maxConnections;
  }

  /**
   * Records a 429: starts a pause and halves the connections.
   *
   * @param retryAfter Milliseconds; `null` without `Retry-After`.
   */
  throttled(operation: Operation, retryAfter: number | null): void {
    const now = this.#clock.now();
    this.#throttledAt = now;
    // Random, so that several processes do not continue at the same time.
    const factor = 1 + this.#clock.random() / 2;
    this.#ownPause(operation).start(now, factor, retryAfter);
    if (this.#shared.start(now, factor, retryAfter)) this.#connections = Math.ceil(this.#connections / 2);
    // The limit is for all of them: with a longer pause, one would never be among the first after it.
    for (const [other, pause] of this.#own) if (other !== operation) pause.join(this.#shared);
  }

  /** Takes a connection, or waits for one. After an abort, nothing is sent. */
  async #connect(): Promise<void> {
    if (this.#inFlight < this.#connections || this.#signal?.aborted) this.#inFlight += 1;
    else await new Promise<void>((resolve) => this.#queue.push(resolve));
  }

  #pausedUntil(operation: Operation): number {
    return Math.max(this.#shared.until, this.#ownPause(operation).until);
  }

  #ownPause(operation: Operation): Pause {
    const pause = this.#own.get(operation) ?? new Pause();
    this.#own.set(operation, pause);
    return pause;
  }
}

/** The pause after a 429. It doubles with each 429 in a row. */
class Pause {
  until = 0;
  /** Whether other operations succeeded since its first 429. */
  isAlone = false;
  #next = BASE_PAUSE;

  /** @returns `false` for the other 429s of a burst, which say nothing new. */
  start(now: number, factor: number, retryAfter: number | null): boolean {
    const isNew = now >= this.until;
    if (isNew) {
      this.until = now + this.#next * factor;
      this.#next *= 2;
    }
    this.until = Math.max(this.until, now + (retryAfter ?? 0));
    return isNew;
  }

  reset(): void {
    this.#next = BASE_PAUSE;
    this.isAlone = false;
  }

  /** Ends the pauses of its own. */
  join(shared: Pause): void {
    this.reset();
    this.until = Math.min(this.until, shared.until);
  }

  recordOtherSuccess(): void {
    this.isAlone ||= this.#next > BASE_PAUSE;
  }
}
