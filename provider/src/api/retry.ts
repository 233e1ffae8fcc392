import type { Clock } from "./clock.js";
import type { Effect } from "./errors.js";
import { isSuccess, type Attempt } from "./http.js";
import type { OperationKind } from "./operations.js";
import type { RateLimiter } from "./rate-limiter.js";

/**
 * The retry policy. Attempts, base and jitter follow "Exponential Backoff And Jitter" (AWS Architecture Blog, 2015: full
 * jitter costs the fewest calls); the cap keeps the last wait below a tenth of the default `operationTimeout`.
 */
const RETRY = {
  /** Attempts in all, the first one included. Attempts answered with 429 are not counted. */
  attempts: 4,
  /** Milliseconds: the longest wait in front of the second attempt; it doubles from there. */
  baseDelay: 200,
  /** Milliseconds: no wait is longer, unless the server asks for it with `Retry-After`. */
  maxDelay: 10_000,
  /** Statuses after which a read or a change is repeated: request timeout, bad gateway, unavailable, gateway timeout. */
  statuses: [408, 502, 503, 504],
  /** Statuses after which only a read is repeated, as a change may have broken half-way. */
  readStatuses: [500],
} as const;

/** What follows an attempt: nothing, an error, another attempt, or another one when the rate limit allows. */
type RetryDecision = "done" | "fail" | "retry" | "throttled";

/** Decides what follows an attempt. A creation is repeated only where it certainly had no effect: a second key is worse than an error. */
function decideRetry(kind: OperationKind, attempt: Attempt): RetryDecision {
  if (attempt.kind === "noResponse") return kind === "create" && attempt.sent ? "fail" : "retry";
  const { status, cutOff } = attempt;
  if (isSuccess(status)) {
    const lost = cutOff === "timeout" || cutOff === "connection";
    return kind === "read" && lost ? "retry" : "done";
  }
  if (status === 429) return "throttled";
  if (kind === "create") return "fail";
  const statuses: readonly number[] =
    kind === "read" ? [...RETRY.statuses, ...RETRY.readStatuses] : RETRY.statuses;
  return statuses.includes(status) ? "retry" : "fail";
}

/**
 * Whether an attempt that did not succeed may have had an effect all the same. A status of 4xx says that the server refused;
 * 408 says only that it gave up, 5xx that it broke, and a redirect may follow a creation (303).
 */
function mayHaveTakenEffect(kind: OperationKind, attempt: Attempt): boolean {
  if (kind === "read") return false;
  if (attempt.kind === "noResponse") return attempt.sent;
  const { status } = attempt;
  return status === 408 || status < 400 || status >= 500;
}

/** How an operation ended after all its attempts. */
export interface Outcome {
  /** The last attempt; `null` if none was made, because of the limiter or of the signal. */
  readonly attempt: Attempt | null;
  readonly succeeded: boolean;
  /** What all attempts together may have done on the server, if it did not succeed. */
  readonly effect: Effect;
  /** Attempts that were made, those answered with 429 included. */
  readonly attempts: number;
  /** Milliseconds that the server asked to wait, where that is longer than there is time for. */
  readonly requestedWait: number | null;
  readonly interrupted: boolean;
}

/** What {@link withRetry} needs apart from the attempt. */
interface RetryContext {
  readonly clock: Clock;
  readonly limiter: RateLimiter;
  /** Milliseconds for all attempts and the waits between them, time at the rate limiter excluded. */
  readonly operationTimeout: number;
  /** When it is aborted, nothing more is sent and nothing is waited for. */
  readonly signal?: AbortSignal | undefined;
  /** Told of every attempt that is repeated, and in how many milliseconds. */
  readonly onRetry?: (attempt: Attempt, delay: number) => void;
}

/**
 * Repeats an attempt as the policy allows, within the deadline.
 *
 * @param send Sends the request once; is told how many milliseconds remain.
 */
export async function withRetry(
  kind: OperationKind,
  { clock, limiter, operationTimeout, signal, onRetry }: RetryContext,
  send: (remaining: number) => Promise<Attempt>,
): Promise<Outcome> {
  const startedAt = clock.now();
  let deadline = startedAt + operationTimeout;
  let attempts = 0;
  let counted = 0;
  let effect: Effect = "none";
  let attempt: Attempt | null = null;
  const outcome = (end: Partial<Outcome> = {}): Outcome => {
    return { attempt, succeeded: false, effect, attempts, requestedWait: null, interrupted: false, ...end };
  };
  // Waiting at the limiter is free of charge, so something else must end it: nobody at all got through for so long.
  const isHopeless = (): boolean =>
    limiter.isThrottled && clock.now() - Math.max(startedAt, limiter.lastSuccess) > operationTimeout;

  for (;;) {
    const queuedAt = clock.now();
    const requestedWait = await limiter.acquire(deadline - queuedAt);
    deadline += clock.now() - queuedAt;
    try {
      if (signal?.aborted) return outcome({ interrupted: true });
      if (requestedWait !== null) return outcome({ requestedWait });
      if (isHopeless()) return outcome();
      attempt = await send(deadline - clock.now());
    } finally {
      limiter.release();
    }
    attempts += 1;
    if (mayHaveTakenEffect(kind, attempt)) effect = "possible";

    const decision = decideRetry(kind, attempt);
    const hint = retryAfter(attempt, clock.now());
    if (decision === "throttled") limiter.throttled(hint);
    else if (attempt.kind === "response") limiter.succeeded();

    if (decision === "done") return outcome({ succeeded: true });
    if (attempt.kind === "noResponse" && attempt.reason === "interrupted")
      return outcome({ interrupted: true });
    if (decision === "fail") return outcome();

    const now = clock.now();
    if (hint !== null && now + hint > deadline) return outcome({ requestedWait: hint });
    if (decision === "throttled") {
      if (isHopeless()) return outcome();
      onRetry?.(attempt, limiter.pausedFor);
      continue;
    }
    counted += 1;
    const delay = hint ?? backoff(counted, clock.random());
    if (counted >= RETRY.attempts || now + delay >= deadline) return outcome();
    onRetry?.(attempt, delay);
    await clock.sleep(delay, signal);
  }
}

/** Full jitter: anywhere between nothing and the exponential bound. `attempt` counts from 1. */
function backoff(attempt: number, random: number): number {
  return random * Math.min(RETRY.maxDelay, RETRY.baseDelay * 2 ** (attempt - 1));
}

/**
 * Reads `Retry-After` (RFC 9110, 10.2.3): seconds, or a date, which is compared with the `Date` of the same response so that
 * clocks which differ do no harm.
 *
 * @returns Milliseconds to wait, at least 0; `null` if there is none, or none that can be read.
 */
function retryAfter(attempt: Attempt, now: number): number | null {
  // With a success it has no meaning, and must not keep a list from being read again that was cut off.
  if (attempt.kind === "noResponse" || isSuccess(attempt.status)) return null;
  const value = attempt.headers["retry-after"];
  if (typeof value !== "string") return null;
  if (/^\d{1,10}$/.test(value)) return Number(value) * 1000;
  const date = httpDate(value);
  if (date === null) return null;
  return Math.max(0, date - (httpDate(attempt.headers["date"]) ?? now));
}

/** An HTTP date always ends in GMT; without that, `Date.parse` takes nearly anything. */
function httpDate(value: string | string[] | undefined): number | null {
  if (typeof value !== "string" || value.length > 40 || !value.endsWith("GMT")) return null;
  const time = Date.parse(value);
  return Number.isNaN(time) ? null : time;
}
