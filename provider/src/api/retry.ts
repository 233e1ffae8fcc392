import type { Effect } from "./errors.js";
import { isSuccess, type Attempt } from "./http.js";
import type { OperationKind } from "./operations.js";
import type { Clock, RateLimiter } from "./rate-limiter.js";

/**
 * The retry policy. Attempts, base and full jitter follow "Exponential Backoff And Jitter" (AWS Architecture Blog, 2015). The
 * cap keeps the last delay below a tenth of the default `operationTimeout`.
 */
const RETRY = {
  /** The maximum number of attempts, including the first. Attempts that return 429 do not count. */
  attempts: 4,
  /** The maximum delay before the second attempt, in milliseconds. It doubles for each further attempt. */
  baseDelay: 200,
  /** The maximum delay in milliseconds, unless the server asks for more with `Retry-After`. */
  maxDelay: 10_000,
  /** Reads and changes are retried after these statuses: request timeout, bad gateway, unavailable, gateway timeout. */
  statuses: [408, 502, 503, 504],
  /** Only reads are retried after these statuses, because a change may have failed halfway. */
  readStatuses: [500],
} as const;

/** What follows an attempt: success, failure, a retry, or a retry as soon as the rate limit allows it. */
type RetryDecision = "done" | "fail" | "retry" | "throttled";

/** Decides what follows. A creation is retried only if it certainly had no effect: a second key is worse than an error. */
function decideRetry(kind: OperationKind, attempt: Attempt): RetryDecision {
  if (attempt.kind === "noResponse") return kind === "create" && attempt.sent ? "fail" : "retry";
  const { status, cutOff } = attempt;
  if (isSuccess(status)) {
    const isIncomplete = cutOff === "timeout" || cutOff === "connection";
    return kind === "read" && isIncomplete ? "retry" : "done";
  }
  if (status === 429) return "throttled";
  if (kind === "create") return "fail";
  const statuses: readonly number[] =
    kind === "read" ? [...RETRY.statuses, ...RETRY.readStatuses] : RETRY.statuses;
  return statuses.includes(status) ? "retry" : "fail";
}

/**
 * Whether an unsuccessful attempt may have taken effect. A 4xx status means that the server refused, except 408. After 408 and
 * 5xx the outcome is unknown, and a redirect may follow a creation (303).
 */
function mayHaveTakenEffect(kind: OperationKind, attempt: Attempt): boolean {
  if (kind === "read") return false;
  if (attempt.kind === "noResponse") return attempt.sent;
  const { status } = attempt;
  return status === 408 || status < 400 || status >= 500;
}

/** How an operation ended after all its attempts. */
export interface Outcome {
  /** The last attempt; `null` if the limiter or the signal prevented the first. */
  readonly attempt: Attempt | null;
  readonly succeeded: boolean;
  /** The effect of all attempts together if the operation failed. */
  readonly effect: Effect;
  /** The number of attempts, including those that returned 429. */
  readonly attempts: number;
  /** The milliseconds that the server asked to wait, if that is longer than the time left. */
  readonly requestedWait: number | null;
  readonly interrupted: boolean;
}

interface RetryContext {
  readonly clock: Clock;
  readonly limiter: RateLimiter;
  /** Milliseconds for all attempts and the delays between them, without the time spent waiting at the rate limiter. */
  readonly operationTimeout: number;
  /** When it aborts, all waits end and nothing more is sent. */
  readonly signal?: AbortSignal | undefined;
  /** Called before each retry with the last attempt and the delay in milliseconds. */
  readonly onRetry?: (attempt: Attempt, delay: number) => void;
}

/**
 * Repeats an attempt as the retry policy allows, until the deadline.
 *
 * @param send Sends the request once. Receives the milliseconds left until the deadline.
 */
export async function withRetry(
  kind: OperationKind,
  { clock, limiter, operationTimeout, signal, onRetry }: RetryContext,
  send: (remaining: number) => Promise<Attempt>,
): Promise<Outcome> {
  let deadline = clock.now() + operationTimeout;
  let attempts = 0;
  let failures = 0;
  let effect: Effect = "none";
  let attempt: Attempt | null = null;
  const outcome = (end: Partial<Outcome> = {}): Outcome => {
    return { attempt, succeeded: false, effect, attempts, requestedWait: null, interrupted: false, ...end };
  };

  for (;;) {
    const queuedAt = clock.now();
    const longPause = await limiter.acquire(deadline - queuedAt);
    deadline += clock.now() - queuedAt;
    try {
      if (signal?.aborted) return outcome({ interrupted: true });
      if (longPause) return outcome(longPause);
      attempt = await send(deadline - clock.now());
    } finally {
      limiter.release();
    }
    attempts += 1;
    if (mayHaveTakenEffect(kind, attempt)) effect = "possible";

    const decision = decideRetry(kind, attempt);
    const retryAfter = readRetryAfter(attempt, clock.now());
    if (decision === "throttled") limiter.throttled(retryAfter);
    else if (attempt.kind === "response") limiter.succeeded();

    if (decision === "done") return outcome({ succeeded: true });
    if (attempt.kind === "noResponse" && attempt.reason === "interrupted")
      return outcome({ interrupted: true });
    if (decision === "fail") return outcome();

    const now = clock.now();
    if (retryAfter !== null && now + retryAfter > deadline) return outcome({ requestedWait: retryAfter });
    if (decision === "throttled") {
      onRetry?.(attempt, limiter.pausedFor);
      continue;
    }
    failures += 1;
    const delay = retryAfter ?? backoff(failures, clock.random());
    if (failures >= RETRY.attempts || now + delay >= deadline) return outcome();
    onRetry?.(attempt, delay);
    await clock.sleep(delay, signal);
  }
}

/** Returns a delay with full jitter: random, between zero and the exponential bound, in milliseconds. */
function backoff(failures: number, random: number): number {
  return random * Math.min(RETRY.maxDelay, RETRY.baseDelay * 2 ** (failures - 1));
}

/**
 * Reads `Retry-After` (RFC 9110, 10.2.3): either seconds, or a date, which is relative to the `Date` of the response because
 * the server's clock may differ from ours.
 *
 * @returns Milliseconds to wait, at least 0; `null` if the header is missing or unreadable.
 */
function readRetryAfter(attempt: Attempt, now: number): number | null {
  // On a 2xx response it has no meaning, and must not delay reading a list again that was cut off.
  if (attempt.kind === "noResponse" || isSuccess(attempt.status)) return null;
  const value = attempt.headers["retry-after"];
  if (typeof value !== "string") return null;
  if (/^\d{1,10}$/.test(value)) return Number(value) * 1000;
  const date = parseHttpDate(value);
  if (date === null) return null;
  return Math.max(0, date - (parseHttpDate(attempt.headers["date"]) ?? now));
}

/** Requires the GMT of HTTP dates, without which `Date.parse` accepts almost anything. */
function parseHttpDate(value: string | string[] | undefined): number | null {
  if (typeof value !== "string" || value.length > 40 || !value.endsWith("GMT")) return null;
  const time = Date.parse(value);
  return Number.isNaN(time) ? null : time;
}
