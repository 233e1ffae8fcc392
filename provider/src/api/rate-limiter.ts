import type { Clock } from "./clock.js";

/** Milliseconds of the pause after a 429 without `Retry-After`. It doubles up to the maximum while no request succeeds. */
const BASE_PAUSE = 1_000;
const MAX_PAUSE = 10_000;
/**
 * The connections used at first; each success adds one. A server whose limit is reached refuses all requests in flight, so
 * starting with `maxConnections` would waste that many requests.
 */
const INITIAL_CONNECTIONS = 8;
/** The rate after a 429, as a share of the successes in the last second, and its growth per second. */
const RATE_SHARE = 0.8;
const RATE_GROWTH = 1.05;

/**
 * Limits all requests of the process, retries included: at most `maxConnections` in flight, at most `requestsPerSecond`, and
 * none during the pause after a 429. After the pause it starts below the rate that the server accepted.
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
  /** The end of the pause that the server asked for. Unlike a pause of our own, it can be too long to wait for. */
  #requestedUntil = 0;
  #nextPause = BASE_PAUSE;
  #throttledAt = 0;
  #rateThen = Infinity;
  /** The times of the successes in the second before the latest one. */
  #successes: number[] = [];

  /**
   * @param maxConnections The maximum number of requests in flight.
   * @param requestsPerSecond The maximum rate; `null` for no limit.
   * @param signal When it aborts, all waits end.
   */
  constructor(clock: Clock, maxConnections: number, requestsPerSecond: number | null, signal?: AbortSignal) {
    this.#clock = clock;
    this.#maxConnections = maxConnections;
    this.#connections = Math.min(INITIAL_CONNECTIONS, maxConnections);
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

  /** Milliseconds since the last success while the server returns 429; 0 once it accepts requests. */
  get stalledFor(): number {
    const lastSuccess = this.#successes.at(-1) ?? 0;
    return this.#throttledAt > lastSuccess ? this.#clock.now() - lastSuccess : 0;
  }

  /**
   * Waits for a turn, or until the signal is aborted. The caller must call {@link release} afterwards in any case.
   *
   * @param maxWait The longest pause, in milliseconds, that the server may ask for.
   * @returns The pause that it asks for if that is longer; otherwise `null`.
   */
  async acquire(maxWait: number): Promise<number | null> {
    if (this.#inFlight < this.#connections) this.#inFlight += 1;
    else await new Promise<void>((resolve) => this.#queue.push(resolve));
    while (!this.#signal?.aborted) {
      const now = this.#clock.now();
      if (this.#requestedUntil - now > maxWait) return this.#requestedUntil - now;
      const turn = Math.max(now, this.#nextTurn, this.#pausedUntil);
      this.#nextTurn = turn + 1000 / this.#rateAt(turn);
      if (turn > now) await this.#clock.sleep(turn - now, this.#signal);
      if (this.#clock.now() >= this.#pausedUntil) break; // Otherwise a 429 arrived in the meantime.
    }
    return null;
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
    this.#successes = [...this.#recentSuccesses(), this.#clock.now()];
    this.#nextPause = BASE_PAUSE;
    if (this.#connections < this.#maxConnections) this.#connections += 1;
  }

  /**
   * Records a 429: starts a pause and lowers the rate.
   *
   * @param retryAfter The milliseconds that the server asked for; `null` without `Retry-After`.
   */
  throttled(retryAfter: number | null): void {
    const now = this.#clock.now();
    const isFirst = now >= this.#pausedUntil; // The other 429s of a burst say nothing new about the rate.
    let until = now + (retryAfter ?? 0);
    if (retryAfter !== null) this.#requestedUntil = Math.max(this.#requestedUntil, until);
    else if (isFirst) {
      until = now + this.#nextPause;
      this.#nextPause = Math.min(MAX_PAUSE, this.#nextPause * 2);
    }
    if (isFirst) {
      this.#throttledAt = now;
      this.#rateThen = Math.max(1, RATE_SHARE * this.#recentSuccesses().length);
    }
    this.#pausedUntil = Math.max(this.#pausedUntil, until);
  }

  #recentSuccesses(): number[] {
    const now = this.#clock.now();
    return this.#successes.filter((time) => time > now - 1_000);
  }

  #rateAt(time: number): number {
    return Math.min(
      this.#maxRate,
      this.#rateThen * RATE_GROWTH ** (Math.max(0, time - this.#throttledAt) / 1_000),
    );
  }
}
