/** The retry policy and the rate limit, on a simulated clock. */
import { setImmediate as turn } from "node:timers/promises";
import { describe, expect, it } from "vitest";

import type { Attempt } from "../../../provider/src/partner-api/attempt.ts";
import type { OperationKind } from "../../../provider/src/partner-api/operations.ts";
import { RateLimiter, type Clock } from "../../../provider/src/partner-api/rate-limiter.ts";
import {
  decideRetry,
  mayHaveTakenEffect,
  withRetry,
  type Outcome,
} from "../../../provider/src/partner-api/retry.ts";
import { runSeed, seededRandom } from "../../support/random.ts";

const KINDS = ["read", "change", "create"] as const satisfies readonly OperationKind[];
const MINUTE = 60_000;

function response(status: number, retryAfter?: string, cutOff: "limit" | "break" | null = null): Attempt {
  const headers = { "retry-after": retryAfter };
  return { kind: "response", status, headers, body: Buffer.alloc(0), cutOff };
}

function noResponse(sent: boolean, reason: "timeout" | "connection" = "connection"): Attempt {
  return { kind: "noResponse", sent, reason, code: "ECONNRESET" };
}

// Each row: what follows for a read, a change and a creation; whether a change may have taken effect.
it.each<[what: string, attempt: Attempt, read: string, change: string, create: string, effect: boolean]>([
  ["200", response(200), "done", "done", "done", true],
  ["204", response(204), "done", "done", "done", true],
  ["200, cut off", response(200, undefined, "break"), "retry", "done", "done", true],
  ["200, too long", response(200, undefined, "limit"), "fail", "done", "done", true],
  ["301", response(301), "fail", "fail", "fail", true],
  ["400", response(400), "fail", "fail", "fail", false],
  ["401", response(401), "fail", "fail", "fail", false],
  ["404", response(404), "fail", "fail", "fail", false],
  ["408", response(408), "retry", "retry", "fail", true],
  ["409", response(409), "fail", "fail", "fail", false],
  ["429", response(429), "throttled", "throttled", "throttled", false],
  ["500", response(500), "retry", "fail", "fail", true],
  ["501", response(501), "fail", "fail", "fail", false],
  ["502", response(502), "retry", "retry", "fail", true],
  ["503", response(503), "retry", "retry", "fail", true],
  ["504", response(504), "retry", "retry", "fail", true],
  ["no connection", noResponse(false), "retry", "retry", "retry", false],
  ["a break after sending", noResponse(true), "retry", "retry", "fail", true],
  ["a timeout while connecting", noResponse(false, "timeout"), "retry", "retry", "retry", false],
  ["a timeout after sending", noResponse(true, "timeout"), "retry", "retry", "fail", true],
])("after %s", (_what, attempt, read, change, create, effect) => {
  expect(KINDS.map((kind) => decideRetry(kind, attempt))).toEqual([read, change, create]);
  expect(KINDS.map((kind) => mayHaveTakenEffect(kind, attempt))).toEqual([false, effect, effect]);
});

/** A clock that advances to the next alarm as soon as all work waits. */
class SimulatedClock implements Clock {
  readonly random: () => number;
  #now = 0;
  #alarms: { readonly at: number; readonly wake: () => void }[] = [];

  constructor(random = () => 0.5) {
    this.random = random;
  }

  now(): number {
    return this.#now;
  }

  sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
    return new Promise((wake) => {
      this.#alarms.push({ at: this.#now + milliseconds, wake });
      signal?.addEventListener("abort", () => {
        wake();
      });
    });
  }

  /** Advances until the promise is settled. */
  async run<T>(work: Promise<T>): Promise<T> {
    const state = { isSettled: false };
    void work.finally(() => (state.isSettled = true)).catch(() => undefined);
    for (;;) {
      // The rate limiter starts queued requests in the next turn of the event loop.
      for (let turns = 0; turns < (this.#alarms.length > 0 ? 3 : 100); turns++) await turn();
      if (state.isSettled) return work;
      this.#alarms.sort((a, b) => a.at - b.at);
      const next = this.#alarms.shift();
      if (!next) throw new Error("deadlock: everything waits, and no alarm is set");
      this.#now = Math.max(this.#now, next.at);
      next.wake();
    }
  }
}

interface Run {
  readonly outcome: Outcome;
  /** When each attempt began, in milliseconds. */
  readonly times: readonly number[];
  /** The pauses that were announced. */
  readonly announced: readonly number[];
}

/**
 * Performs one operation whose attempts end in turn as given; the last one repeats.
 *
 * @param stop Aborts during the first pause.
 */
async function runOperation(
  kind: OperationKind,
  attempts: readonly Attempt[],
  options: { timeout?: number; duration?: number; stop?: AbortController } = {},
): Promise<Run> {
  const { timeout = 2 * MINUTE, duration = 0, stop } = options;
  const signal = stop?.signal;
  const clock = new SimulatedClock();
  const [times, announced]: [number[], number[]] = [[], []];
  const onRetry = (_attempt: Attempt, pause: number): void => {
    announced.push(pause);
    setImmediate(() => stop?.abort());
  };
  const context = { clock, limiter: new RateLimiter(clock, signal), timeout, signal, onRetry };
  const send = async (_left: number, count: number): Promise<Attempt> => {
    times.push(clock.now());
    if (duration > 0) await clock.sleep(duration);
    return attempts[Math.min(count, attempts.length) - 1] ?? noResponse(false);
  };
  const outcome = await clock.run(withRetry(kind, context, send));
  return { outcome, times, announced };
}

const differences = (times: readonly number[]): number[] =>
  times.slice(1).map((time, index) => time - (times[index] ?? 0));

describe("the pauses of a read", () => {
  it("double from 0.5 s for six attempts, and are announced as they are", async () => {
    const { outcome, times, announced } = await runOperation("read", [response(503)]);
    expect(outcome).toMatchObject({ end: "failed", attempts: 6, effect: "none" });
    expect(announced).toEqual([375, 750, 1500, 3000, 6000]); // Half fixed, half random.
    expect(differences(times)).toEqual(announced);
  });

  it.each<[what: string, retryAfter: string, pause: number]>([
    ["seconds", "7", 7_000],
    ["less than the own pause", "0", 375],
    ["a past date", "Thu, 01 Jan 1960 00:00:00 GMT", 375],
    ["nonsense", "soon", 375],
  ])("obey Retry-After: %s", async (_what, retryAfter, pause) => {
    const { times } = await runOperation("read", [response(503, retryAfter), response(200)]);
    expect(times).toEqual([0, pause]);
  });

  it("obey a date in Retry-After by the own clock", async () => {
    const responses = [response(503, "7"), response(503, "Thu, 01 Jan 1970 00:00:20 GMT"), response(200)];
    const { times } = await runOperation("read", responses);
    expect(times).toEqual([0, 7_000, 20_000]);
  });

  it("ignore a Retry-After that goes beyond the end of the operation, which fails at once", async () => {
    const { outcome, times } = await runOperation("read", [response(503, "3600")]);
    expect([outcome.end, times]).toEqual(["failed", [0]]);
  });

  it("end with the time of the operation", async () => {
    const { outcome, times } = await runOperation("read", [noResponse(true, "timeout")], {
      duration: 30_000,
    });
    expect(outcome).toMatchObject({ end: "failed", attempts: 4 });
    expect(times.at(-1)).toBeLessThan(2 * MINUTE);
  });
});

it("a possible effect of an earlier attempt outlasts a refusal", async () => {
  const { outcome } = await runOperation("change", [noResponse(true), response(404)]);
  expect(outcome).toMatchObject({ end: "failed", attempts: 2, effect: "possible", attempt: { status: 404 } });
});

it.each([response(503, "60"), response(429, "60")])(
  "an abort ends the pause before a retry",
  async (attempt) => {
    const { outcome } = await runOperation("change", [attempt], { stop: new AbortController() });
    expect(outcome).toMatchObject({ end: "interrupted", attempts: 1 });
  },
);

it("an abort during the last attempt is an interruption, too", async () => {
  const stop = new AbortController();
  const clock = new SimulatedClock();
  const limiter = new RateLimiter(clock, stop.signal);
  const context = { clock, limiter, timeout: 1, signal: stop.signal, onRetry: () => undefined };
  const outcome = await withRetry("change", context, () => {
    stop.abort();
    return Promise.resolve(noResponse(true));
  });
  expect(outcome).toMatchObject({ end: "interrupted", attempts: 1, effect: "possible" });
});

describe("after a 429", () => {
  const refused = response(429);
  const ok = response(200);

  it("the pause doubles from 1 s to 60 s, does not count as time, and is announced", async () => {
    const attempts = [...Array<Attempt>(7).fill(refused), ok];
    const { outcome, announced, times } = await runOperation("create", attempts, { timeout: 1_000 });
    expect(outcome).toMatchObject({ end: "done", attempts: 8 });
    // A quarter longer, because half of a second half is random.
    expect(announced).toEqual([1.25, 2.5, 5, 10, 20, 40, 75].map((seconds) => seconds * 1000));
    expect(differences(times)).toEqual(announced);
  });

  it.each([1, 60, 120])("the pause obeys Retry-After: %d s", async (seconds) => {
    const { times } = await runOperation("create", [response(429, String(seconds)), ok]);
    expect(times).toEqual([0, Math.max(1.25, seconds) * 1000]);
  });

  it("a pause is announced once, although a timer fires early", async () => {
    let now = 0;
    const announced: number[] = [];
    const sleep = (milliseconds: number): Promise<void> => {
      now += milliseconds - 1;
      return Promise.resolve();
    };
    const limiter = new RateLimiter({ now: () => now, random: () => 0, sleep });
    await limiter.acquire(() => undefined);
    limiter.release(429, null);
    await limiter.acquire((pause) => void announced.push(pause));
    expect(announced).toEqual([1_000]);
  });

  it("the operation ends if nothing has succeeded for two minutes", async () => {
    const { outcome, times } = await runOperation("create", [refused]);
    expect(outcome).toMatchObject({ end: "throttled", effect: "none" });
    expect(times.at(-1)).toBeGreaterThanOrEqual(2 * MINUTE);
    expect(times.at(-1)).toBeLessThan(3 * MINUTE);
  });

  it("the operation ends at once if the server asks for more than two minutes", async () => {
    const { outcome } = await runOperation("create", [response(429, "3600")]);
    expect(outcome).toMatchObject({ end: "throttled", attempts: 1 });
  });
});

/** Whether a server accepts a request at a time. */
type Limit = (now: number) => boolean;

const LIMITS: Readonly<Record<string, () => Limit>> = {
  "20 in any minute": () => slidingWindow(20, MINUTE),
  "20 in each minute of the clock": () => {
    const counts = new Map<number, number>();
    return (now) => {
      const window = Math.floor((now + 20_000) / MINUTE);
      counts.set(window, (counts.get(window) ?? 0) + 1);
      return (counts.get(window) ?? 0) <= 20;
    };
  },
  "10 in any second": () => slidingWindow(10, 1_000),
};

function slidingWindow(count: number, length: number): Limit {
  let accepted: number[] = [];
  return (now) => {
    accepted = accepted.filter((time) => time > now - length);
    if (accepted.length >= count) return false;
    accepted.push(now);
    return true;
  };
}

/** Performs operations at a server that refuses without `Retry-After` what its limit does not allow. */
async function simulate(kinds: readonly OperationKind[], limit: Limit, latency: () => number) {
  const clock = new SimulatedClock(random);
  const limiter = new RateLimiter(clock);
  const times: number[] = [];
  let [inFlight, most] = [0, 0];
  const send = async (): Promise<Attempt> => {
    times.push(clock.now());
    most = Math.max(most, ++inFlight);
    const isAccepted = limit(clock.now());
    await clock.sleep(latency());
    inFlight -= 1;
    return response(isAccepted ? 200 : 429);
  };
  const context = { clock, limiter, timeout: 2 * MINUTE, onRetry: () => undefined };
  const outcomes = await clock.run(Promise.all(kinds.map((kind) => withRetry(kind, context, send))));
  const done = outcomes.filter(({ end }) => end === "done").length;
  return { done, most, times, perSuccess: times.length / done, minutes: clock.now() / MINUTE };
}

const random = seededRandom(runSeed());

describe("60 webhooks and 3 keys all end well, with at most 1.6 requests for each success", () => {
  const kinds = [...Array<OperationKind>(60).fill("change"), ...Array<OperationKind>(3).fill("create")];
  const cases = Object.keys(LIMITS).flatMap((limit) => [
    [limit, "always 50 ms", () => 50],
    [limit, "50 to 250 ms", () => 50 + random() * 200],
  ]) as [string, string, () => number][];
  it.each(cases)("at %s, %s for a response", async (limit, _latency, latency) => {
    const run = await simulate(kinds, (LIMITS[limit] ?? (() => () => true))(), latency);
    expect(run.done).toBe(63);
    expect(run.perSuccess).toBeLessThanOrEqual(1.6);
    expect(run.most).toBe(16);
    expect(run.minutes).toBeLessThan(5);
  });
});

it("one request begins again after a 429, and the others wait until it has succeeded", async () => {
  const kinds = Array<OperationKind>(40).fill("change");
  const { times } = await simulate(kinds, slidingWindow(20, MINUTE), () => 50);
  const probes = times.filter((time) => time > 500 && time < MINUTE);
  expect(probes.length).toBeLessThanOrEqual(6);
  expect(probes[0]).toBeLessThan(2_000); // The 429s of a burst count as one.
  expect(new Set(probes).size).toBe(probes.length);
});

it("a server that refuses everything ends 50 operations after few requests", async () => {
  const { done, times, minutes } = await simulate(
    Array<OperationKind>(50).fill("change"),
    () => false,
    () => 50,
  );
  expect(done).toBe(0);
  expect(times.length).toBeLessThanOrEqual(25);
  expect(minutes).toBeLessThan(5);
});

it("an abort ends all waits for a turn, and nothing more is sent", async () => {
  const stop = new AbortController();
  const clock = new SimulatedClock();
  const limiter = new RateLimiter(clock, stop.signal);
  const turns = Array.from({ length: 20 }, () => limiter.acquire(() => undefined));
  await turn();
  stop.abort();
  const results = await Promise.all(turns);
  expect(results.filter((hasTurn) => hasTurn)).toHaveLength(16);
  limiter.release(429, null);
  expect(await limiter.acquire(() => undefined)).toBe(false);
});
