import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import { promisify } from "node:util";
import { Worker } from "node:worker_threads";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { describe, expect, it, onTestFinished } from "vitest";

import { SettingsError } from "../../../provider/src/api/errors.js";
import { VERSION } from "../../../provider/src/version.js";
import type { Fault } from "../../support/sandbox.ts";
import {
  clientFor,
  failureOf,
  InstantClock,
  KEY,
  listen,
  playing,
  requestFailureOf,
  sandboxFor,
} from "./support.ts";

describe("the five operations on the wire", () => {
  it("have the documented methods and paths, the token, and no body", async () => {
    const sandbox = await sandboxFor({ basePath: "/gateway" });
    const client = clientFor(sandbox);
    const { response } = await client.createApiKey();
    const [key = ""] = sandbox.apiKeys;
    expect(response).toEqual({ body: JSON.stringify({ apiKey: key }), encoding: "utf8", complete: true });
    const { webhooks } = await client.listWebhooks();
    expect([...webhooks.values()].map(({ state }) => state)).toEqual(["active", "active", "disabled"]);
    await client.setWebhookState(103, "active");
    await client.setWebhookState(101, "disabled");
    await client.deleteApiKey(key);
    expect(sandbox.requests.map(({ method, path }) => `${method} ${path.replace(key, "KEY")}`)).toEqual([
      "POST /gateway/api/v1/partners/api-key",
      "GET /gateway/api/v1/partners/webhooks",
      "PATCH /gateway/api/v1/partners/webhooks/103/active",
      "PATCH /gateway/api/v1/partners/webhooks/101/disable",
      "DELETE /gateway/api/v1/partners/api-key/KEY",
    ]);
    for (const { headers, method } of sandbox.requests) {
      expect(headers).toMatchObject({
        authorization: `Bearer ${sandbox.accessToken}`,
        "user-agent": `pulumi-partners/${VERSION}`,
        accept: "application/json",
        "accept-encoding": "identity",
      });
      expect(headers).not.toHaveProperty("content-type");
      expect(headers).not.toHaveProperty("transfer-encoding");
      expect(headers["content-length"]).toBe(["POST", "PATCH"].includes(method) ? "0" : undefined);
    }
  });

  it("are in flight from when they are sent, and not while they wait for a place", async () => {
    const inFlight: unknown[] = [];
    const sandbox = await sandboxFor({ onRequest: () => inFlight.push(client.pendingOperations) });
    const client = clientFor(sandbox, { maxConnections: 1 });
    await Promise.all([client.listWebhooks(), client.setWebhookState(101, "disabled")]);
    expect(inFlight).toEqual([["listWebhooks"], ["disableWebhook"]]);
    expect(client.pendingOperations).toEqual([]);
  });

  it("share connections, except that each creation has its own, also when it is repeated after a 429", async () => {
    const sandbox = await sandboxFor();
    const client = clientFor(sandbox, { clock: new InstantClock() });
    await client.listWebhooks();
    sandbox.inject({ kind: "rateLimit", operation: "createApiKey", times: 6, retryAfter: 1 });
    await client.createApiKey();
    await client.setWebhookState(101, "active");
    const connections = (method: string): number[] =>
      sandbox.requests.filter((request) => request.method === method).map(({ connection }) => connection);
    expect(connections("PATCH")).toEqual(connections("GET"));
    expect(new Set([...connections("GET"), ...connections("POST")]).size).toBe(1 + 7);
    expect(sandbox.apiKeys).toHaveLength(1);
  });

  it.each(["a/b+c=d%e?f#g", "../../x", "..%2f", "a\\b", "ключ", "a\r\nx-evil: 1"])(
    "name the key %j by an encoded path segment",
    async (key) => {
      const sandbox = await sandboxFor({ apiKeys: [key] });
      await clientFor(sandbox).deleteApiKey(key);
      expect(sandbox.apiKeys).toEqual([]);
      expect(sandbox.requests[0]?.path.split("/")).toHaveLength(6);
    },
  );

  it.each(["", ".", "..", "\ud800"])("do not send %j, which would address something else", async (key) => {
    const sandbox = await sandboxFor({ apiKeys: [KEY] });
    expect(await failureOf(clientFor(sandbox).deleteApiKey(key))).toBeInstanceOf(SettingsError);
    expect(sandbox.requests).toEqual([]);
  });
});

