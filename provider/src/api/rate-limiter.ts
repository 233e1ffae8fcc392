import type { Clock } from "./clock.js";

/** Milliseconds without sending anything after a 429 that names no time; doubled while nothing gets through. */
const FIRST_PAUSE = 1_000;
/** Milliseconds: no pause of our own is longer. */
const LONGEST_PAUSE = 10_000;
/**
 * Requests in flight at the start; each success adds one. All that are in flight when a limit is reached are refused, so a
 * burst of `maxConnections` at the start would cost as many requests.
 */
const CAUTIOUS_CONNECTIONS = 8;
/** After a 429: the share of the rate that got through in the last second, in requests per second, and its growth per second. */
const SHARE = 0.8;
const GROWTH = 1.05;
const WINDOW = 1_000;

/**
 * Every request of the process passes here, retries included: at most `maxConnections` in flight, never faster than
 * `requestsPerSecond`, none during the pause that a 429 asks for, and afterwards no faster than the server was seen to allow.
 * Waiting here is not the fault of the one that waits, so it does not count against its deadline.
 */
export class RateLimiter {
  readonly #clock: Clock;
  readonly #maxConnections: number;
  readonly #fixedRate: number;
  readonly #signal: AbortSignal | undefined;
  readonly #queue: (() => void)[] = [];
  #inFlight = 0;
  #connections: number;
  #nextTurn = 0;
  #pausedUntil = 0;
  #requestedUntil = 0;
  #pause = FIRST_PAUSE;
  #rate = Infinity;
  #throttledAt = 0;
  #successes: number[] = [];
  #lastSuccess = 0;

  /**
   * @param maxConnections Requests in flight at a time.
   * @param requestsPerSecond The fastest that requests are sent; `null` for no limit.
   * @param signal When it is aborted, nobody waits here any longer.
   */
  constructor(clock: Clock, maxConnections: number, requestsPerSecond: number | null, signal?: AbortSignal) {
    this.#clock = clock;
    this.#maxConnections = maxConnections;
    this.#connections = Math.min(CAUTIOUS_CONNECTIONS, maxConnections);
    this.#fixedRate = requestsPerSecond ?? Infinity;
    this.#signal = signal;
    signal?.addEventListener("abort", () => {
      for (const proceed of this.#queue.splice(0)) proceed();
    });
  }

  /** Whether nothing has got through since the last 429. */
  get isThrottled(): boolean {
    return this.#throttledAt > this.#lastSuccess;
  }

  /** Milliseconds for which nobody sends. */
  get pausedFor(): number {
    return Math.max(0, this.#pausedUntil - this.#clock.now());
  }

  /** When a response other than 429 last came in, milliseconds since the epoch; 0 if never. */
  get lastSuccess(): number {
    return this.#lastSuccess;
  }

  /**
   * Waits for a turn, or until the signal is aborted. The caller must call {@link release} afterwards in any case.
   *
   * @param patience Milliseconds that a server may ask to wait.
   * @returns Milliseconds that it does ask for, if they are more; else `null`.
   */
  async acquire(patience: number): Promise<number | null> {
    if (this.#inFlight < this.#connections) this.#inFlight += 1;
    else await new Promise<void>((resolve) => this.#queue.push(resolve));
    while (!this.#signal?.aborted) {
      const now = this.#clock.now();
      if (this.#requestedUntil - now > patience) return this.#requestedUntil - now;
      const turn = Math.max(now, this.#nextTurn, this.#pausedUntil);
      this.#nextTurn = turn + 1000 / Math.min(this.#fixedRate, this.#currentRate(turn));
      if (turn > now) await this.#clock.sleep(turn - now, this.#signal);
      if (this.#clock.now() >= this.#pausedUntil) break; // Else a 429 has come in meanwhile.
    }
    return null;
  }

  /** Gives the place to the next one. */
  release(): void {
    this.#inFlight -= 1;
    while (this.#inFlight < this.#connections && this.#queue.length > 0) {
      this.#inFlight += 1;
      // Responses that arrived together are all seen before the next request goes out: one of them may be a 429.
      const next = this.#queue.shift();
      if (next) setImmediate(next);
    }
  }

  /** Takes note of a response that was not a 429. */
  succeeded(): void {
    const now = this.#clock.now();
    this.#successes = this.#successes.filter((time) => time > now - WINDOW);
    this.#successes.push(now);
    this.#lastSuccess = now;
    this.#pause = FIRST_PAUSE;
    if (this.#connections < this.#maxConnections) this.#connections += 1;
  }

  /**
   * Takes note of a 429: nobody sends until the time that the server named, or for a pause that doubles while nothing gets
   * through, and then all go on at a share of the rate that worked.
   *
   * @param wait Milliseconds that the server asked for; `null` if it named no time.
   */
  throttled(wait: number | null): void {
    const now = this.#clock.now();
    let until = now + (wait ?? 0);
    if (now >= this.#pausedUntil) {
      // Only the first of a burst tells something new about the rate.
      const worked = this.#successes.filter((time) => time > now - WINDOW).length;
      this.#rate = Math.max(1, SHARE * worked);
      this.#throttledAt = now;
      if (wait === null) {
        until = now + this.#pause;
        this.#pause = Math.min(LONGEST_PAUSE, this.#pause * 2);
      }
    }
    if (wait !== null) this.#requestedUntil = Math.max(this.#requestedUntil, until);
    this.#pausedUntil = Math.max(this.#pausedUntil, until);
    this.#nextTurn = Math.max(this.#nextTurn, this.#pausedUntil);
  }

  #currentRate(time: number): number {
    return this.#rate * GROWTH ** (Math.max(0, time - this.#throttledAt) / 1000);
  }
}
