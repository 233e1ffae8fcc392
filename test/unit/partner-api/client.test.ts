import { randomBytes } from "node:crypto";
import type { ServerResponse } from "node:http";
import { setTimeout as wait } from "node:timers/promises";
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from "node:zlib";
import { describe, expect, it } from "vitest";

import type { PartnerClient } from "../../../provider/src/partner-api/client.ts";
import { VERSION } from "../../../provider/src/version.ts";
import { clientFor, errorOf, InstantClock, KEY, listen, responseBytes, scripted, TOKEN } from "./support.ts";

const MIB = 1024 * 1024;
/** Enough for a busy machine. */
const PATIENCE = { timeout: 20_000 };

describe("the five operations", () => {
  it("send the documented method and path, the token, the headers of the settings, and no body", async () => {
    const { url, requests } = await listen((_request, response) => response.end("{}"));
    const client = clientFor(`${url}/gateway`, { headers: { "X-Gateway-Key": "k1" } });
    await client.createApiKey();
    await client.listWebhooks();
    await client.setWebhookState(103, "active");
    await client.setWebhookState(101, "disabled");
    await client.deleteApiKey(KEY);
    expect(requests.map(({ method, url: path }) => `${method} ${path}`)).toEqual([
      "POST /gateway/api/v1/partners/api-key",
      "GET /gateway/api/v1/partners/webhooks",
      "PATCH /gateway/api/v1/partners/webhooks/103/active",
      "PATCH /gateway/api/v1/partners/webhooks/101/disable",
      `DELETE /gateway/api/v1/partners/api-key/${KEY}`,
    ]);
    for (const { headers, method = "" } of requests) {
      expect(headers).toMatchObject({
        authorization: `Bearer ${TOKEN}`,
        "user-agent": `pulumi-partners/${VERSION}`,
        accept: "application/json",
        "accept-encoding": "identity",
        "x-gateway-key": "k1",
      });
      expect(headers).not.toHaveProperty("content-type");
      expect(headers).not.toHaveProperty("transfer-encoding");
      expect(headers["content-length"]).toBe(["POST", "PATCH"].includes(method) ? "0" : undefined);
    }
  });

  it.each(["a/b+c=d%e?f#g", "../../x", "..%2f", "a\\b", "ключ", "a\r\nx-evil: 1"])(
    "encode the key %j as one path segment",
    async (key) => {
      const { url, requests } = await listen((_request, response) => response.end());
      await clientFor(url).deleteApiKey(key);
      const segments = (requests[0]?.url ?? "").split("/");
      expect([segments.length, decodeURIComponent(segments.at(-1) ?? "")]).toEqual([6, key]);
    },
  );

  it("reuse connections, except for creations", async () => {
    const ports: Record<string, Set<number>> = { GET: new Set(), POST: new Set() };
    const { url } = await listen(({ method = "", socket }, response) => {
      ports[method]?.add(socket.remotePort ?? 0);
      response.end("[]");
    });
    const client = clientFor(url);
    for (let calls = 0; calls < 20; calls++) await client.listWebhooks();
    for (let calls = 0; calls < 3; calls++) await client.createApiKey();
    expect(ports["GET"]?.size).toBeLessThan(5);
    expect([...(ports["POST"] ?? [])].filter((port) => !ports["GET"]?.has(port))).toHaveLength(3);
  });

  it("have at most 16 requests in flight", async () => {
    let most = 0;
    const held: ServerResponse[] = [];
    const { url } = await listen((_request, response) => {
      held.push(response);
      most = Math.max(most, held.length);
    });
    const client = clientFor(url);
    const calls = Array.from({ length: 60 }, (_, id) => client.setWebhookState(id + 1, "active"));
    const all = Promise.all([...calls, client.createApiKey(), client.createApiKey()]);
    await expect.poll(() => held.length, PATIENCE).toBe(16);
    const timer = setInterval(() => held.shift()?.end("{}"), 1);
    await all;
    clearInterval(timer);
    expect(most).toBe(16);
  });
});