describe("Retry-After", () => {
  const date = "date: Thu, 01 Jan 2026 00:00:00 GMT\r\n";
  it.each([
    ["seconds", "retry-after: 2\r\n", [2000]],
    ["a date, by the clock of the server", `${date}retry-after: Thu, 01 Jan 2026 00:00:03 GMT\r\n`, [3000]],
    ["a date, by our clock else", "retry-after: Thu, 01 Jan 2026 00:00:04 GMT\r\n", [4000]],
    ["a past date", `${date}retry-after: Wed, 31 Dec 2025 00:00:00 GMT\r\n`, []],
    ["nonsense", "retry-after: soon\r\n", [100]],
  ])("as %s is obeyed, no less and no more", async (_what, headers, sleeps) => {
    const clock = new InstantClock();
    const unavailable = { bytes: `HTTP/1.1 503 No\r\n${headers}content-length: 0\r\n\r\n` };
    const target = await playing(unavailable, { bytes: "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n[]" });
    await clientFor(target, { clock }).listWebhooks();
    expect(clock.sleeps).toEqual(sleeps);
  });

  it.each([503, 429])("beyond the deadline ends the operation at once after %d", async (status) => {
    const sandbox = await sandboxFor({
      faults: [{ kind: "status", status, headers: { "retry-after": "3600" } }],
    });
    const client = clientFor(sandbox, { clock: new InstantClock() });
    const { cause, attempts } = await requestFailureOf(client.listWebhooks());
    expect(cause).toEqual({ kind: "throttled", status, wait: 3_600_000 });
    expect(attempts).toBe(1);
  });
});

describe("a deadline", () => {
  it("of the operation ends it in the middle of an attempt", async () => {
    const target = await playing({ bytes: "" });
    const client = clientFor(target, { requestTimeout: 60_000, operationTimeout: 200 });
    expect((await requestFailureOf(client.listWebhooks())).cause).toEqual({ kind: "timeout", sent: true });
    expect(target.requests).toHaveLength(1);
  });

  it("of the caller shortens that of the operation", async () => {
    const target = await playing({ bytes: "" });
    const startedAt = performance.now();
    await requestFailureOf(clientFor(target, { requestTimeout: 60_000 }).listWebhooks(150));
    expect(performance.now() - startedAt).toBeLessThan(2_000);
  });

  it("of a request bounds a body that never stops trickling", async () => {
    const sandbox = await sandboxFor({ faults: [{ kind: "slow", bytesPerSecond: 40, times: Infinity }] });
    const client = clientFor(sandbox, { requestTimeout: 150, clock: new InstantClock() });
    expect((await requestFailureOf(client.listWebhooks())).cause).toEqual({ kind: "cutOff" });
  });

  it("of the operation does not end a creation that has been sent", async () => {
    const sandbox = await sandboxFor({ latency: 400 });
    await clientFor(sandbox, { operationTimeout: 200 }).createApiKey();
  });

  it("keeps the response to a creation that arrives in time at a process that is busy until too late", async () => {
    const arrived = new Int32Array(new SharedArrayBuffer(4));
    const workerData = { body: `{"apiKey":"${KEY}"}`, arrived };
    const worker = new Worker(SERVER_ELSEWHERE, { eval: true, workerData });
    onTestFinished(async () => {
      await worker.terminate();
    });
    const port = await new Promise<number>((resolve) => worker.once("message", resolve));
    const client = clientFor({ url: `http://127.0.0.1:${port}`, accessToken: "t" }, { requestTimeout: 300 });
    const created = client.createApiKey();
    await wait(100); // It is sent.
    await new Promise(setImmediate); // From here, timers come before what has been received.
    Atomics.wait(arrived, 0, 0, 5_000);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 400); // Nothing happens in this process.
    expect((await created).response.body).toContain(KEY);
  });
});

/** A server that this process cannot hold up. It answers after 150 ms, and says so in memory. */
const SERVER_ELSEWHERE = `
  const { parentPort, workerData: { body, arrived } } = require("node:worker_threads");
  const server = require("node:http").createServer((request, response) => setTimeout(() => {
    response.end(body);
    Atomics.store(arrived, 0, 1);
    Atomics.notify(arrived, 0);
  }, 150));
  server.listen(0, "127.0.0.1", () => parentPort.postMessage(server.address().port));
`;

describe("the signal to stop", () => {
  it.each<[string, Fault, "none" | "possible"]>([
    [
      "the wait for another attempt",
      { kind: "status", status: 503, headers: { "retry-after": "9" } },
      "possible",
    ],
    ["the wait for a rate limit", { kind: "rateLimit", retryAfter: 9 }, "none"],
    ["a request that has been sent", { kind: "hang", at: "headers" }, "possible"],
  ])("ends %s at once", async (_what, fault, effect) => {
    const stop = new AbortController();
    const sandbox = await sandboxFor({ faults: [fault] });
    const client = clientFor(sandbox, { signal: stop.signal, requestTimeout: 9_000 });
    const failure = requestFailureOf(client.setWebhookState(101, "active"));
    await expect.poll(() => sandbox.requests.length).toBe(1);
    await wait(50); // The answer has arrived.
    const startedAt = performance.now();
    stop.abort();
    expect(await failure).toMatchObject({ cause: { kind: "interrupted" }, effect, attempts: 1 });
    expect(performance.now() - startedAt).toBeLessThan(1_000);
    expect(sandbox.requests).toHaveLength(1);
  });

  it("lets a creation that has been sent come to its end, and no other begin", async () => {
    const stop = new AbortController();
    const sandbox = await sandboxFor({ latency: 300 });
    const client = clientFor(sandbox, { signal: stop.signal, maxConnections: 1 });
    const created = client.createApiKey();
    const failure = requestFailureOf(client.createApiKey()); // It waits for its turn.
    await expect.poll(() => sandbox.requests.length).toBe(1);
    stop.abort();
    expect(await failure).toMatchObject({ cause: { kind: "interrupted" }, effect: "none", attempts: 0 });
    expect((await created).response.body).toContain(sandbox.apiKeys[0]);
    expect((await requestFailureOf(client.createApiKey())).cause.kind).toBe("interrupted");
    expect(sandbox.requests).toHaveLength(1);
  });
});

