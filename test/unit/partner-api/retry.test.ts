/** The retry policy and the rate limit, on a simulated clock. */
import { setImmediate as turn } from "node:timers/promises";
import { expect, it } from "vitest";

import type { Attempt } from "../../../provider/src/partner-api/attempt.ts";
import type { OperationKind } from "../../../provider/src/partner-api/operations.ts";
import { RateLimiter, type Clock } from "../../../provider/src/partner-api/rate-limiter.ts";
import { withRetry } from "../../../provider/src/partner-api/retry.ts";
import { runSeed, seededRandom } from "../../support/random.ts";

const MINUTE = 60_000;
const SILENT = { isAlreadySo: () => false, onRetry: () => undefined };

function response(status: number, retryAfter?: string): Attempt {
  const headers = { "retry-after": retryAfter };
  return { kind: "response", status, headers, body: Buffer.alloc(0), text: "", cutOff: null };
}

function noResponse(sent: boolean): Attempt {
  return { kind: "noResponse", sent, reason: "connection", code: "ECONNRESET" };
}

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

/** Performs an operation whose attempts end as given; the last one repeats. `stop`: in the first pause. */
async function runOperation(
  kind: OperationKind,
  attempts: readonly Attempt[],
  options: { timeout?: number; duration?: number; stop?: AbortController } = {},
) {
  const { timeout = 2 * MINUTE, duration = 0, stop } = options;
  const signal = stop?.signal;
  const clock = new SimulatedClock();
  const [times, announced]: [number[], number[]] = [[], []];
  const onRetry = (_attempt: Attempt, pause: number): void => {
    announced.push(pause);
    setImmediate(() => stop?.abort());
  };
  const isAlreadySo = () => false;
  const context = { clock, limiter: new RateLimiter(clock, signal), timeout, signal, isAlreadySo, onRetry };
  const send = async (_left: number, earlier: readonly Attempt[]): Promise<Attempt> => {
    times.push(clock.now());
    if (duration > 0) await clock.sleep(duration);
    return attempts[earlier.length] ?? attempts.at(-1) ?? noResponse(false);
  };
  const outcome = await clock.run(withRetry(kind, context, send));
  return { outcome, times, announced, endedAt: clock.now() };
}

const differences = (times: readonly number[]): number[] =>
  times.slice(1).map((time, index) => time - (times[index] ?? 0));

it("the pauses of a read double from 0.5 s for six attempts, and are announced as they are", async () => {
  const { outcome, times, announced } = await runOperation("read", [response(503)]);
  expect(outcome).toMatchObject({ end: "failed", attempts: 6, mayHaveChanged: false });
  expect(announced).toEqual([375, 750, 1500, 3000, 6000]); // Half fixed, half random.
  expect(differences(times)).toEqual(announced);
});

it.each<[what: string, retryAfter: string, pause: number]>([
  ["seconds", "7", 7_000],
  ["less than the own pause", "0", 375],
  ["a past date", "Thu, 01 Jan 1960 00:00:00 GMT", 375],
  ["nonsense", "soon", 375],
])("the pauses of a read obey Retry-After: %s", async (_what, retryAfter, pause) => {
  const { times } = await runOperation("read", [response(503, retryAfter), response(200)]);
  expect(times).toEqual([0, pause]);
});

it("the pauses of a read obey a date in Retry-After by the own clock", async () => {
  const responses = [response(503, "7"), response(503, "Thu, 01 Jan 1970 00:00:20 GMT"), response(200)];
  const { times } = await runOperation("read", responses);
  expect(times).toEqual([0, 7_000, 20_000]);
});

it("a read whose Retry-After goes beyond the end of the operation fails at once", async () => {
  const { outcome, times } = await runOperation("read", [response(503, "3600")]);
  expect([outcome.end, times]).toEqual(["failed", [0]]);
});

