import { json, type Answer } from "./answer.js";
import type { RateLimit } from "./options.js";

/** Counts requests in a sliding window. */
export class RateLimiter {
  readonly #limit: RateLimit;
  #admitted: number[] = [];

  constructor(limit: RateLimit) {
    this.#limit = limit;
  }

  /** Admits a request that arrives now, or returns the 429 to answer it with. Refused requests do not count. */
  refusal(): Answer | undefined {
    const now = Date.now();
    const window = this.#limit.perSeconds * 1000;
    this.#admitted = this.#admitted.filter((time) => time > now - window);
    const oldest = this.#admitted[0];
    if (oldest === undefined || this.#admitted.length < this.#limit.requests) {
      this.#admitted.push(now);
      return undefined;
    }
    return json(429, { error: "too many requests" }, this.#headers(oldest + window, now));
  }

  // Both forms of retry-after know whole seconds only, and rounding down would invite the next 429.
  #headers(freeAt: number, now: number): Record<string, string> {
    switch (this.#limit.retryAfter ?? "seconds") {
      case "seconds":
        return { "retry-after": String(Math.ceil((freeAt - now) / 1000)) };
      case "date":
        return { "retry-after": new Date(Math.ceil(freeAt / 1000) * 1000).toUTCString() };
      case "none":
        return {};
    }
  }
}
