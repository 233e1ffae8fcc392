import type { Attempt, HttpResponse } from "./attempt.js";
import { permanentCause } from "./connection-failures.js";
import type { OperationKind } from "./operations.js";
import type { Clock, RateLimiter } from "./rate-limiter.js";
import { hadNoEffect, isSuccess, isTemporary, isThrottled } from "./statuses.js";

/** The retry policy. Pauses are in milliseconds. */
const RETRY = {
  /** The maximum number of attempts, without those that return 429. */
  attempts: 6,
  /** The maximum pause before the second attempt. It doubles for each further attempt. */
  firstPause: 500,
} as const;

/** What follows an attempt. `throttled`: a retry as soon as the rate limit allows it. */
type RetryDecision = "done" | "fail" | "retry" | "throttled";

/**
 * Decides what follows an attempt. A creation is repeated only if it certainly had no effect: a second key is
 * worse than an error.
 */
function decideRetry(kind: OperationKind, attempt: Attempt): RetryDecision {
  if (attempt.kind === "noResponse") {
    const mayPass = permanentCause(attempt.code) === null;
    return mayPass && !(kind === "create" && attempt.sent) ? "retry" : "fail";
  }
  const { status, cutOff } = attempt;
  if (isSuccess(status)) {
    if (kind !== "read" || cutOff === null) return "done";
    return cutOff === "limit" ? "fail" : "retry";
  }
  if (isThrottled(status)) return "throttled";
  if (kind === "create") return "fail";
  return isTemporary(status) || (kind === "read" && status === 500) ? "retry" : "fail";
}

function mayHaveEffect(kind: OperationKind, attempt: Attempt): boolean {
  if (kind === "read") return false;
  return attempt.kind === "response" ? !hadNoEffect(attempt.status) : attempt.sent;
}

/** How an operation ended after all its attempts. */
export type Outcome = {
  /** Whether any attempt may have changed something at the service. */
  readonly mayHaveChanged: boolean;
  /** The number of attempts, including those that returned 429. */
  readonly attempts: number;
} & (
  | { readonly end: "done"; readonly attempt: HttpResponse }
  | { readonly end: "failed"; readonly attempt: Attempt }
  /** `attempt`: the last one, if there was any. */
  | { readonly end: "interrupted" | "throttled"; readonly attempt: Attempt | null }
);

interface RetryContext {
  readonly clock: Clock;
  readonly limiter: RateLimiter;
  /** Milliseconds for attempts and the pauses between them, without what a 429 or the queue takes. */
  readonly timeout: number;
  readonly signal?: AbortSignal | undefined;
  /** Called before each retry with the last attempt and the pause in milliseconds. */
  readonly onRetry: (attempt: Attempt, pause: number) => void;
}

/** Repeats an attempt as the policy allows. @param send Gets the milliseconds left, and the count. */
export async function withRetry(
  kind: OperationKind,
  { clock, limiter, timeout, signal, onRetry }: RetryContext,
  send: (left: number, count: number) => Promise<Attempt>,
): Promise<Outcome> {
  let left = timeout;
  let attempts = 0;
  let failures = 0;
  let mayHaveChanged = false;
  let last: Attempt | null = null;
  const end = (how: "interrupted" | "throttled"): Outcome => ({
    end: how,
    attempt: last,
    mayHaveChanged,
    attempts,
  });

  for (;;) {
    const hasTurn = await limiter.acquire((pause) => {
      if (last !== null) onRetry(last, pause);
    });
    if (!hasTurn) return end(signal?.aborted ? "interrupted" : "throttled");
    const startedAt = clock.now();
    attempts += 1;
    const attempt = await send(left, attempts);
    last = attempt;
    const retryAfter = readRetryAfter(attempt, clock.now());
    limiter.release(attempt.kind === "response" ? attempt.status : null, retryAfter);
    mayHaveChanged ||= mayHaveEffect(kind, attempt);

    const decision = decideRetry(kind, attempt);
    if (decision === "done" && attempt.kind === "response")
      return { end: "done", attempt, mayHaveChanged, attempts };
    if (decision === "throttled") continue;
    const failed: Outcome = { end: "failed", attempt, mayHaveChanged, attempts };
    if (decision === "fail") return failed;

    const pause = Math.max(retryAfter ?? 0, backoff(failures, clock));
    failures += 1;
    left -= clock.now() - startedAt + pause;
    if (signal?.aborted) return end("interrupted");
    if (failures >= RETRY.attempts || left <= 0) return failed;
    onRetry(attempt, pause);
    await clock.sleep(pause, signal);
  }
}

/** Returns the pause after a failure: half of it random, so that clients do not return in step. */
function backoff(failures: number, clock: Clock): number {
  return ((RETRY.firstPause * 2 ** failures) / 2) * (1 + clock.random());
}

/** Reads `Retry-After` (RFC 9110, 10.2.3), seconds or a date, in milliseconds; `null` if there is none. */
function readRetryAfter(attempt: Attempt, now: number): number | null {
  // On a 2xx response it has no meaning, and must not delay reading a list again that was cut off.
  if (attempt.kind === "noResponse" || isSuccess(attempt.status)) return null;
  const value = attempt.headers["retry-after"];
  if (typeof value !== "string") return null;
  if (/^\d{1,10}$/.test(value)) return Number(value) * 1000;
  const pause = Date.parse(value) - now;
  return Number.isNaN(pause) ? null : Math.max(0, pause);
}