describe("a response", () => {
  it("has the headers and the text, also if a creation reports a failure, and its time is kept", async () => {
    const body = JSON.stringify({ success: false });
    const { url } = await listen((_request, response) => response.writeHead(201, { "x-a": "1" }).end(body));
    const clock = new InstantClock();
    const client = clientFor(url, { clock });
    expect(client.lastReceivedAt).toBeNull();
    expect(await client.createApiKey()).toMatchObject({
      headers: { "x-a": "1" },
      text: body,
      isCutOff: false,
    });
    expect(client.lastReceivedAt).toBe(clock.now());
  });

  it("has no words that repeat the token, one word of a header, or the key behind an ID", async () => {
    const { url } = await listen((_request, response) =>
      response.writeHead(400).end(JSON.stringify({ message: said })),
    );
    const client = clientFor(url, { headers: { "X-Auth": "Basic dXNlcjpwdw" } });
    let said = "Invalid request";
    const fail = async (): Promise<string> => (await errorOf(client.deleteApiKey("id-1", [KEY]))).message;
    expect(await fail()).toMatch(/returned 400\. The server said: "Invalid request"\.$/);
    for (said of [TOKEN, "not dXNlcjpwdw", "id-1 is unknown", encodeURIComponent(KEY)])
      expect(await fail()).toMatch(/returned 400\.$/);
  });
});

describe("a body", () => {
  const text = JSON.stringify({ apiKey: KEY, padding: randomBytes(3_000).toString("hex") });
  const huge = gzipSync("x".repeat(9 * MIB));

  it.each<[what: string, encoding: string, sent: Buffer | string, read: Buffer | string]>([
    ["gzip", "GZIP", gzipSync(text), text],
    ["gzip by its old name", "x-gzip", gzipSync(text), text],
    ["deflate", "deflate", deflateSync(text), text],
    ["Brotli", "br", brotliCompressSync(text), text],
    ["Zstandard", "zstd", zstdCompressSync(text), text],
    ["two encodings", "identity, gzip, br", brotliCompressSync(gzipSync(text)), text],
    ["an encoding that it does not have", "gzip", text, text],
    ["an unknown encoding", "compress", text, text],
    ["an encoding that was cut off", "gzip", gzipSync(text).subarray(0, 99), gzipSync(text).subarray(0, 99)],
    ["an encoding of more than 8 MiB", "gzip", huge, huge],
    ["an encoding, but nothing else", "gzip", "", ""],
  ])("with %s is decoded, or left as it is", async (_what, encoding, sent, read) => {
    const { url } = await listen((_request, response) =>
      response.writeHead(201, { "content-encoding": encoding }).end(sent),
    );
    const { body } = await clientFor(url).createApiKey();
    expect(body.equals(Buffer.from(read))).toBe(true);
  });

  it("of more than 8 MiB is an error of a list, is cut for a creation, and ignored for a change", async () => {
    const body = `{"apiKey":"${KEY}","padding":"${"x".repeat(8 * MIB)}"}`;
    let length = 8 * MIB;
    const { url, requests } = await listen((_request, response) => response.end(body.slice(0, length)));
    const client = clientFor(url);
    expect(await client.createApiKey()).toMatchObject({ isCutOff: false, text: body.slice(0, length) });
    length += 1;
    expect(await client.createApiKey()).toMatchObject({ isCutOff: true, text: body.slice(0, 8 * MIB) });
    await client.setWebhookState(101, "active");
    const { code, summary } = await errorOf(client.listWebhooks());
    expect([code, summary]).toEqual([
      "PARTNERS_UNREADABLE",
      `GET ${url}/api/v1/partners/webhooks: the response is longer than 8 MiB`,
    ]);
    expect(requests).toHaveLength(4);
  });

  it("of 8 MiB of one character loses no creation and hides no error", async () => {
    let status = 201;
    const body = JSON.stringify({ message: "x".repeat(8 * MIB - 14) });
    const { url } = await listen((_request, response) => response.writeHead(status).end(body));
    const client = clientFor(url);
    expect((await client.createApiKey()).text).toHaveLength(8 * MIB);
    status = 400;
    expect((await errorOf(client.createApiKey())).message).toContain('The server said: "xxx');
  });

  it("can follow 200 KiB of headers", async () => {
    const headers = { "x-long": "x".repeat(200 * 1024) };
    const { url } = await listen((_request, response) => response.writeHead(200, headers).end("[]"));
    await clientFor(url).listWebhooks();
  });
});

