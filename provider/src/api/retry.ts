import type { Effect } from "./errors.js";
import type { Gate } from "./gate.js";
import { isSuccess, type Exchange } from "./exchange.js";
import type { Operation } from "./operations.js";
import { backoff, judge, RETRY, retryAfter } from "./retry-policy.js";
import type { Timing } from "./timing.js";

/** How an operation ended after all its attempts. */
export interface Outcome {
  /** The last attempt. */
  readonly exchange: Exchange;
  /** Whether it is a success. */
  readonly succeeded: boolean;
  /** What all attempts together may have done on the server, if it is none. */
  readonly effect: Effect;
  /** Attempts sent, those answered with 429 included. */
  readonly attempts: number;
  /** Milliseconds that the server asked us to wait, where that was longer than there was time for. */
  readonly tooLongWait: number | null;
  /** Whether it ended because the process was told to stop. */
  readonly stopped: boolean;
}

/** What {@link withRetry} needs beside the attempt. */
export interface RetryContext {
  readonly timing: Timing;
  readonly gate: Gate;
  /** Milliseconds for all attempts and the waits between them. */
  readonly operationTimeout: number;
  /** When it is aborted, nothing more is sent and nothing is waited for. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Repeats an attempt as the policy allows, within the deadline.
 *
 * @param attempt Sends the request once; is told how many milliseconds remain.
 */
export async function withRetry(
  operation: Operation,
  { timing, gate, operationTimeout, signal }: RetryContext,
  attempt: (remaining: number) => Promise<Exchange>,
): Promise<Outcome> {
  const startedAt = timing.now();
  let deadline = startedAt + operationTimeout;
  let attempts = 0;
  let counted = 0;
  let effect: Effect = "none";
  let exchange: Exchange = NOT_SENT;

  for (;;) {
    const queuedAt = timing.now();
    const asked = await gate.enter(deadline - queuedAt);
    deadline += timing.now() - queuedAt;
    const outcome = { exchange, succeeded: false, effect, attempts, tooLongWait: null };
    try {
      if (signal?.aborted) return { ...outcome, stopped: true };
      if (asked !== null) return { ...outcome, tooLongWait: asked, stopped: false };
      exchange = await attempt(deadline - timing.now());
    } finally {
      gate.leave();
    }
    attempts += 1;
    if (mayHaveChanged(operation, exchange)) effect = "possible";

    const verdict = judge(operation, exchange);
    const hint = retryAfter(exchange, timing.now());
    if (verdict === "throttled") gate.throttled(hint);
    else if (exchange.kind === "answered") gate.passed();

    const succeeded = verdict === "done";
    const stopped = exchange.kind === "unanswered" && exchange.reason === "stopped";
    const end = (tooLongWait: number | null): Outcome => {
      return { exchange, succeeded, effect, attempts, tooLongWait, stopped };
    };
    if (succeeded || stopped || verdict === "fail") return end(null);

    const now = timing.now();
    if (hint !== null && now + hint > deadline) return end(hint);
    if (verdict === "throttled") {
      // Waiting at the gate is free of charge, so something else must end it: nobody at all got through for so long.
      if (now - Math.max(startedAt, gate.progressAt) > operationTimeout) return end(null);
      continue;
    }
    counted += 1;
    const wait = hint ?? backoff(counted, () => timing.random());
    if (counted >= RETRY.attempts || now + wait >= deadline) return end(null);
    await timing.sleep(wait, signal);
  }
}

/** What there is to say of an operation that was stopped before its first attempt. */
const NOT_SENT: Exchange = { kind: "unanswered", sent: false, reason: "stopped", code: "STOPPED" };

/**
 * Whether an attempt that failed may have had an effect all the same. A status of 4xx says that the server refused; 408
 * says only that it gave up, 5xx that it broke, and a redirect may follow a creation (303).
 */
function mayHaveChanged(operation: Operation, exchange: Exchange): boolean {
  if (operation === "listWebhooks") return false;
  if (exchange.kind === "unanswered") return exchange.sent;
  const { status } = exchange;
  return isSuccess(status) || status === 408 || status < 400 || status >= 500;
}
