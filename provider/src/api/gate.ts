import { RETRY } from "./retry-policy.js";
import type { Timing } from "./timing.js";

/** The rate, in requests a second, below which a 429 never takes us: one that is still seen to move. */
const SLOWEST = 1;
/** The rate above which pacing would no longer be felt, and ends. */
const FASTEST = 1000;
/**
 * Requests under way at a time to begin with; every second answer adds one. All that are under way when a rate limit is
 * reached are refused, so a burst of 32 at once cost more than a tenth of 300 requests (measured).
 */
const FIRST_PLACES = 8;

/**
 * Every request of the process passes here, retries included: no more than `maxConnections` at a time, no faster than
 * `requestsPerSecond`, and after a 429 no faster than the server was seen to allow. Waiting here is not the fault of the
 * one that waits, so it does not count against its deadline.
 */
export class Gate {
  readonly #timing: Timing;
  readonly #fixedInterval: number;
  readonly #signal: AbortSignal | undefined;
  readonly #waiting: (() => void)[] = [];
  readonly #maxConnections: number;
  #places: number;
  #free: number;
  #answers = 0;
  #nextTurn = 0;
  #closedUntil = 0;
  #askedUntil = 0;
  #pause: number = RETRY.throttlePause;
  #rate: number | null = null;
  #grownAt = 0;
  #successes: number[] = [];
  #progressAt = 0;

  /** @param signal When it is aborted, nobody waits here any longer. */
  constructor(
    timing: Timing,
    maxConnections: number,
    requestsPerSecond: number | null,
    signal?: AbortSignal,
  ) {
    this.#timing = timing;
    this.#signal = signal;
    signal?.addEventListener("abort", () => {
      for (const proceed of this.#waiting.splice(0)) proceed();
    });
    this.#maxConnections = maxConnections;
    this.#places = Math.min(FIRST_PLACES, maxConnections);
    this.#free = this.#places;
    this.#fixedInterval = requestsPerSecond === null ? 0 : 1000 / requestsPerSecond;
  }

  /**
   * Waits for a turn, or until all are told to stop; the caller must call {@link leave} afterwards in any case.
   *
   * @param patience Milliseconds that the server may ask to wait; what it asked of one request holds for all.
   * @returns Milliseconds that it does ask for, if they are more; `null` otherwise.
   */
  async enter(patience = Infinity): Promise<number | null> {
    if (this.#free > 0) this.#free -= 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    while (!this.#signal?.aborted) {
      const now = this.#timing.now();
      const asked = this.#askedUntil - now;
      if (asked > patience) return asked;
      const turn = Math.max(now, this.#nextTurn, this.#closedUntil);
      this.#nextTurn = turn + this.#interval();
      if (turn > now) await this.#timing.sleep(turn - now, this.#signal);
      // A 429 that came in meanwhile has closed the gate for longer.
      if (this.#timing.now() >= this.#closedUntil) return null;
    }
    return null;
  }

  /** Gives the place to the next one. */
  leave(): void {
    const next = this.#waiting.shift();
    // Answers that arrived together are all looked at before the next request goes out: one of them may be a 429.
    if (next) setImmediate(next);
    else this.#free += 1;
  }

  /** Takes note of an answer that was not a 429. */
  passed(): void {
    const now = this.#timing.now();
    this.#progressAt = now;
    this.#pause = RETRY.throttlePause;
    this.#successes = this.#successes.filter((time) => time > now - 1000);
    this.#successes.push(now);
    this.#answers += 1;
    if (this.#answers % 2 === 0 && this.#places < this.#maxConnections) {
      this.#places += 1;
      this.leave();
    }
    if (this.#rate !== null && now - this.#grownAt >= 1000) {
      const faster = this.#rate * RETRY.throttleGrowth;
      this.#rate = faster > FASTEST ? null : faster;
      this.#grownAt = now;
    }
  }

  /**
   * Takes note of a 429: nobody sends until the time the server named, or for a pause that doubles while nothing gets
   * through, and then all go at a share of the rate that worked.
   *
   * @param wait Milliseconds that the server asked for; `null` if it did not say.
   */
  throttled(wait: number | null): void {
    const now = this.#timing.now();
    const first = now >= this.#closedUntil; // The others of the same burst tell nothing new about the rate.
    if (first) {
      const lately = this.#successes.filter((time) => time > now - 1000).length;
      this.#rate = Math.max(SLOWEST, RETRY.throttleShare * lately);
      this.#grownAt = now;
    }
    const until = now + (wait ?? this.#pause);
    if (wait !== null) this.#askedUntil = Math.max(this.#askedUntil, until);
    if (first && wait === null) this.#pause = Math.min(RETRY.maxDelay, this.#pause * 2);
    this.#closedUntil = Math.max(this.#closedUntil, until);
    this.#nextTurn = Math.max(this.#nextTurn, this.#closedUntil);
  }

  /** When an answer other than 429 last came in; 0 if never. */
  get progressAt(): number {
    return this.#progressAt;
  }

  #interval(): number {
    return Math.max(this.#fixedInterval, this.#rate === null ? 0 : 1000 / this.#rate);
  }
}
