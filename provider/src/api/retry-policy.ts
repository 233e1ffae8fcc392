import type { Answered, Exchange } from "./exchange.js";
import { isSuccess } from "./exchange.js";
import type { Operation } from "./operations.js";

/**
 * The whole retry policy in numbers. Attempts, base and jitter follow "Exponential Backoff And Jitter" (AWS
 * Architecture Blog, 2015: full jitter costs the fewest calls); the cap keeps the last wait below a tenth of the
 * default `operationTimeout`.
 */
export const RETRY = {
  /** Attempts in all, the first one included. Attempts answered with 429 are not counted. */
  attempts: 4,
  /** Milliseconds: the longest wait before the second attempt; it doubles from there. */
  baseDelay: 200,
  /** Milliseconds: no wait is longer, unless the server asks for it with `Retry-After`. */
  maxDelay: 10_000,
  /** Milliseconds without sending anything after a 429 that names no time; doubled while nothing gets through. */
  throttlePause: 1_000,
  /** After a 429: the share of the last second's successes to go on with (our simulation: 300 requests at 20/s). */
  throttleShare: 0.8,
  /** After a 429: the growth of that rate with each second that passes without another one. */
  throttleGrowth: 1.05,
} as const;

/** Statuses after which GET, PATCH and DELETE may be sent again; the reason beside each. */
const RETRYABLE = new Set([
  408, // the server tired of waiting for the request
  502, // a gateway got nonsense from the service
  503, // overloaded or in maintenance
  504, // a gateway got nothing from the service
]);

/** What may follow an attempt: nothing (`"done"`), an error, another attempt, or another one when the rate limit allows. */
export type Verdict = "done" | "fail" | "again" | "throttled";

/** Judges how an attempt ended. A creation is repeated only where it certainly had no effect: a second key is worse than an error. */
export function judge(operation: Operation, exchange: Exchange): Verdict {
  const creates = operation === "createApiKey";
  if (exchange.kind === "unanswered") return creates && exchange.sent ? "fail" : "again";
  const { status, broken } = exchange;
  if (isSuccess(status)) return operation === "listWebhooks" && isLost(broken) ? "again" : "done";
  if (status === 429) return "throttled";
  if (creates) return "fail";
  if (status === 500) return operation === "listWebhooks" ? "again" : "fail"; // Only a read is certain to be harmless.
  return RETRYABLE.has(status) ? "again" : "fail";
}

/** Whether the rest of a body could come with another attempt; one that was cut for its size would be cut again. */
function isLost(broken: Answered["broken"]): boolean {
  return broken === "timeout" || broken === "connection";
}

/** Full jitter: anywhere between nothing and the exponential bound. `attempt` counts from 1. */
export function backoff(attempt: number, random: () => number): number {
  return random() * Math.min(RETRY.maxDelay, RETRY.baseDelay * 2 ** (attempt - 1));
}

/**
 * Reads `Retry-After` (RFC 9110, 10.2.3): seconds, or a date, which is compared with the `Date` of the same answer so
 * that clocks which differ do no harm.
 *
 * @returns Milliseconds to wait, at least 0; `null` when there is none, or none that can be read.
 */
export function retryAfter(exchange: Exchange, now: number): number | null {
  // With a success it has no meaning, and must not keep a list from being asked for again that broke off.
  if (exchange.kind === "unanswered" || isSuccess(exchange.status)) return null;
  const value = exchange.headers["retry-after"];
  if (typeof value !== "string") return null;
  if (/^\d{1,10}$/.test(value)) return Number(value) * 1000;
  const date = httpDate(value);
  if (date === null) return null;
  return Math.max(0, date - (httpDate(exchange.headers["date"]) ?? now));
}

/** An HTTP date always ends in GMT; without that, `Date.parse` takes nearly anything. */
function httpDate(value: string | string[] | undefined): number | null {
  if (typeof value !== "string" || value.length > 40 || !value.endsWith("GMT")) return null;
  const time = Date.parse(value);
  return Number.isNaN(time) ? null : time;
}