it("the pauses of a read end with the time of the operation", async () => {
  const { outcome, times } = await runOperation("read", [noResponse(true)], { duration: 30_000 });
  expect(outcome).toMatchObject({ end: "failed", attempts: 4 });
  expect(times.at(-1)).toBeLessThan(2 * MINUTE);
});

it.each<OperationKind>(["create", "change", "read"])(
  "a %s waits alone as long as a refusal says, six times, within the time of the operation",
  async (kind) => {
    const passing = [response(403, "3"), response(425, "0"), response(409, "2"), response(423, "20")];
    const { outcome, times, announced } = await runOperation(kind, [...passing, response(200)]);
    expect(outcome).toMatchObject({ end: "done", attempts: 5 });
    expect(announced).toEqual([3_000, 750, 2_000, 20_000]);
    expect(differences(times)).toEqual(announced);
    const lasting = await runOperation(kind, [response(403, "1")]);
    expect(lasting.outcome).toMatchObject({ end: "failed", attempts: 6 });
    const long = await runOperation(kind, [response(403, "3600")]);
    expect([long.outcome.end, long.times]).toEqual(["failed", [0]]);
  },
);

it("a 403 with Retry-After lets other requests go on", async () => {
  const clock = new SimulatedClock();
  const limiter = new RateLimiter(clock);
  const context = { ...SILENT, clock, limiter, timeout: MINUTE };
  const refused = withRetry("change", context, (_left, earlier) =>
    Promise.resolve(earlier.length === 0 ? response(403, "30") : response(200)),
  );
  const other = withRetry("change", context, () => Promise.resolve(response(200))).then(() => clock.now());
  expect(await clock.run(Promise.all([refused, other]))).toMatchObject([{ attempts: 2 }, 0]);
});

it("a possible effect of an earlier attempt outlasts a refusal", async () => {
  const { outcome } = await runOperation("change", [noResponse(true), response(404)]);
  expect(outcome).toMatchObject({
    end: "failed",
    attempts: 2,
    mayHaveChanged: true,
    attempt: { status: 404 },
  });
});

it.each([503, 429])("an abort ends the pause after a %i", async (status) => {
  const stop = new AbortController();
  const { outcome, endedAt } = await runOperation("change", [response(status, "60")], { stop });
  const mayHaveChanged = status !== 429;
  expect(outcome).toMatchObject({ end: "interrupted", attempts: 1, mayHaveChanged });
  expect(endedAt).toBe(0);
});

it("after a 429, the pause doubles from 1 s to 60 s, does not count as time, and is announced", async () => {
  const attempts = [...Array<Attempt>(7).fill(response(429)), response(200)];
  const { outcome, announced, times } = await runOperation("create", attempts, { timeout: 1_000 });
  expect(outcome).toMatchObject({ end: "done", attempts: 8 });
  // A quarter longer, because half of a second half is random.
  expect(announced).toEqual([1.25, 2.5, 5, 10, 20, 40, 75].map((seconds) => seconds * 1000));
  expect(differences(times)).toEqual(announced);
});

it.each([1, 60, 120])("after a 429, the pause obeys Retry-After: %d s", async (seconds) => {
  const { times } = await runOperation("create", [response(429, String(seconds)), response(200)]);
  expect(times).toEqual([0, Math.max(1.25, seconds) * 1000]);
});

it("a pause is announced once, although a timer fires early", async () => {
  let now = 0;
  const sleep = (milliseconds: number) => Promise.resolve(void (now += milliseconds - 1));
  const limiter = new RateLimiter({ now: () => now, random: () => 0, sleep });
  const announced: number[] = [];
  const turn = await limiter.acquire("read", false, () => undefined);
  if (turn !== null) limiter.release(turn, 429, null);
  await limiter.acquire("read", false, (pause) => void announced.push(pause));
  expect(announced).toEqual([1_000]);
});

