import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { describe, expect, it, onTestFinished, vi } from "vitest";

import { UNDICI_LOGS } from "../../../provider/src/api/connections.js";
import { SettingsError } from "../../../provider/src/api/errors.js";
import { VERSION } from "../../../provider/src/version.js";
import { readFolder } from "../../support/canary.ts";
import type { Fault } from "../../support/sandbox.ts";
import {
  clientFor,
  failureOf,
  InstantClock,
  KEY,
  listen,
  requestFailureOf,
  sandboxFor,
  scripted,
} from "./support.ts";

describe("the five operations", () => {
  it("send the documented method and path, the token, and no body", async () => {
    const sandbox = await sandboxFor({ basePath: "/gateway" });
    const client = clientFor(sandbox);
    const { response } = (await client.createApiKey()).created;
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

  it.each(["a/b+c=d%e?f#g", "../../x", "..%2f", "a\\b", "ключ", "a\r\nx-evil: 1"])(
    "encode the key %j as one path segment",
    async (key) => {
      const sandbox = await sandboxFor({ apiKeys: [key] });
      await clientFor(sandbox).deleteApiKey(key);
      expect(sandbox.apiKeys).toEqual([]);
      expect(sandbox.requests[0]?.path.split("/")).toHaveLength(6);
    },
  );

  it.each(["", ".", ".."])("do not send the key %j, which would change the path", async (key) => {
    const sandbox = await sandboxFor({ apiKeys: [KEY] });
    expect(await failureOf(clientFor(sandbox).deleteApiKey(key))).toBeInstanceOf(SettingsError);
    expect(sandbox.requests).toEqual([]);
  });
});

describe("Retry-After", () => {
  it.each([
    ["seconds", "retry-after: 2\r\n", [2000]],
    ["a date", "retry-after: Thu, 01 Jan 2026 00:00:04 GMT\r\n", [4000]],
    [
      "a date, by the server's clock",
      "date: Fri, 02 Jan 2026 00:00:00 GMT\r\nretry-after: Fri, 02 Jan 2026 00:00:03 GMT\r\n",
      [3000],
    ],
    ["a past date", "retry-after: Thu, 01 Jan 1970 00:00:00 GMT\r\n", []],
    ["nonsense", "retry-after: soon\r\n", [100]],
  ])("can be %s", async (_form, headers, sleeps) => {
    const clock = new InstantClock();
    const unavailable = { bytes: `HTTP/1.1 503 No\r\n${headers}content-length: 0\r\n\r\n` };
    const target = await scripted(unavailable, { bytes: "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n[]" });
    await clientFor(target, { clock }).listWebhooks();
    expect(clock.sleeps).toEqual(sleeps);
  });

  it.each([503, 429])("beyond the deadline fails the operation at once after a %d", async (status) => {
    const sandbox = await sandboxFor({
      faults: [{ kind: "status", status, headers: { "retry-after": "3600" } }],
    });
    const client = clientFor(sandbox, { clock: new InstantClock() });
    const { cause, attempts } = await requestFailureOf(client.listWebhooks());
    expect(cause).toEqual({ kind: "throttled", status, wait: 3_600_000 });
    expect(attempts).toBe(1);
  });
});

it("a request that another one's Retry-After keeps in the queue says so, with the wait", async () => {
  const clock = new InstantClock();
  const headers = { "retry-after": "3600" };
  const sandbox = await sandboxFor({ faults: [{ kind: "status", status: 429, headers }] });
  const client = clientFor(sandbox, { clock, maxConnections: 1 });
  const first = requestFailureOf(client.listWebhooks());
  const queued = requestFailureOf(client.createApiKey());
  expect(await first).toMatchObject({ attempts: 1, cause: { kind: "throttled", wait: 3_600_000 } });
  expect(await queued).toMatchObject({
    attempts: 0,
    effect: "none",
    cause: { kind: "throttled", status: 429 },
  });
  clock.advance(60_000);
  const later = await requestFailureOf(client.createApiKey());
  expect(later).toMatchObject({ attempts: 0, cause: { kind: "throttled", wait: 3_540_000 } });
  expect(sandbox.requests).toHaveLength(1);
});

it("a list is decoded once, although its response names a request ID", async () => {
  const body = JSON.stringify([{ id: 1, active: true, note: "x".repeat(1_000_000) }]);
  const target = await scripted({
    bytes: `HTTP/1.1 200 OK\r\nx-request-id: r-1\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
  });
  const decode = vi.spyOn(Buffer.prototype, "toString");
  onTestFinished(() => {
    decode.mockRestore();
  });
  await clientFor(target).listWebhooks();
  const sizes = decode.mock.contexts.map((context) => (context as Buffer).length);
  expect(sizes.filter((size) => size === body.length)).toHaveLength(1);
});

describe("a timeout", () => {
  it("operationTimeout ends the operation in the middle of an attempt", async () => {
    const target = await scripted({ bytes: "" });
    const client = clientFor(target, { requestTimeout: 60_000, operationTimeout: 200 });
    const { cause, attempts } = await requestFailureOf(client.listWebhooks());
    expect([cause, attempts]).toEqual([{ kind: "timeout", sent: true }, 1]);
  });

  it("of an attempt that operationTimeout cuts short does not hide why the one before failed", async () => {
    const unavailable = "HTTP/1.1 503 Service Unavailable\r\nx-request-id: r-1\r\ncontent-length: 0\r\n\r\n";
    const target = await scripted({ bytes: unavailable }, { bytes: "" });
    const client = clientFor(target, { requestTimeout: 60_000, operationTimeout: 1_000 });
    const failure = await requestFailureOf(client.setWebhookState(101, "active"));
    expect(failure).toMatchObject({ cause: { kind: "status", status: 503 }, requestId: "r-1", attempts: 2 });
    expect(failure.effect).toBe("possible");
  });

  it("of the engine's call also ends a change that waits for a rate limit", async () => {
    const sandbox = await sandboxFor();
    const clock = new InstantClock();
    const end = clock.now() + 300;
    const client = clientFor(sandbox, {
      requestsPerSecond: 4,
      clock,
      remainingTime: () => end - clock.now(),
    });
    await client.setWebhookState(101, "disabled");
    await client.setWebhookState(102, "disabled");
    const failure = await requestFailureOf(client.setWebhookState(103, "disabled"));
    expect(failure).toMatchObject({ cause: { kind: "outOfTime" }, attempts: 0, effect: "none" });
    expect(sandbox.requests).toHaveLength(2);
  });

  it("of the engine's call that is already over sends nothing", async () => {
    const sandbox = await sandboxFor();
    const client = clientFor(sandbox, { remainingTime: () => -1 });
    const failure = await requestFailureOf(client.createApiKey());
    expect(failure).toMatchObject({ cause: { kind: "outOfTime" }, attempts: 0, effect: "none" });
    expect(sandbox.requests).toEqual([]);
  });

  it("requestTimeout ends a response that never stops trickling in", async () => {
    const target = await listen((_request, response) => {
      response.writeHead(200);
      const timer = setInterval(() => response.write(" "), 20);
      response.on("close", () => {
        clearInterval(timer);
      });
    });
    const client = clientFor(target, { requestTimeout: 150, clock: new InstantClock() });
    expect((await requestFailureOf(client.listWebhooks())).cause).toEqual({ kind: "cutOff" });
  });

  it("operationTimeout does not end a creation that was sent", async () => {
    const sandbox = await sandboxFor({ delay: 400 });
    await clientFor(sandbox, { operationTimeout: 200 }).createApiKey();
  });

  it("requestTimeout does not discard a response that arrived while the process was busy", async () => {
    const target = await listen((_request, response) => {
      response.end(`{"apiKey":"${KEY}"}`);
      // Blocks the process. Afterwards, timers run before the response is read.
      setImmediate(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 400));
    });
    const { created } = await clientFor(target, { requestTimeout: 300 }).createApiKey();
    expect(created.response.body).toContain(KEY);
  });
});

describe("an interruption", () => {
  const unavailable: Fault = { kind: "status", status: 503, headers: { "retry-after": "9" } };
  it.each<[string, Fault, "none" | "possible"]>([
    ["the delay before a retry", unavailable, "possible"],
    ["the pause after a 429", { kind: "rateLimit", retryAfter: 9 }, "none"],
    ["a change that was sent", { kind: "hang", at: "headers" }, "possible"],
    ["a list that is arriving", { kind: "hang", at: "body", operation: "listWebhooks" }, "none"],
  ])("ends %s at once", async (_what, fault, effect) => {
    const stop = new AbortController();
    const sandbox = await sandboxFor({ faults: [fault] });
    const client = clientFor(sandbox, { signal: stop.signal, requestTimeout: 9_000 });
    const isList = fault.operation === "listWebhooks";
    const failure = requestFailureOf(isList ? client.listWebhooks() : client.setWebhookState(101, "active"));
    await expect.poll(() => sandbox.requests.length).toBe(1);
    await wait(50); // The response has arrived.
    const startedAt = performance.now();
    stop.abort();
    expect(await failure).toMatchObject({ cause: { kind: "interrupted" }, effect, attempts: 1 });
    expect(performance.now() - startedAt).toBeLessThan(1_000);
    expect(sandbox.requests).toHaveLength(1);
  });

  it("lets a creation that was sent finish, and starts no more", async () => {
    const stop = new AbortController();
    const sandbox = await sandboxFor({ delay: 300 });
    const client = clientFor(sandbox, { signal: stop.signal, maxConnections: 1 });
    const creation = client.createApiKey();
    const queued = requestFailureOf(client.createApiKey());
    await expect.poll(() => sandbox.requests.length).toBe(1);
    stop.abort();
    expect(await queued).toMatchObject({ cause: { kind: "interrupted" }, effect: "none", attempts: 0 });
    expect(client.pendingOperations()).toEqual(["createApiKey"]); // The queued one did not wait for it.
    expect((await creation).created.response.body).toContain(sandbox.apiKeys[0]);
    expect((await requestFailureOf(client.createApiKey())).cause.kind).toBe("interrupted");
    expect(sandbox.requests).toHaveLength(1);
  });
});

describe("a body", () => {
  const MIB = 1024 * 1024;
  const text = JSON.stringify({ apiKey: KEY, padding: randomBytes(3_000).toString("hex") });

  it.each([
    ["GZIP", gzipSync],
    ["x-gzip", gzipSync],
    ["deflate", deflateSync],
    ["br", brotliCompressSync],
  ] as const)("compressed with %s is read, even if it is cut off", async (coding, compress) => {
    let isCutOff = false;
    const target = await listen(({ method }, response) => {
      const body = compress(method === "GET" ? `[{"id":101,"active":true}]` : text);
      response.writeHead(200, { "content-encoding": coding, "content-length": body.length });
      if (isCutOff)
        response.write(body.subarray(0, body.length / 2), () => setTimeout(() => response.destroy(), 20));
      else response.end(body);
    });
    const client = clientFor(target);
    expect((await client.listWebhooks()).webhooks.get(101)?.state).toBe("active");
    isCutOff = true;
    const { response } = (await client.createApiKey()).created;
    expect(response).toMatchObject({ encoding: "utf8", complete: false });
    expect(text.startsWith(response.body) && response.body.includes(KEY)).toBe(true);
  });

  it("that is not text is kept in base64", async () => {
    const target = await listen((_request, response) => response.end(Buffer.from([0xff, 0xfe, 0x00])));
    const { response } = (await clientFor(target).createApiKey()).created;
    expect(response).toEqual({ body: "//4A", encoding: "base64", complete: true });
  });

  const list = `[${" ".repeat(8 * MIB)}]`;
  it.each([
    ["of a list", list, {}, null],
    ["of a list whose length is known", list, { "content-length": list.length }, list.length],
    ["of a list that is compressed", gzipSync(list), { "content-encoding": "gzip" }, null],
  ])("%s of more than 8 MiB is refused without a retry", async (_what, body, headers, size) => {
    const target = await listen((_request, response) => response.writeHead(200, headers).end(body));
    const { cause } = await requestFailureOf(clientFor(target, { requestTimeout: 20_000 }).listWebhooks());
    expect(cause).toEqual({ kind: "tooLarge", limit: 8 * MIB, size });
    expect(target.requests).toHaveLength(1);
  });

  it("of up to 8 MiB is kept for a creation, of more is cut, and ignored for a change", async () => {
    const body = `{"apiKey":"${KEY}","padding":"${"x".repeat(8 * MIB)}"}`;
    let length = 8 * MIB;
    const target = await listen((_request, response) => response.end(body.slice(0, length)));
    const client = clientFor(target);
    expect((await client.createApiKey()).created.response).toMatchObject({
      body: body.slice(0, length),
      complete: true,
    });
    length += 1;
    const { response } = (await client.createApiKey()).created;
    expect(response.complete).toBe(false);
    expect(response.body).toBe(body.slice(0, 8 * MIB));
    await client.setWebhookState(101, "active");
  });

  it("can follow 200 KiB of headers", async () => {
    const headers = { "x-long": "x".repeat(200 * 1024) };
    const target = await listen((_request, response) => response.writeHead(200, headers).end("[]"));
    await clientFor(target).listWebhooks();
  });
});

it("an error contains the server's message and request ID, without secrets", async () => {
  const accessToken = "tok_7Qm2Zr9XbK4gTw-vL8sWc3NfHd1pYx6";
  const key = "pkLiveLetters"; // Too short and too plain to be redacted for its form alone.
  const error = { message: `No access for ${accessToken}\nto ${key}: ask\u001b[31m sales` };
  const body = JSON.stringify({ error });
  const faults = ["req-1", `r-${accessToken}`].map((id): Fault => {
    return { kind: "status", status: 403, body, headers: { "x-request-id": id } };
  });
  const { url } = await sandboxFor({ faults });
  const client = clientFor({ url, accessToken });
  const serverMessage = "No access for *** to ***: ask [31m sales";
  expect(await requestFailureOf(client.deleteApiKey(key))).toMatchObject({
    serverMessage,
    requestId: "req-1",
    webhookId: null,
    server: url,
  });
  expect(await requestFailureOf(client.deleteApiKey(key))).toMatchObject({ serverMessage, requestId: null });
});

it("an error says whether a web page came with the status, as from a gateway", async () => {
  const bodies = ["<!DOCTYPE html><html><body>Forbidden</body></html>", '{"error":"<html>"}'];
  const faults = bodies.map((body): Fault => ({ kind: "status", status: 403, body }));
  const client = clientFor(await sandboxFor({ faults }));
  const causes: object[] = [];
  while (causes.length < bodies.length) causes.push((await requestFailureOf(client.listWebhooks())).cause);
  expect(causes).toEqual([
    { kind: "status", status: 403, isWebPage: true },
    { kind: "status", status: 403 },
  ]);
});

it("a creation with a long value and a request ID in its response is not lost", async () => {
  const certificate = randomBytes(12_000).toString("base64");
  const body = JSON.stringify({ apiKey: KEY, certificate });
  const headers = { "x-request-id": "req-1" };
  const client = clientFor(await sandboxFor({ faults: [{ kind: "status", status: 201, body, headers }] }));
  expect((await client.createApiKey()).created.response).toEqual({ body, encoding: "utf8", complete: true });
});

it("a creation is dated by the end of its last attempt", async () => {
  const lost: Fault = { kind: "status", status: 500, effect: true };
  const sandbox = await sandboxFor({ faults: [{ kind: "rateLimit", retryAfter: 5 }, lost] });
  const client = clientFor(sandbox, { clock: new InstantClock() });
  const failure = await requestFailureOf(client.createApiKey());
  expect(failure).toMatchObject({ effect: "possible", failedAt: "2026-01-01T00:00:05.000Z" });
  expect((await client.createApiKey()).created.createdAt).toBe("2026-01-01T00:00:05.000Z");
});

describe("NODE_DEBUG", () => {
  it.each<[value: string, isRefused: boolean]>([
    ["net,FETCH", true],
    ["websocket", true],
    ["tls,WebSocket,http", true],
    ["und*", true],
    ["*", true],
    ["undici:socks5", true],
    ["tls,websockets,prefetch", false],
  ])("=%s is refused if undici would print request paths: %s", async (value, isRefused) => {
    const script = `
      const { createClient } = await import(process.argv[1]);
      const baseUrl = { origin: "https://partners.test", prefix: "", loopback: false };
      try { createClient({ baseUrl, accessToken: "t", headers: {}, maxConnections: 1 }); console.log("created"); }
      catch (error) { console.log(error.code, JSON.stringify(error.problems)); }`;
    const client = new URL("../../../provider/dist/api/client.js", import.meta.url).href;
    const env = { ...process.env, NODE_DEBUG: value };
    const args = ["--input-type=module", "-e", script, client];
    const { stdout } = await promisify(execFile)(process.execPath, args, { env });
    expect(stdout).toMatch(isRefused ? /PARTNERS_CONFIGURATION.*loggedPaths/ : /^created$/m);
  });

  it("is compared with every name that undici uses", async () => {
    const folder = new URL("../../../node_modules/undici", import.meta.url);
    const files = Object.entries(await readFolder(fileURLToPath(folder)));
    const source = files.filter(([name]) => /^(?:index|lib\/.*)\.js$/.test(name));
    const code = source.map(([, text]) => text).join("\n");
    expect(code).not.toContain("NODE_DEBUG");
    const names = [...code.matchAll(/\bdebuglog\(([^)]*)\)/g)].map(([, name]) => name?.replaceAll("'", ""));
    expect(names.sort()).toEqual([...UNDICI_LOGS].sort());
  });
});
