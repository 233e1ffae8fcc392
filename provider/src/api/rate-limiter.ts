import { setTimeout as wait } from "node:timers/promises";

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
 */
export class RateLimiter {
  readonly #clock: Clock;
  readonly #maxConnections: number;
  readonly #maxRate: number;
  readonly #signal: AbortSignal | undefined;
  readonly #queue: (() => void)[] = [];
  #connections: number;
  #inFlight = 0;
  #nextTurn = 0;
  #pausedUntil = 0;
  #nextPause = BASE_PAUSE;
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

  /** Milliseconds until requests are sent again. */
  get pausedFor(): number {
    return Math.max(0, this.#pausedUntil - this.#clock.now());
  }

  /**
   * Waits for a turn, or until the signal is aborted. The caller must call {@link release} afterwards in any
   * case.
   *
   * @param maxWait The longest pause to wait for, in milliseconds.
   * @returns Whether it is the caller's turn; `false` if the pause is longer.
   */
  async acquire(maxWait: number): Promise<boolean> {
    if (this.#inFlight < this.#connections) this.#inFlight += 1;
    else await new Promise<void>((resolve) => this.#queue.push(resolve));
    while (!this.#signal?.aborted) {
      const now = this.#clock.now();
      if (this.#pausedUntil - now > maxWait) return false;
      const turn = Math.max(now, this.#nextTurn, this.#pausedUntil);
      this.#nextTurn = turn + 1000 / this.#maxRate;
      if (turn > now) await this.#clock.sleep(turn - now, this.#signal);
      if (this.#clock.now() >= this.#pausedUntil) break; // Otherwise a 429 arrived in the meantime.
    }
    return true;
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
  succeeded(): void {
    this.#nextPause = BASE_PAUSE;
    if (this.#clock.now() - this.#throttledAt >= RECOVERY) this.#connections = this.#maxConnections;
  }

  /**
   * Records a 429: starts a pause and halves the connections.
   *
   * @param retryAfter Milliseconds; `null` without `Retry-After`.
   */
  throttled(retryAfter: number | null): void {
    const now = this.#clock.now();
    this.#throttledAt = now;
    // The other 429s of a burst say nothing new.
    if (now >= this.#pausedUntil) {
      this.#connections = Math.ceil(this.#connections / 2);
      // Random, so that several processes do not continue at the same time.
      this.#pausedUntil = now + this.#nextPause * (1 + this.#clock.random() / 2);
      this.#nextPause *= 2;
    }
    this.#pausedUntil = Math.max(this.#pausedUntil, now + (retryAfter ?? 0));
  }
}
