import type { Attempt, HttpResponse } from "./attempt.js";
import { permanentCause } from "./connection-errors.js";
import type { OperationKind } from "./operations.js";
import type { Clock, RateLimiter } from "./rate-limiter.js";
import { hadNoEffect, isSuccess, isTemporary, isThrottled } from "./statuses.js";

/** The maximum number of attempts, without those that return 429. */
const MAX_ATTEMPTS = 6;
/** The maximum pause before the second attempt, in milliseconds. It doubles for each further attempt. */
const FIRST_PAUSE = 500;

/** How an operation ended after all its attempts. */
export type Outcome = Ending & {
  /** Whether any attempt may have changed something at the service. */
  readonly mayHaveChanged: boolean;
  /** The number of attempts, including those that returned 429. */
  readonly attempts: number;
};

type Ending =
  | { readonly end: "done"; readonly attempt: HttpResponse }
  | { readonly end: "failed"; readonly attempt: Attempt }
  /** `attempt`: the last one, if there was any. */
  | { readonly end: "interrupted" | "throttled"; readonly attempt: Attempt | null };

/**
 * Decides what follows an attempt: the end, a retry, or after a 429 a retry as soon as the rate limit allows
 * it. A creation is repeated only if it certainly had no effect: a second key is worse than an error.
 */
function decideRetry(kind: OperationKind, attempt: Attempt): Ending | "retry" | "waitForLimit" {
  const failed: Ending = { end: "failed", attempt };
  if (attempt.kind === "noResponse") {
    const mayPass = permanentCause(attempt.code) === null;
    return mayPass && !(kind === "create" && attempt.sent) ? "retry" : failed;
  }
  const { status, cutOff } = attempt;
  if (isSuccess(status)) {
    if (kind !== "read" || cutOff === null) return { end: "done", attempt };
    return cutOff === "limit" ? failed : "retry";
  }
  if (isThrottled(status)) return "waitForLimit";
  if (kind === "create") return failed;
  // After a 500, a change may have failed halfway.
  return isTemporary(status) || (kind === "read" && status === 500) ? "retry" : failed;
}

function mayHaveEffect(kind: OperationKind, attempt: Attempt): boolean {
  if (kind === "read") return false;
  return attempt.kind === "response" ? !hadNoEffect(attempt.status) : attempt.sent;
}

interface RetryContext {
  readonly clock: Clock;
  readonly limiter: RateLimiter;
  /** Milliseconds for attempts and the pauses between them, without what a 429 or the queue takes. */
  readonly timeout: number;
  readonly signal?: AbortSignal | undefined;
  /** Called before each retry with the last attempt and the pause in milliseconds. */
  readonly onRetry: (attempt: Attempt, pause: number) => void;
}

/** Sends as often as the policy allows. @param send Gets the milliseconds left, and the attempts so far. */
export async function withRetry(
  kind: OperationKind,
  { clock, limiter, timeout, signal, onRetry }: RetryContext,
  send: (left: number, earlier: readonly Attempt[]) => Promise<Attempt>,
): Promise<Outcome> {
  const attempts: Attempt[] = [];
  let left = timeout;
  let failures = 0;
  const outcome = (ending: Ending): Outcome => ({
    ...ending,
    mayHaveChanged: attempts.some((attempt) => mayHaveEffect(kind, attempt)),
    attempts: attempts.length,
  });

  for (;;) {
    const last = attempts.at(-1) ?? null;
    const hasTurn = await limiter.acquire((pause) => {
      if (last !== null) onRetry(last, pause);
    });
    if (!hasTurn) return outcome({ end: signal?.aborted ? "interrupted" : "throttled", attempt: last });
    const startedAt = clock.now();
    const attempt = await send(left, attempts);
    attempts.push(attempt);
    const retryAfter = readRetryAfter(attempt, clock.now());
    limiter.release(attempt.kind === "response" ? attempt.status : null, retryAfter);

    const decision = decideRetry(kind, attempt);
    if (decision === "waitForLimit") continue; // It costs no attempt and no time.
    if (decision !== "retry") return outcome(decision);
    const pause = Math.max(retryAfter ?? 0, backoff(failures, clock));
    failures += 1;
    left -= clock.now() - startedAt + pause;
    if (signal?.aborted) return outcome({ end: "interrupted", attempt });
    if (failures >= MAX_ATTEMPTS || left <= 0) return outcome({ end: "failed", attempt });
    onRetry(attempt, pause);
    await clock.sleep(pause, signal);
  }
}

/** Returns the pause after a failure: half of it random, so that clients do not return in step. */
function backoff(failures: number, clock: Clock): number {
  return ((FIRST_PAUSE * 2 ** failures) / 2) * (1 + clock.random());
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
