import { isWebPage } from "../json.js";
import type { Effect, FailureCause } from "./errors.js";
import { BODY_LIMIT, isSuccess, readHttpDate, type Attempt, type HttpResponse } from "./http.js";
import { OPERATIONS, type Operation, type OperationKind } from "./operations.js";
import type { Clock, RateLimiter } from "./rate-limiter.js";

/**
 * The retry policy. Attempts, base and full jitter follow "Exponential Backoff And Jitter" (AWS Architecture
 * Blog, 2015). The cap keeps the last delay below a tenth of the default `operationTimeout`.
 */
const RETRY = {
  /** The maximum number of attempts, including the first. Attempts that return 429 do not count. */
  attempts: 4,
  /** The maximum number of attempts of one operation that return 429, even if others succeed meanwhile. */
  throttledAttempts: 30,
  /** The maximum delay before the second attempt, in milliseconds. It doubles for each further attempt. */
  baseDelay: 200,
  /** The maximum delay in milliseconds, unless the server asks for more with `Retry-After`. */
  maxDelay: 10_000,
  /**
   * Reads and changes are retried after these statuses: request timeout, bad gateway, unavailable, gateway
   * timeout.
   */
  statuses: [408, 502, 503, 504],
  /** Only reads are retried after these statuses, because a change may have failed halfway. */
  readStatuses: [500],
  /** The deletion of a new object is also retried after these: a replica may not know the object yet. */
  newStatuses: [404],
} as const;

/** Milliseconds that a timer of Node may fire early, because it rounds. */
const TIMER_ERROR = 2;

/** What follows an attempt: success, failure, a retry, or a retry as soon as the rate limit allows it. */
type RetryDecision = "done" | "fail" | "retry" | "throttled";

/**
 * Decides what follows. A creation is retried only if it certainly had no effect: a second key is worse than
 * an error.
 */
function decideRetry(kind: OperationKind, attempt: Attempt, isNew: boolean): RetryDecision {
  if (attempt.kind === "noResponse") return kind === "create" && attempt.sent ? "fail" : "retry";
  const { status, cutOff } = attempt;
  if (isSuccess(status)) {
    if (kind !== "read" || cutOff === null) return "done";
    return cutOff === "limit" ? "fail" : "retry";
  }
  // rate-limiter.ts makes all requests wait. Refused, so even a creation is repeated.
  if (status === 429) return "throttled";
  if (kind === "create") return "fail";
  const statuses: readonly number[] = [
    ...RETRY.statuses,
    ...(kind === "read" ? RETRY.readStatuses : []),
    ...(isNew ? RETRY.newStatuses : []),
  ];
  return statuses.includes(status) ? "retry" : "fail";
}

/**
 * Whether an attempt may have taken effect. After 2xx it may have, although the body can still report a
 * failure. After 4xx, except 408, and after 501 (RFC 9110, 15.6.2), the server refused. After 408 and any
 * other 5xx, the outcome is unknown, and a redirect may follow a creation (303).
 */
function mayHaveTakenEffect(kind: OperationKind, attempt: Attempt): boolean {
  if (kind === "read") return false;
  if (attempt.kind === "noResponse") return attempt.sent;
  const { status } = attempt;
  return status === 408 || status < 400 || (status >= 500 && status !== 501);
}

/** Whether the deadline ended an attempt, which then tells nothing about the server. */
function isCutShort(attempt: Attempt, timeLeft: number): boolean {
  return attempt.kind === "noResponse" && attempt.reason === "timeout" && timeLeft <= TIMER_ERROR;
}

/** How an operation ended after all its attempts. */
export type Outcome = {
  /** The effect of all attempts together. */
  readonly effect: Effect;
  /** The number of attempts, including those that returned 429. */
  readonly attempts: number;
} &
  /** `timeLeft`: milliseconds until the deadline. */
  (
    | { readonly cause: null; readonly response: HttpResponse; readonly timeLeft: number }
    /** It failed. `response` is that of the last attempt. */
    | { readonly cause: FailureCause; readonly response: HttpResponse | null }
  );

interface RetryContext {
  readonly clock: Clock;
  readonly limiter: RateLimiter;
  /** Milliseconds. Of the time at the rate limiter, only what {@link RateLimiter.acquire} returns counts. */
  readonly operationTimeout: number;
  readonly signal?: AbortSignal | undefined;
  /**
   * Whether the call of the engine has no time left. For this, time spent waiting at the rate limiter counts.
   */
  readonly isOver?: () => boolean;
  /** Whether the operation deletes an object that was created a moment ago. @default false */
  readonly isNew?: boolean;
  /** Called before each retry with the last attempt and the delay in milliseconds. */
  readonly onRetry?: (attempt: Attempt, delay: number) => void;
}

/**
 * Repeats an attempt as the retry policy allows, until the deadline.
 *
 * @param send Sends the request once. Receives the milliseconds left until the deadline, and the number of
 * the attempt.
 */
