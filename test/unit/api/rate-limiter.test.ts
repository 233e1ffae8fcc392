import { setImmediate as turn } from "node:timers/promises";
import { describe, expect, it } from "vitest";

import type { Attempt } from "../../../provider/src/api/http.js";
import type { Operation } from "../../../provider/src/api/operations.js";
import { RateLimiter, type Clock } from "../../../provider/src/api/rate-limiter.js";
import { withRetry } from "../../../provider/src/api/retry.js";

/** Milliseconds between the start of a request and its response. */
const LATENCY = 50;

/** A clock that advances to the next alarm as soon as all work waits. */
class SimulatedClock implements Clock {
  #now = 0;
  #alarms: { readonly at: number; readonly wake: () => void }[] = [];

  now(): number {
    return this.#now;
  }

  random(): number {
    return 0.5;
  }

  sleep(milliseconds: number): Promise<void> {
    return new Promise((wake) => this.#alarms.push({ at: this.#now + milliseconds, wake }));
  }

  /** Advances until the promise is settled. */
  async run<T>(work: Promise<T>): Promise<T> {
    const state = { isSettled: false };
    void work.finally(() => (state.isSettled = true)).catch(() => undefined);
    for (;;) {
      // The rate limiter starts queued requests in the next turn of the event loop. If all fail, each starts
      // the next one.
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

function response(status: number, headers: Record<string, string> = {}): Attempt {
  const body = Buffer.alloc(0);
  return { kind: "response", status, headers, body, cutOff: null, complete: true, undecoded: null };
}

interface Simulation {
  readonly requests: number;
  readonly maxConnections: number;
  /** The server's limit. 0: it refuses all requests. @default no limit */
  readonly perSecond?: number;
  /** Whether a 429 has `Retry-After`. @default false */
  readonly retryAfter?: boolean;
  readonly requestsPerSecond?: number;
  readonly operationTimeout?: number;
  /** What the requests are, in turn. @default changes */
  readonly operations?: readonly Operation[];
}

/** Sends requests through a limiter to a simulated server with a sliding window of one second. */
async function simulate(simulation: Simulation) {
  const { requests, maxConnections, perSecond = Infinity, operationTimeout = 120_000 } = simulation;
  const clock = new SimulatedClock();
  const limiter = new RateLimiter(clock, maxConnections, simulation.requestsPerSecond ?? null);
  const times: number[] = [];
  let accepted: number[] = [];
  let allowedAt = 0;
  let early = 0;
  let inFlight = 0;
  let most = 0;
  const send = async (remaining: number): Promise<Attempt> => {
    if (remaining < LATENCY) return { kind: "noResponse", sent: false, reason: "timeout", code: "" };
    const now = clock.now();
    times.push(now);
    if (now < allowedAt) early += 1;
    most = Math.max(most, ++inFlight);
    accepted = accepted.filter((time) => time > now - 1000);
    const isFull = accepted.length >= perSecond;
    const freeAt = (accepted[0] ?? now) + 1000;
    if (!isFull) accepted.push(now);
    await clock.sleep(LATENCY);
    inFlight -= 1;
    if (!isFull) return response(200);
    if (!simulation.retryAfter) return response(429);
    const seconds = Math.ceil((freeAt - now) / 1000) + 1; // Longer than the pause of our own.
    allowedAt = Math.max(allowedAt, clock.now() + seconds * 1000);
    return response(429, { "retry-after": String(seconds) });
  };
  const context = { clock, limiter, operationTimeout };
  const { operations = ["disableWebhook"] } = simulation;
  const all = Array.from({ length: requests }, (_, index) =>
    withRetry(operations[index % operations.length] ?? "disableWebhook", context, send),
  );
  const outcomes = await clock.run(Promise.all(all));
  const failed = outcomes.filter(({ cause }) => cause !== null).length;
  const mostAttempts = Math.max(...outcomes.map(({ attempts }) => attempts));
  return { failed, early, most, mostAttempts, times, sent: times.length, seconds: clock.now() / 1000 };
}

const cases = [4, 8, 16, 32, 64].flatMap((maxConnections) =>
  [true, false].map((retryAfter) => ({ maxConnections, retryAfter })),
);
it.each(cases)(
  "a server that allows 10 requests per second accepts 300 changes with at most 1.5 requests each: %j",
  async ({ maxConnections, retryAfter }) => {
    const run = await simulate({ requests: 300, maxConnections, perSecond: 10, retryAfter });
    expect(run).toMatchObject({ failed: 0, early: 0 });
    expect(run.sent / 300).toBeLessThanOrEqual(1.5);
    expect(run.most).toBeLessThanOrEqual(maxConnections);
    expect(run.seconds).toBeLessThan(80); // The minimum is 29, without the pauses.
  },
);

it("after a 429, half the connections are used until a minute has passed without another", async () => {
  const clock = new SimulatedClock();
  const limiter = new RateLimiter(clock, 8, null);
  /** Sends ten requests that succeed. @returns How many of them start without waiting for another one. */
  const concurrency = async (): Promise<number> => {
    let started = 0;
    const all = Array.from({ length: 10 }, async () => {
      await limiter.acquire("listWebhooks", 10_000);
      started += 1;
      await clock.sleep(LATENCY);
      limiter.release();
      limiter.succeeded("listWebhooks");
    });
    await turn();
    const first = started;
    await clock.run(Promise.all(all));
    return first;
  };
  expect(await concurrency()).toBe(8);
  limiter.throttled("listWebhooks", 1);
  await clock.run(clock.sleep(50_000));
  expect([await concurrency(), await concurrency()]).toEqual([4, 4]);
  await clock.run(clock.sleep(10_000));
  expect([await concurrency(), await concurrency()]).toEqual([4, 8]);
});

it("requestsPerSecond spaces all requests evenly, and the wait does not count against operationTimeout", async () => {
  const slow = { requests: 20, maxConnections: 8, requestsPerSecond: 10, operationTimeout: 500 };
  const { times, failed } = await simulate(slow);
  expect(failed).toBe(0);
  expect(times).toEqual(Array.from({ length: 20 }, (_, index) => index * 100));
});

it.each([
  { retryAfter: false, operationTimeout: 30_000, most: 150 },
  { retryAfter: true, operationTimeout: 30_000, most: 150 },
  { retryAfter: true, operationTimeout: 500, most: 16 }, // Retry-After is longer.
])("a server that returns only 429 fails all operations, after few requests: %j", async (options) => {
  const run = await simulate({ requests: 50, maxConnections: 16, perSecond: 0, ...options });
  expect(run.failed).toBe(50);
  expect(run.sent).toBeLessThanOrEqual(options.most);
  expect(run.seconds).toBeLessThan(90);
});

it.each([
  { maxConnections: 4, perSecond: 10 },
  { maxConnections: 64, perSecond: 10 },
  { maxConnections: 16, perSecond: 2 }, // Only the first two after each pause succeed.
])("operations of all kinds share such a limit, and none is starved: %j", async (limit) => {
  const operations = ["activateWebhook", "disableWebhook", "createApiKey", "deleteApiKey"] as const;
  const [mixed, alike] = [
    await simulate({ requests: 1000, ...limit, operations }),
    await simulate({ requests: 1000, ...limit }),
  ];
  expect([mixed.failed, alike.failed]).toEqual([0, 0]);
  expect(mixed.sent).toBeLessThanOrEqual(alike.sent * 1.05);
  expect(mixed.seconds).toBeLessThanOrEqual(alike.seconds * 1.05);
});

describe("a 429 that only one operation gets", () => {
  const [HOUR, TIMEOUT] = [3_600_000, 120_000];

  /** Sends an operation that the server always refuses, while workers send another one that succeeds. */
  async function refuse(operation: Operation, other: Operation, workers: number, retryAfter?: number) {
    const clock = new SimulatedClock();
    const limiter = new RateLimiter(clock, 8, null);
    const context = { clock, limiter, operationTimeout: TIMEOUT };
    const headers: Record<string, string> = retryAfter ? { "retry-after": String(retryAfter) } : {};
    const respond = async (status: number): Promise<Attempt> => {
      await clock.sleep(LATENCY);
      return response(status, status === 429 ? headers : {});
    };
    const end = { at: Infinity, others: 0 };
    const work = async (): Promise<void> => {
      for (; end.at === Infinity && clock.now() < HOUR; end.others += 1)
        await withRetry(other, context, () => respond(200));
    };
    const all = Promise.all(Array.from({ length: workers }, work));
    const outcome = await clock.run(
      withRetry(operation, context, () => respond(429)).finally(() => (end.at = clock.now())),
    );
    await clock.run(all);
    return { ...outcome, seconds: end.at / 1000, others: end.others };
  }

  it.each([
    [1, undefined],
    [4, undefined],
    [16, undefined],
    [4, 5],
    [4, 40],
  ])("ends it after a handful of attempts: %d workers, Retry-After: %j", async (workers, retryAfter) => {
    const run = await refuse("createApiKey", "listWebhooks", workers, retryAfter);
    expect(run).toMatchObject({ cause: { kind: "throttled", status: 429 }, effect: "none" });
    expect(run.attempts).toBeLessThanOrEqual(8);
    expect(run.seconds).toBeLessThan((TIMEOUT + 2 * (retryAfter ?? 1) * 1000) / 1000);
  });

  it("does not keep a connection from the others while it waits", async () => {
    const { others, seconds } = await refuse("createApiKey", "listWebhooks", 8);
    expect(others / seconds).toBeGreaterThan(15); // One connection sends 20 per second, without the pauses.
  });

  it("has a wait that an abort ends, although another operation has the only connection", async () => {
    const stop = new AbortController();
    const time = { now: 0 };
    const sleep = (_milliseconds: number, signal?: AbortSignal) =>
      new Promise<void>((resolve) => {
        signal?.addEventListener("abort", () => {
          resolve();
        });
      });
    const limiter = new RateLimiter({ now: () => time.now, random: () => 0, sleep }, 1, null, stop.signal);
    limiter.throttled("createApiKey", null);
    time.now = 1_000;
    limiter.succeeded("listWebhooks");
    limiter.throttled("createApiKey", null);
    time.now = 2_000; // The shared pause is over.
    expect(["createApiKey", "listWebhooks"].map((name) => limiter.pausedFor(name as Operation))).toEqual([
      1_000, 0,
    ]);
    const waiting = limiter.acquire("createApiKey", 10_000);
    await turn();
    await limiter.acquire("listWebhooks", 10_000);
    stop.abort();
    await waiting;
  });

  it("ends a change although the same change of other webhooks succeeds", async () => {
    const run = await refuse("disableWebhook", "disableWebhook", 4);
    expect(run.cause).toMatchObject({ kind: "throttled", status: 429 });
    expect(run.attempts).toBeLessThanOrEqual(30);
  });
});

it("an operation whose time ran out says what its last attempt said, and not that the server asked to wait", async () => {
  let now = 0;
  // As a timer that fires late.
  const sleep = (milliseconds: number): Promise<void> => {
    now += milliseconds + 5;
    return Promise.resolve();
  };
  const clock: Clock = { now: () => now, random: () => 0.99, sleep };
  const limiter = new RateLimiter(clock, 1, null);
  const outcome = await withRetry("listWebhooks", { clock, limiter, operationTimeout: 200 }, () =>
    Promise.resolve(response(503)),
  );
  expect(outcome).toMatchObject({ cause: { kind: "status", status: 503 }, attempts: 1 });
});

it("a 429 does not hide the timeout of a later attempt that may have created a key", async () => {
  const clock = new SimulatedClock();
  const limiter = new RateLimiter(clock, 1, null);
  const context = { clock, limiter, operationTimeout: 10_000 };
  const send = async (remaining: number, count: number): Promise<Attempt> => {
    if (count === 1) return response(429);
    await clock.sleep(remaining);
    return { kind: "noResponse", sent: true, reason: "timeout", code: "timeout" };
  };
  const outcome = await clock.run(withRetry("createApiKey", context, send));
  expect(outcome).toMatchObject({ cause: { kind: "timeout", sent: true }, effect: "possible", attempts: 2 });
});
