import { describe, expect, it } from "vitest";

import type { Attempt } from "../../../provider/src/api/http.js";
import { RateLimiter } from "../../../provider/src/api/rate-limiter.js";
import { withRetry, type Outcome } from "../../../provider/src/api/retry.js";
import { SimulatedClock } from "./support.ts";

/** Milliseconds between the start of a request and its response. */
const LATENCY = 50;

function response(status: number, headers: Record<string, string> = {}): Attempt {
  return { kind: "response", status, headers, body: Buffer.alloc(0), cutOff: null };
}

interface Service {
  readonly requests: number;
  readonly maxConnections: number;
  /** @default no limit */
  readonly perSecond?: number;
  /** Whether a 429 says when to come back, in whole seconds, as HTTP has them. @default false */
  readonly hint?: boolean;
  readonly requestsPerSecond?: number;
  readonly operationTimeout?: number;
}

/** Sends changes through a limiter to a simulated service that counts in a sliding window of one second. */
async function simulate(service: Service) {
  const { requests, maxConnections, perSecond = Infinity, hint = false } = service;
  const clock = new SimulatedClock();
  const limiter = new RateLimiter(clock, maxConnections, service.requestsPerSecond ?? null);
  const times: number[] = [];
  let accepted: number[] = [];
  let allowedAt = 0;
  let early = 0;
  let inFlight = 0;
  let most = 0;
  const send = async (): Promise<Attempt> => {
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
    const seconds = Math.ceil((freeAt - now) / 1000);
    if (hint) allowedAt = Math.max(allowedAt, clock.now() + seconds * 1000);
    return response(429, hint ? { "retry-after": String(seconds) } : {});
  };
  const context = { clock, limiter, operationTimeout: service.operationTimeout ?? 120_000 };
  const all = Array.from({ length: requests }, () => withRetry("change", context, send));
  const outcomes: Outcome[] = await clock.run(Promise.all(all));
  const failed = outcomes.filter(({ succeeded }) => !succeeded).length;
  return { failed, early, most, times, sent: times.length, seconds: clock.now() / 1000 };
}

describe("a service that allows 20 requests a second", () => {
  const cases = [4, 8, 16, 32, 64].flatMap((maxConnections) =>
    [true, false].map((hint) => ({ maxConnections, hint })),
  );
  it.each(cases)(
    "takes 300 changes with few refusals: $maxConnections connections, Retry-After: $hint",
    async ({ maxConnections, hint }) => {
      const run = await simulate({ requests: 300, maxConnections, perSecond: 20, hint });
      expect(run).toMatchObject({ failed: 0, early: 0 });
      expect(run.sent / 300).toBeLessThanOrEqual(1.2);
      expect(run.most).toBeLessThanOrEqual(maxConnections);
      expect(run.seconds).toBeLessThan(30); // The least possible is 14.
    },
  );
});

it("requestsPerSecond spaces all requests evenly", async () => {
  const { times, failed } = await simulate({ requests: 20, maxConnections: 8, requestsPerSecond: 10 });
  expect(failed).toBe(0);
  expect(times).toEqual(Array.from({ length: 20 }, (_, index) => index * 100));
});

it("without a limit, as many requests as allowed are in flight, and no more", async () => {
  const { most, seconds } = await simulate({ requests: 160, maxConnections: 16 });
  expect(most).toBe(16);
  expect(seconds).toBeLessThan((160 / 16 + 2) * (LATENCY / 1000));
});

it("the wait for a turn does not count against the deadline of an operation", async () => {
  const slow = { requests: 20, maxConnections: 8, requestsPerSecond: 1, operationTimeout: 1_000 };
  expect(await simulate(slow)).toMatchObject({ failed: 0, sent: 20 });
});

it("a service that refuses everything ends all operations, with few requests", async () => {
  const dead = { requests: 50, maxConnections: 16, perSecond: 0, operationTimeout: 30_000 };
  const { failed, sent, seconds } = await simulate(dead);
  expect(failed).toBe(50);
  expect(sent).toBeLessThan(150);
  expect(seconds).toBeLessThan(90);
});