describe("a body", () => {
  const MIB = 1024 * 1024;
  const text = JSON.stringify({ apiKey: KEY, padding: randomBytes(3_000).toString("hex") });

  it.each([
    ["GZIP", gzipSync],
    ["deflate", deflateSync],
    ["br", brotliCompressSync],
  ] as const)("compressed with %s is read, and kept as far as it came", async (coding, compress) => {
    let cut = false;
    const target = await listen(({ method }, response) => {
      const body = compress(method === "GET" ? `[{"id":101,"active":true}]` : text);
      response.writeHead(200, { "content-encoding": coding, "content-length": body.length });
      if (cut)
        response.write(body.subarray(0, body.length / 2), () => setTimeout(() => response.destroy(), 20));
      else response.end(body);
    });
    const client = clientFor(target);
    expect((await client.listWebhooks()).webhooks.get(101)?.state).toBe("active");
    const whole = { body: text, encoding: "utf8", complete: true };
    expect((await client.createApiKey()).response).toEqual(whole);
    cut = true;
    const { response } = await client.createApiKey();
    expect(response).toMatchObject({ encoding: "utf8", complete: false });
    expect(text.startsWith(response.body) && response.body.includes(KEY)).toBe(true);
  });

  it("that is not text is kept in base64", async () => {
    const target = await listen((_request, response) => response.end(Buffer.from([0xff, 0xfe, 0x00])));
    const { response } = await clientFor(target).createApiKey();
    expect(response).toEqual({ body: "//4A", encoding: "base64", complete: true });
  });

  it("that becomes a list above 64 MiB is refused and not asked for again", async () => {
    const body = gzipSync(`[${" ".repeat(64 * MIB)}]`);
    const headers = { "content-encoding": "gzip" };
    const target = await listen((_request, response) => response.writeHead(200, headers).end(body));
    const client = clientFor(target, { requestTimeout: 20_000, operationTimeout: 20_000 });
    expect((await requestFailureOf(client.listWebhooks())).cause).toEqual({ kind: "tooLarge" });
    expect(target.requests).toHaveLength(1);
  });

  it("of a creation above 4 MiB is kept in part; where nobody reads it, its size does not matter", async () => {
    const body = `{"apiKey":"${KEY}","padding":"${"x".repeat(5 * MIB)}"}`;
    const client = clientFor(await listen((_request, response) => response.end(body)));
    const { response } = await client.createApiKey();
    expect(response.complete).toBe(false);
    expect(response.body).toBe(body.slice(0, 4 * MIB));
    await client.setWebhookState(101, "active");
  });

  it("may come with 200 KiB of headers", async () => {
    const headers = { "x-long": "x".repeat(200 * 1024) };
    const target = await listen((_request, response) => response.writeHead(200, headers).end("[]"));
    await clientFor(target).listWebhooks();
  });
});

it("an error has the words of the server and its request id, without secrets", async () => {
  const token = "tok_7Qm2Zr9XbK4gTw-vL8sWc3NfHd1pYx6";
  const error = { message: `No access for ${token}\nto ${KEY}: ask\u001b[31m sales` };
  const body = JSON.stringify({ error });
  const faults = ["req-1", `r-${token}`].map((id): Fault => ({
    kind: "status",
    status: 403,
    body,
    headers: { "x-request-id": id },
  }));
  const sandbox = await sandboxFor({ faults });
  const client = clientFor({ url: sandbox.url, accessToken: token });
  const serverWords = "No access for *** to ***: ask [31m sales";
  const failures = [];
  for (const key of [KEY, KEY]) failures.push(await requestFailureOf(client.deleteApiKey(key)));
  expect(failures).toMatchObject([
    { serverWords, requestId: "req-1", webhookId: null, host: new URL(sandbox.url).host },
    { serverWords, requestId: null },
  ]);
});

it("NODE_DEBUG=net,FETCH, which prints the paths of requests, is refused", async () => {
  const script = `
    const { createClient } = await import(process.argv[1]);
    const baseUrl = { origin: "https://partners.test", prefix: "", loopback: false };
    try { createClient({ baseUrl, accessToken: "t", maxConnections: 1, responses: {} }); }
    catch (error) { console.log(error.code, JSON.stringify(error.problems)); }`;
  const client = new URL("../../../provider/dist/api/client.js", import.meta.url).href;
  const env = { ...process.env, NODE_DEBUG: "net,FETCH" };
  const args = ["--input-type=module", "-e", script, client];
  const { stdout } = await promisify(execFile)(process.execPath, args, { env });
  expect(stdout).toMatch(/PARTNERS_CONFIGURATION.*NODE_DEBUG/);
});