it("after a 429, the operation ends if nothing has succeeded for two minutes", async () => {
  const { outcome, times } = await runOperation("create", [response(429)]);
  expect(outcome).toMatchObject({ end: "throttled", mayHaveChanged: false });
  expect(times.at(-1)).toBeGreaterThanOrEqual(2 * MINUTE);
  expect(times.at(-1)).toBeLessThan(3 * MINUTE);
});

it("after a 429, the operation ends at once if the server asks for more than two minutes", async () => {
  const { outcome } = await runOperation("create", [response(429, "3600")]);
  expect(outcome).toMatchObject({ end: "throttled", attempts: 1 });
});

/** Whether a server accepts a request at a time. */
type Limit = (now: number) => boolean;

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
  const context = { ...SILENT, clock, limiter, timeout: 2 * MINUTE };
  const outcomes = await clock.run(Promise.all(kinds.map((kind) => withRetry(kind, context, send))));
  const done = outcomes.filter(({ end }) => end === "done").length;
  return { done, most, times, perSuccess: times.length / done, minutes: clock.now() / MINUTE };
}

const random = seededRandom(runSeed());

const kinds = [...Array<OperationKind>(60).fill("change"), ...Array<OperationKind>(3).fill("create")];
it("60 webhooks and 3 keys all end well, with at most 1.6 requests for each success", async () => {
  for (const limit of [slidingWindow(20, MINUTE), slidingWindow(10, 1_000)]) {
    const run = await simulate(kinds, limit, () => 50 + random() * 200);
    expect([run.done, run.most]).toEqual([63, 16]);
    expect(run.perSuccess).toBeLessThanOrEqual(1.6);
    expect(run.minutes).toBeLessThan(5);
  }
});

it("one request begins again after a 429, and the others wait until it has succeeded", async () => {
  const kinds = Array<OperationKind>(40).fill("change");
  const { times } = await simulate(kinds, slidingWindow(20, MINUTE), () => 50);
  const probes = times.filter((time) => time > 500 && time < MINUTE);
  expect(probes.length).toBeLessThanOrEqual(6);
  expect(probes[0]).toBeLessThan(2_000); // The 429s of a burst count as one.
  expect(new Set(probes).size).toBe(probes.length);
});

interface Strictness {
  readonly status?: number;
  readonly retryAfter?: string;
  /** How many changes and creations the service makes at a time. */
  readonly atOnce?: number;
  readonly isAlreadySo?: boolean;
}

/** Sends operations to a service that takes 50 ms for each, and refuses what comes meanwhile in 5 ms. */
async function runAt(kinds: readonly OperationKind[], strictness: Strictness) {
  const { status = 409, retryAfter, atOnce = 1, isAlreadySo = false } = strictness;
  const clock = new SimulatedClock();
  const context = { clock, limiter: new RateLimiter(clock), timeout: 2 * MINUTE, onRetry: () => undefined };
  let [requests, inFlight, most, writes] = [0, 0, 0, 0];
  const send = async (kind: OperationKind): Promise<Attempt> => {
    requests += 1;
    most = Math.max(most, ++inFlight);
    const isWrite = kind !== "read";
    const isRefused = isWrite && writes >= atOnce;
    if (isWrite && !isRefused) writes += 1;
    await clock.sleep(isRefused ? 5 : 50);
    if (isWrite && !isRefused) writes -= 1;
    inFlight -= 1;
    return isRefused ? response(status, retryAfter) : response(200);
  };
  const run = (kind: OperationKind) =>
    withRetry(kind, { ...context, isAlreadySo: () => isAlreadySo }, () => send(kind));
  const outcomes = await clock.run(Promise.all(kinds.map(run)));
  const done = outcomes.filter(({ end }) => end === "done").length;
  return { done, requests, most, time: clock.now() };
}

const changes = (count: number): OperationKind[] => Array<OperationKind>(count).fill("change");

it("300 changes at an ordinary service are 300 requests, 16 at a time", async () => {
  const run = await runAt(changes(300), { atOnce: 300 });
  expect(run).toEqual({ done: 300, requests: 300, most: 16, time: Math.ceil(300 / 16) * 50 });
});