export async function withRetry(
  operation: Operation,
  { clock, limiter, operationTimeout, signal, isOver, isNew = false, onRetry }: RetryContext,
  send: (remaining: number, count: number) => Promise<Attempt>,
): Promise<Outcome> {
  const { kind } = OPERATIONS[operation];
  let deadline = clock.now() + operationTimeout;
  let attempts = 0;
  let failures = 0;
  let throttled = 0;
  let effect: Effect = "none";
  let last: Attempt | null = null;
  let response: HttpResponse | null = null;
  const failed = (cause: FailureCause): Outcome => ({ cause, response, effect, attempts });

  if (operationTimeout <= 0) return failed({ kind: "outOfTime" });
  for (;;) {
    const queuedAt = clock.now();
    const counted = await limiter.acquire(operation, deadline - queuedAt);
    if (counted === null) {
      // Without a pause, no 429 is the reason: the delay before this attempt took longer than asked for.
      if (last !== null && limiter.pausedFor(operation) === 0) return failed(causeOf(last));
      return failed(throttledCause(operation, limiter));
    }
    deadline += clock.now() - queuedAt - counted;
    let attempt: Attempt;
    try {
      if (signal?.aborted) return failed({ kind: "interrupted" });
      if (isOver?.()) return failed({ kind: "outOfTime" });
      attempts += 1;
      attempt = await send(deadline - clock.now(), attempts);
    } finally {
      limiter.release();
    }
    const mayHaveChanged = mayHaveTakenEffect(kind, attempt);
    if (mayHaveChanged) effect = "possible";
    // The attempt before says what is wrong, unless it had no effect and this one may have.
    if (last !== null && isCutShort(attempt, deadline - clock.now()))
      if (!mayHaveChanged || mayHaveTakenEffect(kind, last)) return failed(causeOf(last));
    last = attempt;
    response = attempt.kind === "response" ? attempt : null;

    const decision = decideRetry(kind, attempt, isNew);
    const retryAfter = readRetryAfter(attempt, clock.now());
    if (decision === "throttled") limiter.throttled(operation, retryAfter);
    else if (response) limiter.succeeded(operation);

    if (decision === "done" && response)
      return { cause: null, response, effect, attempts, timeLeft: deadline - clock.now() };
    if (decision === "fail") return failed(causeOf(attempt));
    if (signal?.aborted) return failed({ kind: "interrupted" });

    const now = clock.now();
    if (retryAfter !== null && response && now + retryAfter > deadline)
      return failed({ kind: "throttled", status: response.status, wait: retryAfter });
    if (decision === "throttled") {
      throttled += 1;
      if (throttled >= RETRY.throttledAttempts) return failed(throttledCause(operation, limiter));
      onRetry?.(attempt, limiter.pausedFor(operation));
      continue;
    }
    failures += 1;
    const bound = Math.min(RETRY.maxDelay, RETRY.baseDelay * 2 ** (failures - 1));
    const delay = retryAfter ?? clock.random() * bound;
    if (failures >= RETRY.attempts || now + delay >= deadline) return failed(causeOf(attempt));
    onRetry?.(attempt, delay);
    await clock.sleep(delay, signal);
  }
}

/** The cause of an operation that a 429, its own or another one's, keeps from being sent. */
function throttledCause(operation: Operation, limiter: RateLimiter): FailureCause {
  return { kind: "throttled", status: 429, wait: limiter.pausedFor(operation) };
}

function causeOf(attempt: Attempt): FailureCause {
  if (attempt.kind === "response") {
    const { status, cutOff, headers, body } = attempt;
    if (!isSuccess(status))
      return {
        kind: "status",
        status,
        ...(isWebPage(body.toString("utf8", 0, 4096)) && { isWebPage: true }),
      };
    if (cutOff !== "limit") return { kind: "cutOff" };
    const size = Number(headers["content-length"]); // Of the encoded body, which may be smaller.
    return { kind: "tooLarge", limit: BODY_LIMIT, size: size > BODY_LIMIT ? size : null };
  }
  const { reason, code, sent } = attempt;
  return reason === "timeout" ? { kind: "timeout", sent } : { kind: "connection", code };
}

/**
 * Reads `Retry-After` (RFC 9110, 10.2.3), seconds or a date, as milliseconds to wait; `null` if missing or
 * unreadable.
 */
function readRetryAfter(attempt: Attempt, now: number): number | null {
  // On a 2xx response it has no meaning, and must not delay reading a list again that was cut off.
  if (attempt.kind === "noResponse" || isSuccess(attempt.status)) return null;
  const value = attempt.headers["retry-after"];
  if (typeof value !== "string") return null;
  if (/^\d{1,10}$/.test(value)) return Number(value) * 1000;
  const time = readHttpDate(value);
  const sentAt = readHttpDate(attempt.headers["date"]); // The server's clock may differ from ours.
  return time === null ? null : Math.max(0, time - (sentAt ?? now));
}
