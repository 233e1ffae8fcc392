import { describe, expect, test } from "vitest";
import { SHAPES, startSandbox, type Fault, type Operation } from "../../../provider/src/sandbox/index.js";
import { bodyOf, call, watch } from "./calls.ts";

describe("instead of the answer", () => {
  const replacing = [
    { kind: "status", status: 503 },
    { kind: "rateLimit" },
    { kind: "redirect", location: "http://127.0.0.1:1/" },
    { kind: "html" },
    { kind: "reset" },
    { kind: "fin" },
    { kind: "hang", at: "headers" },
  ] as const satisfies Fault[];

  test.each(replacing)("$kind without effect leaves no key, with effect it leaves one", async (fault) => {
    await using sandbox = await startSandbox();
    const patience = fault.kind === "hang" ? 300 : 0;
    sandbox.inject(fault);
    await watch(sandbox, "createApiKey", patience);
    expect(sandbox.apiKeys).toHaveLength(0);
    sandbox.inject({ ...fault, effect: true });
    await watch(sandbox, "createApiKey", patience);
    expect(sandbox.apiKeys).toHaveLength(1);
    expect(sandbox.requests.map(({ effect }) => effect)).toEqual([false, true]);
  });

  test("a status comes with its headers and its body", async () => {
    await using sandbox = await startSandbox();
    const headers = { "Content-Type": "text/plain", "x-why": "maintenance" };
    sandbox.inject({ kind: "status", status: 503, headers, body: "later" });
    const response = await call(sandbox, "listWebhooks");
    expect(response.status).toBe(503);
    expect(response.headers.get("content-type")).toBe("text/plain");
    expect(response.headers.get("x-why")).toBe("maintenance");
    expect(await response.text()).toBe("later");
  });

  test("a status without a body of its own has a JSON one, but for 204", async () => {
    await using sandbox = await startSandbox();
    sandbox.inject({ kind: "status", status: 500 }, { kind: "status", status: 204 });
    expect(await (await call(sandbox, "listWebhooks")).json()).toHaveProperty("error");
    const empty = await watch(sandbox, "listWebhooks");
    expect(empty.text).toMatch(/^HTTP\/1\.1 204 /);
    expect(empty.text).not.toMatch(/content-length/i);
    expect(bodyOf(empty)).toBe("");
  });

  test.each([[7], ["7"], ["Wed, 21 Oct 2026 07:28:00 GMT"], ["soon"]])(
    "a rate limit says retry-after: %j",
    async (retryAfter) => {
      await using sandbox = await startSandbox({ faults: [{ kind: "rateLimit", retryAfter }] });
      const response = await call(sandbox, "listWebhooks");
      expect(response.status).toBe(429);
      expect(response.headers.get("retry-after")).toBe(String(retryAfter));
    },
  );

  test("a rate limit may say nothing", async () => {
    await using sandbox = await startSandbox({ faults: [{ kind: "rateLimit" }] });
    const response = await call(sandbox, "listWebhooks");
    expect(response.status).toBe(429);
    expect(response.headers.has("retry-after")).toBe(false);
  });

  test("a redirect keeps the method", async () => {
    await using elsewhere = await startSandbox({ accessToken: "same" });
    await using sandbox = await startSandbox({ accessToken: "same" });
    sandbox.inject({ kind: "redirect", location: `${elsewhere.url}/api/v1/partners/api-key` });
    const response = await call(sandbox, "createApiKey", "", { redirect: "manual" });
    expect(response.status).toBe(307);
    sandbox.inject({ kind: "redirect", location: `${elsewhere.url}/api/v1/partners/api-key` });
    await call(sandbox, "createApiKey", "", { redirect: "follow" });
    expect(elsewhere.requests[0]?.method).toBe("POST");
  });

  test("a page for humans is a success to look at", async () => {
    await using sandbox = await startSandbox({ faults: [{ kind: "html" }] });
    const response = await call(sandbox, "createApiKey");
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toContain("text/html");
    expect(await response.text()).toContain("<html");
  });

  test.each([
    ["reset", { kind: "reset" }, "reset"],
    ["fin", { kind: "fin" }, "fin"],
    ["hang", { kind: "hang", at: "headers" }, "open"],
  ] as const)("%s sends no byte", async (_name, fault, end) => {
    await using sandbox = await startSandbox({ faults: [fault] });
    expect(await watch(sandbox, "createApiKey", 300)).toEqual({ text: "", end });
    expect(sandbox.requests[0]?.status).toBeNull();
  });
});