it.each<[what: string, Strictness, requests: number, seconds: number]>([
  ["409", {}, 12 + 11, 0.7],
  ["409 with Retry-After", { retryAfter: "1" }, 12 + 11, 2],
  ["423", { status: 423 }, 12 + 11, 2],
  ["423 with Retry-After", { status: 423, retryAfter: "1" }, 12 + 11, 2],
])(
  "12 changes at a service that makes one at a time, with %s for the others, are made in one run",
  async (_what, strictness, requests, seconds) => {
    const run = await runAt(changes(12), strictness);
    expect([run.done, run.requests]).toEqual([12, requests]);
    expect(run.time).toBeLessThan(seconds * 1_000);
  },
);

it("creations, deletions and changes at a service that makes one at a time all end well", async () => {
  const kinds = Array.from({ length: 30 }, (_, index) => (["create", "change", "read"] as const)[index % 3]);
  const run = await runAt(kinds as OperationKind[], {});
  expect(run.done).toBe(30);
});

it.each<[what: string, Strictness]>([
  ["409", {}],
  ["409 with Retry-After", { retryAfter: "1" }],
  ["423", { status: 423 }],
])(
  "of 300 changes, a %s refuses few: after the first that is made alone, one is sent at a time",
  async (_what, strictness) => {
    const run = await runAt(changes(300), strictness);
    expect(run.done).toBe(300);
    // Without a pause, only those that were in flight together are refused.
    expect(run.requests).toBeLessThanOrEqual(strictness.retryAfter || strictness.status ? 600 : 300 + 15);
    expect(run.time).toBeLessThan(300 * 50 + 3_000);
  },
);

it("300 changes that are refused because they are so already are 300 requests, 16 at a time", async () => {
  const run = await runAt(changes(300), { atOnce: 0, isAlreadySo: true });
  expect(run).toEqual({ done: 0, requests: 300, most: 16, time: Math.ceil(300 / 16) * 5 });
});

it("300 changes that the service refuses for another reason are each repeated once, alone", async () => {
  const run = await runAt(changes(300), { atOnce: 0 });
  expect(run).toMatchObject({ done: 0, requests: 600, most: 16 });
  expect(run.time).toBeLessThanOrEqual(300 * 5 + Math.ceil(300 / 16) * 5);
});

it("a change or creation that is refused while only reads are in flight is not repeated", async () => {
  for (const kind of ["change", "create"] as const) {
    const run = await runAt(["read", kind, "read"], { atOnce: 0 });
    expect(run).toMatchObject({ done: 2, requests: 3 });
  }
});

it("what waits to be sent alone ends with the process", async () => {
  const stop = new AbortController();
  const clock = new SimulatedClock();
  const limiter = new RateLimiter(clock, stop.signal);
  const acquire = (isAlone: boolean) => limiter.acquire("change", isAlone, () => undefined);
  await acquire(false);
  const waiting = [acquire(true), acquire(false), acquire(true)];
  stop.abort();
  expect(await clock.run(Promise.all(waiting))).toEqual([null, null, null]);
});

it("next to what is sent alone, only a read is sent", async () => {
  const limiter = new RateLimiter(new SimulatedClock());
  const started: string[] = [];
  const acquire = async (kind: OperationKind, isAlone: boolean) => {
    const turn = await limiter.acquire(kind, isAlone, () => undefined);
    started.push(`${kind}${isAlone ? " alone" : ""}`);
    return turn;
  };
  const alone = await acquire("change", true);
  const others = Promise.all([acquire("change", false), acquire("create", false), acquire("read", false)]);
  for (let turns = 0; turns < 5; turns++) await turn();
  expect(started).toEqual(["change alone", "read"]);
  if (alone !== null) limiter.release(alone, 409, null);
  const [, , read] = await others;
  expect(started).toHaveLength(4);
  expect(read).toMatchObject({ overlapped: false });
});
