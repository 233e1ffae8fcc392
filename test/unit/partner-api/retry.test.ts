/** The retry policy and the rate limit, on a simulated clock. */
import { setImmediate as turn } from "node:timers/promises";
import { expect, it } from "vitest";

import type { Attempt } from "../../../provider/src/partner-api/attempt.ts";
import type { OperationKind } from "../../../provider/src/partner-api/operations.ts";
import { RateLimiter, type Clock } from "../../../provider/src/partner-api/rate-limiter.ts";
import { withRetry } from "../../../provider/src/partner-api/retry.ts";
import { runSeed, seededRandom } from "../../support/random.ts";
import { InstantClock } from "./support.ts";

const MINUTE = 60_000;

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
  const context = { clock, limiter: new RateLimiter(clock, signal), timeout, signal, onRetry };
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

it.each(["120", "3600"])(
  "a read fails at once if Retry-After leaves it no time: %s s",
  async (retryAfter) => {
    const { outcome, times } = await runOperation("read", [response(503, retryAfter)]);
    expect([outcome.end, times]).toEqual(["failed", [0]]);
  },
);

it("a list that was cut off is read again without regard to the Retry-After of its 200", async () => {
  const cutOff = { ...response(200, "60"), cutOff: "connection" } as Attempt;
  const { times } = await runOperation("read", [cutOff, response(200)]);
  expect(times).toEqual([0, 375]);
});

it("the pauses of a read end with the time of the operation", async () => {
  const { outcome, times } = await runOperation("read", [noResponse(true)], { duration: 30_000 });
  expect(outcome).toMatchObject({ end: "failed", attempts: 4 });
  expect(times.at(-1)).toBeLessThan(2 * MINUTE);
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
  limiter.release(429, null);
  await limiter.acquire((pause) => void announced.push(pause));
  expect(announced).toEqual([1_000]);
});

it.each<[statuses: readonly (number | null)[], pauses: readonly number[]]>([
  [
    [429, 429, 429, 200, 429],
    [1.25, 2.5, 5, 5],
  ],
  [
    [429, 429, 404, 503, 500, 429],
    [1.25, 2.5, 1.25],
  ],
  [
    [429, null, null, 429],
    [1.25, 2.5],
  ],
])(
  "any other response than a 429 halves the next pause, a lost one does not: %j",
  async (statuses, pauses) => {
    const clock = new InstantClock();
    const limiter = new RateLimiter(clock);
    const taken: number[] = [];
    for (const status of statuses) {
      limiter.release(status, null);
      if (status === 429) taken.push(limiter.pause / 1000);
      await clock.sleep(limiter.pause);
    }
    expect(taken).toEqual(pauses);
  },
);

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
  const context = { clock, limiter, timeout: 2 * MINUTE, onRetry: () => undefined };
  const outcomes = await clock.run(Promise.all(kinds.map((kind) => withRetry(kind, context, send))));
  const done = outcomes.filter(({ end }) => end === "done").length;
  return { done, most, times, perSuccess: times.length / done, minutes: clock.now() / MINUTE };
}

it("after a 429, the limit of requests in flight grows by one for each 20 responses", async () => {
  const { times } = await simulate(
    Array<OperationKind>(400).fill("change"),
    (now) => now > 0,
    () => 50,
  );
  const again = times.filter((time) => time > 0);
  const startedWith = (index: number) => again.filter((time) => time === again[index]).length;
  expect([0, 18, 23, 37, 44, 56, 360].map(startedWith)).toEqual([1, 1, 2, 2, 3, 3, 16]);
});

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
