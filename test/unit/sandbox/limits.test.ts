import { describe, expect, test } from "vitest";
import { startSandbox } from "../../../provider/src/sandbox/index.js";
import { call } from "./calls.ts";

describe("the rate limit", () => {
  test("refuses what exceeds it, without effect, until the window has passed", async () => {
    await using sandbox = await startSandbox({ rateLimit: { requests: 2, perSeconds: 2 } });
    const statuses: number[] = [];
    for (let i = 0; i < 4; i++) statuses.push((await call(sandbox, "createApiKey")).status);
    expect(statuses).toEqual([201, 201, 429, 429]);
    expect(sandbox.apiKeys).toHaveLength(2);

    const refused = await call(sandbox, "createApiKey");
    const seconds = Number(refused.headers.get("retry-after"));
    expect(seconds).toBeGreaterThan(0);
    expect(seconds).toBeLessThanOrEqual(2);
    await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
    expect((await call(sandbox, "createApiKey")).status).toBe(201);
  });

  test("can say when to come back as a date", async () => {
    await using sandbox = await startSandbox({
      rateLimit: { requests: 1, perSeconds: 60, retryAfter: "date" },
    });
    const before = Date.now();
    await call(sandbox, "listWebhooks");
    const after = Date.now();
    const date = (await call(sandbox, "listWebhooks")).headers.get("retry-after") ?? "";
    expect(new Date(date).toUTCString()).toBe(date);
    expect(Date.parse(date)).toBeGreaterThanOrEqual(before + 60_000);
    expect(Date.parse(date)).toBeLessThan(after + 61_000);
  });

  test("can say nothing about when to come back", async () => {
    await using sandbox = await startSandbox({
      rateLimit: { requests: 1, perSeconds: 60, retryAfter: "none" },
    });
    await call(sandbox, "listWebhooks");
    const refused = await call(sandbox, "listWebhooks");
    expect(refused.status).toBe(429);
    expect(refused.headers.has("retry-after")).toBe(false);
  });

  test("uses up no fault for a request it turns away", async () => {
    await using sandbox = await startSandbox({
      rateLimit: { requests: 1, perSeconds: 60 },
      faults: [{ kind: "status", status: 503, skip: 1 }],
    });
    await call(sandbox, "listWebhooks");
    expect((await call(sandbox, "listWebhooks")).status).toBe(429);
  });
});

test("where one key is allowed at a time, the second is a 409 until the first is deleted", async () => {
  await using sandbox = await startSandbox({ oneKeyAtATime: true });
  expect((await call(sandbox, "createApiKey")).status).toBe(201);
  expect((await call(sandbox, "createApiKey")).status).toBe(409);
  expect(sandbox.apiKeys).toHaveLength(1);
  await call(sandbox, "deleteApiKey", sandbox.apiKeys[0]);
  expect((await call(sandbox, "createApiKey")).status).toBe(201);
});

describe("latency", () => {
  test("delays the answer", async () => {
    await using sandbox = await startSandbox({ latency: 150 });
    const started = performance.now();
    await call(sandbox, "listWebhooks");
    expect(performance.now() - started).toBeGreaterThan(140);
  });

  test("does not delay the effect: a client that gave up has created a key", async () => {
    await using sandbox = await startSandbox({ latency: 60_000 });
    await expect(call(sandbox, "createApiKey", "", { signal: AbortSignal.timeout(150) })).rejects.toThrow();
    expect(sandbox.apiKeys).toHaveLength(1);
    expect(sandbox.requests[0]).toMatchObject({ effect: true, status: null });
  });
});
