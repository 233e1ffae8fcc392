import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { Gate } from "../../../provider/src/api/gate.js";
import type { Exchange } from "../../../provider/src/api/exchange.js";
import { withRetry } from "../../../provider/src/api/retry.js";
import { systemTiming } from "../../../provider/src/api/timing.js";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

function answer(status: number, headers: Record<string, string> = {}): Exchange {
  return { kind: "answered", status, headers, body: Buffer.alloc(0), broken: null };
}

/** Sends through a gate to a simulated service with so many requests in any one second, each taking 50 ms. */
async function simulate(options: { requests: number; perSecond: number; parallel: number; hint: boolean }) {
  const gate = new Gate(systemTiming, options.parallel, null);
  const accepted: number[] = [];
  let sent = 0;
  let early = 0;
  let allowedAt = 0;
  const attempt = async (): Promise<Exchange> => {
    sent += 1;
    const now = Date.now();
    if (now < allowedAt) early += 1;
    const lately = accepted.filter((time) => time > now - 1000);
    const full = lately.length >= options.perSecond;
    if (!full) accepted.push(now);
    await systemTiming.sleep(50);
    if (!full) return answer(200);
    if (!options.hint) return answer(429);
    allowedAt = Math.max(allowedAt, Date.now() + 1000);
    return answer(429, { "retry-after": "1" });
  };
  const context = { timing: systemTiming, gate, operationTimeout: 120_000 };
  const outcomes = Promise.all(
    Array.from({ length: options.requests }, () => withRetry("activateWebhook", context, attempt)),
  );
  const startedAt = Date.now();
  await vi.advanceTimersByTimeAsync(600_000);
  const failed = (await outcomes).filter(({ succeeded }) => !succeeded).length;
  return { sent, failed, early, seconds: ((accepted.at(-1) ?? startedAt) - startedAt) / 1000 };
}

describe("a service that allows 20 requests a second", () => {
  const cases = [8, 16, 32].flatMap((parallel) => [true, false].map((hint) => ({ parallel, hint })));

  it.each(cases)(
    "gets 300 requests, $parallel at a time, hint: $hint, with at most 10% too many",
    async ({ parallel, hint }) => {
      const { sent, failed, early, seconds } = await simulate({
        requests: 300,
        perSecond: 20,
        parallel,
        hint,
      });
      expect({ failed, early }).toEqual({ failed: 0, early: 0 });
      expect(sent / 300).toBeLessThanOrEqual(1.1);
      expect(seconds).toBeLessThan(30); // The least possible is 14.
    },
  );
});

describe("requestsPerSecond", () => {
  it("spaces all attempts, those that are repeated too", async () => {
    const gate = new Gate(systemTiming, 8, 10);
    const times: number[] = [];
    const attempt = (): Promise<Exchange> => {
      times.push(Date.now());
      return Promise.resolve(answer(times.length % 2 === 0 ? 200 : 503));
    };
    const context = { timing: { ...systemTiming, random: () => 0 }, gate, operationTimeout: 60_000 };
    const all = Promise.all(Array.from({ length: 5 }, () => withRetry("listWebhooks", context, attempt)));
    await vi.advanceTimersByTimeAsync(5_000);
    await all;
    const gaps = times.slice(1).map((time, index) => time - (times[index] ?? 0));
    expect(times.length).toBeGreaterThan(5);
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(100);
  });
});

describe("waiting at the gate", () => {
  it("does not count against the deadline of an operation", async () => {
    const gate = new Gate(systemTiming, 8, 1);
    const attempt = (): Promise<Exchange> => Promise.resolve(answer(200));
    const context = { timing: systemTiming, gate, operationTimeout: 1_000 };
    const all = Promise.all(Array.from({ length: 20 }, () => withRetry("listWebhooks", context, attempt)));
    await vi.advanceTimersByTimeAsync(30_000);
    expect((await all).every(({ succeeded }) => succeeded)).toBe(true);
  });
});
