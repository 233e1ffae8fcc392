import type { Attempt, HttpResponse } from "./attempt.js";
import type { OperationKind } from "./operations.js";
import type { Clock, RateLimiter } from "./rate-limiter.js";
import { nextAfter } from "./retry-table.js";
import { hadNoEffect, isBusy, isSuccess } from "./statuses.js";

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

function endingWith(kind: OperationKind, attempt: Attempt): Ending {
  if (attempt.kind === "noResponse" || !isSuccess(attempt.status)) return { end: "failed", attempt };
  // What a list lacks, nothing shows. Any other success is one without its body.
  return { end: kind === "read" && attempt.cutOff !== null ? "failed" : "done", attempt };
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
  /** Whether the server says that what it refuses to do is so already. */
  readonly isAlreadySo: (attempt: Attempt) => boolean;
  /** Called before each pause with the last attempt and the milliseconds. */
  readonly onRetry: (attempt: Attempt, pause: number) => void;
}

/** Sends as often as the policy allows. @param send Gets the milliseconds left, and the attempts so far. */
export async function withRetry(
  kind: OperationKind,
  { clock, limiter, timeout, signal, isAlreadySo, onRetry }: RetryContext,
  send: (left: number, earlier: readonly Attempt[]) => Promise<Attempt>,
): Promise<Outcome> {
  const attempts: Attempt[] = [];
  let left = timeout;
  let failures = 0;
  let isAlone = false;
  const outcome = (ending: Ending): Outcome => ({
    ...ending,
    mayHaveChanged: attempts.some((attempt) => mayHaveEffect(kind, attempt)),
    attempts: attempts.length,
  });

  for (;;) {
    const last = attempts.at(-1) ?? null;
    const turn = await limiter.acquire(kind, isAlone, (pause) => {
      if (last !== null) onRetry(last, pause);
    });
    if (turn === null) return outcome({ end: signal?.aborted ? "interrupted" : "throttled", attempt: last });
    const startedAt = clock.now();
    const attempt = await send(left, attempts);
    attempts.push(attempt);
    const retryAfter = readRetryAfter(attempt, clock.now());
    const status = attempt.kind === "response" ? attempt.status : null;
    limiter.release(turn, status, retryAfter);

    const { overlapped } = turn;
    const next = nextAfter(kind, { attempt, retryAfter, overlapped, isAlreadySo: isAlreadySo(attempt) });
    if (next === "end") return outcome(endingWith(kind, attempt));
    if (next === "together") continue;
    const pause = next === "alone" ? 0 : Math.max(retryAfter ?? 0, backoff(failures, clock));
    // What was refused next to others would be refused next to them again.
    isAlone = overlapped && isBusy(status);
    failures += 1;
    left -= clock.now() - startedAt + pause;
    if (signal?.aborted) return outcome({ end: "interrupted", attempt });
    if (failures >= MAX_ATTEMPTS || left <= 0) return outcome({ end: "failed", attempt });
    if (pause === 0) continue;
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