describe("in the answer", () => {
  test.each([
    ["resetMidBody", { kind: "resetMidBody" }, "reset"],
    ["hang", { kind: "hang", at: "body" }, "open"],
  ] as const)("%s sends half of a body that has taken effect", async (_name, fault, end) => {
    await using sandbox = await startSandbox({ faults: [fault] });
    const wire = await watch(sandbox, "createApiKey", 300);
    const whole = JSON.stringify({ apiKey: sandbox.apiKeys[0] });
    expect(wire.end).toBe(end);
    expect(wire.text).toMatch(/^HTTP\/1\.1 201 /);
    expect(wire.text).toContain(`content-length: ${whole.length}\r\n`);
    expect(bodyOf(wire)).toBe(whole.slice(0, Math.floor(whole.length / 2)));
    expect(sandbox.requests[0]).toMatchObject({ status: 201, effect: true });
  });

  test.each([0, 1, 20])("truncate declares everything, sends %i bytes and closes", async (bytes) => {
    await using sandbox = await startSandbox({ faults: [{ kind: "truncate", bytes }] });
    const wire = await watch(sandbox, "createApiKey");
    const whole = JSON.stringify({ apiKey: sandbox.apiKeys[0] });
    expect(wire.end).toBe("fin");
    expect(wire.text).toContain(`content-length: ${whole.length}\r\n`);
    expect(bodyOf(wire)).toBe(whole.slice(0, bytes));
    expect(sandbox.requests[0]).toMatchObject({ status: 201, effect: true });
  });

  test.each([
    [100, "x".repeat(50)],
    [10, "xyz"], // Less than a byte for every turn of the timer.
  ])("slow sends everything at %i bytes per second", async (bytesPerSecond, body) => {
    const shape = { ...SHAPES.flat, webhooks: () => body };
    await using sandbox = await startSandbox({ shape, faults: [{ kind: "slow", bytesPerSecond }] });
    const started = performance.now();
    const text = await (await call(sandbox, "listWebhooks")).text();
    const seconds = (performance.now() - started) / 1000;
    expect(text).toBe(JSON.stringify(body));
    expect(seconds).toBeGreaterThan((text.length / bytesPerSecond) * 0.8);
  });

  test("a slow body is announced by its headers at once, and ends when the client has enough", async () => {
    await using sandbox = await startSandbox({ faults: [{ kind: "slow", bytesPerSecond: 0.01 }] });
    const response = await call(sandbox, "createApiKey");
    expect(response.status).toBe(201);
    await response.body?.cancel();
    expect((await call(sandbox, "listWebhooks")).status).toBe(200);
  });
});

describe("which requests a fault happens to", () => {
  async function statuses(faults: readonly Fault[], operations: readonly Operation[]): Promise<number[]> {
    await using sandbox = await startSandbox({ faults });
    const seen: number[] = [];
    for (const operation of operations) seen.push((await call(sandbox, operation, 101)).status);
    return seen;
  }
  const list = (count: number) => Array.from({ length: count }, () => "listWebhooks" as const);

  test.each<[string, Fault[], Operation[], number[]]>([
    ["one by default", [{ kind: "status", status: 503 }], list(2), [503, 200]],
    ["as many as said", [{ kind: "status", status: 503, times: 2 }], list(3), [503, 503, 200]],
    ["all, if said so", [{ kind: "status", status: 503, times: Infinity }], list(3), [503, 503, 503]],
    ["none, if said so", [{ kind: "status", status: 503, times: 0 }], list(1), [200]],
    ["later ones", [{ kind: "status", status: 503, skip: 2 }], list(4), [200, 200, 503, 200]],
    [
      "those of one operation",
      [{ kind: "status", status: 503, operation: "disableWebhook" }],
      ["listWebhooks", "activateWebhook", "disableWebhook", "disableWebhook"],
      [200, 200, 503, 200],
    ],
    [
      "one after the other, in order",
      [
        { kind: "status", status: 503 },
        { kind: "status", status: 500, skip: 1 },
      ],
      list(4),
      [503, 200, 500, 200],
    ],
  ])("%s", async (_name, faults, operations, expected) => {
    expect(await statuses(faults, operations)).toEqual(expected);
  });

  test("faults can be cleared", async () => {
    await using sandbox = await startSandbox({ faults: [{ kind: "status", status: 503, times: Infinity }] });
    expect((await call(sandbox, "listWebhooks")).status).toBe(503);
    sandbox.clearFaults();
    expect((await call(sandbox, "listWebhooks")).status).toBe(200);
  });

  test("requests that are no operation meet no fault", async () => {
    await using sandbox = await startSandbox({ faults: [{ kind: "reset", times: Infinity }] });
    expect((await fetch(`${sandbox.url}/whoami`)).status).toBe(401);
    expect((await fetch(`${sandbox.url}/elsewhere`)).status).toBe(404);
  });

  test("a fault with effect does not open the door without the token", async () => {
    await using sandbox = await startSandbox({ faults: [{ kind: "reset", effect: true }] });
    await expect(call(sandbox, "createApiKey", "", { headers: {} })).rejects.toThrow();
    expect(sandbox.apiKeys).toEqual([]);
  });
});