describe("requestTimeout", () => {
  it("ends a response that never stops trickling in", async () => {
    const { url } = await listen((_request, response) => {
      response.writeHead(200);
      const timer = setInterval(() => response.write(" "), 20);
      response.on("close", () => {
        clearInterval(timer);
      });
    });
    const client = clientFor(url, { requestTimeout: 150, clock: new InstantClock() });
    expect((await errorOf(client.listWebhooks())).summary).toContain("the response was cut off");
  });

  it("is shortened by what is left of the time for the operation", async () => {
    const first = responseBytes(503, "", "retry-after: 239\r\n");
    const { url } = await scripted({ bytes: first }, { bytes: "" });
    const client = clientFor(url, { requestTimeout: 60_000, clock: new InstantClock() });
    expect((await errorOf(client.listWebhooks())).summary).toContain("timed out while waiting");
  });

  it("does not discard a response that arrived while the process was busy", async () => {
    const { url } = await listen((_request, response) => {
      response.end(`{"apiKey":"${KEY}"}`);
      // Blocks the process. Afterwards, timers run before the response is read.
      setImmediate(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 400));
    });
    expect((await clientFor(url, { requestTimeout: 300 }).createApiKey()).text).toContain(KEY);
  });
});

describe("an interruption", () => {
  const unavailable = responseBytes(503, "", "retry-after: 9\r\n");
  it.each<[what: string, bytes: string, call: (client: PartnerClient) => Promise<unknown>, effect: string]>([
    ["the pause before a retry", unavailable, (client) => client.setWebhookState(101, "active"), "possible"],
    [
      "the pause after a 429",
      responseBytes(429, "", "retry-after: 9\r\n"),
      (client) => client.setWebhookState(101, "active"),
      "none",
    ],
    ["a change that was sent", "", (client) => client.setWebhookState(101, "active"), "possible"],
    [
      "a list that is arriving",
      "HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n[",
      (client) => client.listWebhooks(),
      "none",
    ],
  ])("ends %s at once", async (_what, bytes, call, effect) => {
    const stop = new AbortController();
    const { url, requests } = await scripted({ bytes });
    const failure = errorOf(call(clientFor(url, { signal: stop.signal })));
    await expect.poll(() => requests.length, PATIENCE).toBe(1);
    await wait(50); // The response has arrived.
    stop.abort();
    expect(await failure).toMatchObject({ code: "PARTNERS_INTERRUPTED", effect, status: null });
    expect(requests).toHaveLength(1);
  });

  it("lets a creation that was sent finish, and starts no more", async () => {
    const stop = new AbortController();
    const held: ServerResponse[] = [];
    const { url, requests } = await listen((_request, response) => void held.push(response));
    const client = clientFor(url, { signal: stop.signal });
    const creations = Array.from({ length: 16 }, () => client.createApiKey());
    const queued = errorOf(client.createApiKey());
    await expect.poll(() => requests.length, PATIENCE).toBe(16);
    stop.abort();
    expect(await queued).toMatchObject({ code: "PARTNERS_INTERRUPTED", effect: "none" });
    for (const response of held) response.end(`{"apiKey":"${KEY}"}`);
    for (const { text } of await Promise.all(creations)) expect(text).toContain(KEY);
    expect((await errorOf(client.createApiKey())).code).toBe("PARTNERS_INTERRUPTED");
    expect(requests).toHaveLength(16);
  });
});

it("each attempt is logged in one line, and each pause is announced as it is", async () => {
  const replies = [
    responseBytes(503),
    responseBytes(429, "", "retry-after: 7\r\n"),
    responseBytes(200, "{}"),
  ];
  const { url } = await scripted(...replies.map((bytes) => ({ bytes })));
  const [lines, status]: [string[], string[]] = [[], []];
  const client = clientFor(url, {
    clock: new InstantClock(),
    log: (line) => void lines.push(line.replace(/ms=\d+/, "ms=N")),
    onStatus: (text) => void status.push(text),
  });
  await client.setWebhookState(101, "disabled");
  const start = `disableWebhook PATCH /api/v1/partners/webhooks/{webhook_id}/disable host=${new URL(url).host}`;
  expect(lines).toEqual([
    `${start} status=503 attempt=1 ms=N`,
    `${start} status=429 attempt=2 ms=N`,
    `${start} status=200 attempt=3 ms=N`,
  ]);
  expect(status).toEqual([
    "PATCH /webhooks/101/disable: the server returned 503; retrying in 0.38 s",
    "PATCH /webhooks/101/disable: the server returned 429; retrying in 7 s",
  ]);
});
