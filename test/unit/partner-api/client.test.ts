import { randomBytes } from "node:crypto";
import dns from "node:dns";
import { getEventListeners } from "node:events";
import type { ServerResponse } from "node:http";
import { setTimeout as wait } from "node:timers/promises";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { expect, it, onTestFinished, vi } from "vitest";

import type { PartnerClient } from "../../../provider/src/partner-api/client.ts";
import { VERSION } from "../../../provider/src/version.ts";
import {
  clientFor,
  createKey,
  errorOf,
  InstantClock,
  KEY,
  listen,
  responseBytes,
  scripted,
  TOKEN,
} from "./support.ts";

const MIB = 1024 * 1024;
const ARRIVING = "HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n[";
/** Enough for a busy machine. */
const PATIENCE = { timeout: 20_000 };

it("the five operations send what is documented, the token, the headers of the settings, and no body", async () => {
  const { url, requests } = await listen((_request, response) => response.end("{}"));
  const client = clientFor(`${url}/gateway`, { headers: { "X-Gateway-Key": "k1" } });
  await createKey(client);
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
  "a deletion encodes the key %j as one path segment",
  async (key) => {
    const { url, requests } = await listen((_request, response) => response.end());
    await clientFor(url).deleteApiKey(key);
    const segments = (requests[0]?.url ?? "").split("/");
    expect([segments.length, decodeURIComponent(segments.at(-1) ?? "")]).toEqual([6, key]);
  },
);

it("an error quotes no words with the token, one word of a header, a key of the process, or the ID in the path", async () => {
  const body = () => JSON.stringify({ message: said });
  const { url } = await listen((_request, response) => response.writeHead(400).end(body()));
  const client = clientFor(url, { headers: { "X-Auth": "Basic dXNlcjpwdw" } });
  let said = "Invalid request";
  const fail = async (): Promise<string> => (await errorOf(client.deleteApiKey("id-1"))).message;
  expect(await fail()).toMatch(/returned 400\. The server said: "Invalid request"\.$/);
  for (said of [TOKEN, "not dXNlcjpwdw", "id-1 is unknown", encodeURIComponent(KEY)])
    expect(await fail()).toMatch(/returned 400\.$/);
});

const text = JSON.stringify({ apiKey: KEY, padding: randomBytes(3_000).toString("hex") });
const huge = gzipSync("x".repeat(MIB + 1));

it.each<[what: string, encoding: string, sent: Buffer | string, read: Buffer | string]>([
  ["gzip", "GZIP", gzipSync(text), text],
  ["another encoding", "br", brotliCompressSync(text), brotliCompressSync(text)],
  ["an encoding that it does not have", "gzip", text, text],
  ["an encoding that was cut off", "gzip", gzipSync(text).subarray(0, 99), gzipSync(text).subarray(0, 99)],
  ["an encoding of more than 1 MiB", "gzip", huge, huge],
])("a body with %s is decoded, or left as it is", async (_what, encoding, sent, read) => {
  const headers = { "content-encoding": encoding };
  const { url } = await listen((_request, response) => response.writeHead(201, headers).end(sent));
  const { body } = await createKey(clientFor(url));
  expect(body.equals(Buffer.from(read))).toBe(true);
});

it("a body of over 8 MiB is an error of a list and ignored for a change; one over 1 MiB is cut for a creation", async () => {
  const body = `{"apiKey":"${KEY}","padding":"${"x".repeat(8 * MIB)}"}`;
  let length = MIB;
  const { url, requests } = await listen((_request, response) => response.end(body.slice(0, length)));
  const client = clientFor(url);
  const create = () => createKey(client);
  expect(await create()).toMatchObject({ cutOff: null, text: body.slice(0, length) });
  length += 1;
  expect(await create()).toMatchObject({ cutOff: "limit", text: body.slice(0, MIB) });
  length = 8 * MIB;
  expect(await client.listWebhooks()).toMatchObject({ cutOff: null, text: body.slice(0, length) });
  length += 1;
  await client.setWebhookState(101, "active");
  const { code, summary } = await errorOf(client.listWebhooks());
  expect([code, summary]).toEqual(["PARTNERS_UNREADABLE", expect.stringMatching(/is longer than 8 MiB$/)]);
  expect(requests).toHaveLength(5);
});

it("the error of a creation that was cut off quotes nothing, because any word may be the key", async () => {
  const body = '{"message":"API key a1b2c3d4e5f6 was created","apiKey":"a1b2c3d4e5f6"}';
  const bytes = `HTTP/1.1 201 Created\r\ncontent-length: 900\r\n\r\n${body}`;
  const { url } = await scripted({ bytes, end: "fin" });
  const { response, failure } = await clientFor(url).createApiKey(() => false);
  expect(response).toMatchObject({ cutOff: "connection", text: body });
  expect(failure?.message).toMatch(/: the response was cut off\.$/);
});

it("after a broken connection, no attempt of the same call uses a kept-alive one; the next call does", async () => {
  const broken = { bytes: "", end: "reset" } as const;
  const [failing, good] = [{ bytes: responseBytes(503) }, { bytes: responseBytes(200) }];
  const { url, requests } = await scripted(broken, failing, good);
  const client = clientFor(url, { clock: new InstantClock() });
  await client.listWebhooks();
  await client.listWebhooks();
  const connections = requests.map((head) => /^connection: (.*)\r$/im.exec(head)?.[1]);
  expect(connections).toEqual(["keep-alive", "close", "close", "keep-alive"]);
});

it("a body can follow 200 KiB of headers", async () => {
  const headers = { "x-long": "x".repeat(200 * 1024) };
  const { url } = await listen((_request, response) => response.writeHead(200, headers).end("[]"));
  expect(await clientFor(url).listWebhooks()).toMatchObject({ text: "[]" });
});

it("requestTimeout ends a response that never stops trickling in", async () => {
  const { url } = await listen((_request, response) => {
    response.writeHead(200);
    const timer = setInterval(() => response.write(" "), 20);
    response.on("close", () => {
      clearInterval(timer);
    });
  });
  const client = clientFor(url, { requestTimeout: 500, clock: new InstantClock() });
  expect((await errorOf(client.listWebhooks())).summary).toContain("timed out while reading the response");
  const { response, failure } = await client.createApiKey(() => false);
  expect(response?.text.trim()).toBe("");
  expect(failure).toMatchObject({ code: "PARTNERS_TIMEOUT", mayHaveChanged: true });
  expect(failure?.message).toMatch(/response\. If the server is slow, raise partners:requestTimeout\.$/);
});

it("requestTimeout is shortened by what is left of the time for the operation", async () => {
  const first = responseBytes(503, "", "retry-after: 239\r\n");
  const { url } = await scripted({ bytes: first }, { bytes: "" });
  const client = clientFor(url, { requestTimeout: 60_000, clock: new InstantClock() });
  expect((await errorOf(client.listWebhooks())).summary).toContain("timed out while waiting");
});

it("requestTimeout is not shortened for a creation, whatever the attempts before it have taken", async () => {
  const { url, requests } = await listen((_request, response) => {
    // A shorter timer of the client, which started earlier, has ended the attempt by then.
    setTimeout(() => setImmediate(() => response.writeHead(201).end(text)), 20);
  });
  let lookups = 0;
  type Callback = (error: Error | null, addresses?: dns.LookupAddress[]) => void;
  const resolveAtLast = (_host: string, _options: object, callback: Callback): void => {
    if (++lookups > 3) callback(null, [{ address: "127.0.0.1", family: 4 }]);
    else callback(Object.assign(new Error("unknown"), { code: "ENOTFOUND" }));
  };
  const lookup = vi.spyOn(dns, "lookup").mockImplementation(resolveAtLast as typeof dns.lookup);
  onTestFinished(() => {
    lookup.mockRestore();
  });
  const clock = new InstantClock();
  // With the pauses, three attempts leave 3 ms of the time for the operation.
  const log = (): void => void clock.sleep(79_124);
  const client = clientFor(`http://partners.test:${new URL(url).port}`, {
    requestTimeout: 60_000,
    clock,
    log,
  });
  expect((await createKey(client)).text).toBe(text);
  expect([lookups, requests.length]).toEqual([4, 1]);
});

it("requestTimeout does not discard a response that arrived while the process was busy", async () => {
  const { url } = await listen((_request, response) => {
    response.end(`{"apiKey":"${KEY}"}`);
    // Blocks the process. Afterwards, timers run before the response is read.
    setImmediate(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 400));
  });
  expect((await createKey(clientFor(url, { requestTimeout: 300 }))).text).toContain(KEY);
});

it.each<
  [what: string, bytes: string, call: (client: PartnerClient) => Promise<unknown>, mayHaveChanged: boolean]
>([
  ["a change that was sent", "", (client) => client.setWebhookState(101, "active"), true],
  ["a list that is arriving", ARRIVING, (client) => client.listWebhooks(), false],
])("an interruption ends %s at once", async (_what, bytes, call, mayHaveChanged) => {
  const stop = new AbortController();
  const { url, requests } = await scripted({ bytes });
  const status: string[] = [];
  const showStatus = (text: string): void => void status.push(text);
  const failure = errorOf(call(clientFor(url, { signal: stop.signal, showStatus })));
  await expect.poll(() => requests.length, PATIENCE).toBe(1);
  await wait(50); // The response has arrived.
  stop.abort();
  expect(await failure).toMatchObject({ code: "PARTNERS_INTERRUPTED", mayHaveChanged });
  expect([requests.length, status]).toEqual([1, []]);
});

it("an interruption lets a creation that was sent finish, and starts no more", async () => {
  const stop = new AbortController();
  const held: ServerResponse[] = [];
  const { url, requests } = await listen((_request, response) => void held.push(response));
  const client = clientFor(url, { signal: stop.signal });
  const creations = Array.from({ length: 16 }, () => createKey(client));
  const queued = errorOf(createKey(client));
  await expect.poll(() => requests.length, PATIENCE).toBe(16);
  stop.abort();
  expect(await queued).toMatchObject({ code: "PARTNERS_INTERRUPTED", mayHaveChanged: false });
  for (const response of held) response.end(`{"apiKey":"${KEY}"}`);
  for (const { text } of await Promise.all(creations)) expect(text).toContain(KEY);
  expect((await errorOf(createKey(client))).code).toBe("PARTNERS_INTERRUPTED");
  expect(requests).toHaveLength(16);
});

it("requests that have ended no longer wait for an interruption", async () => {
  const { url } = await listen((_request, response) => response.end("[]"));
  const { signal } = new AbortController();
  const client = clientFor(url, { signal });
  const listeners = getEventListeners(signal, "abort").length;
  await Promise.all([client.listWebhooks(), createKey(client)]);
  expect(getEventListeners(signal, "abort")).toHaveLength(listeners);
});

it("each attempt is logged in one line, and each pause is announced as it is", async () => {
  const replies = [responseBytes(503), responseBytes(429, "", "retry-after: 7\r\n"), responseBytes(200)];
  const { url } = await scripted(...replies.map((bytes) => ({ bytes })));
  const [lines, status]: [string[], string[]] = [[], []];
  const log = (line: string): void => void lines.push(line.replace(/ms=\d+/, "ms=N"));
  const showStatus = (text: string): void => void status.push(text);
  const client = clientFor(url, { clock: new InstantClock(), log, showStatus });
  await client.setWebhookState(101, "disabled");
  const start = `disableWebhook PATCH /api/v1/partners/webhooks/{webhook_id}/disable host=${new URL(url).host}`;
  const results = ["status=503 attempt=1", "status=429 attempt=2", "status=200 attempt=3"];
  expect(lines).toEqual(results.map((result) => `${start} ${result} ms=N`));
  const pauses = ["503; retrying in 0.38 s", "429; retrying in 7 s"];
  expect(status).toEqual(pauses.map((text) => `PATCH /webhooks/101/disable: the server returned ${text}`));
});
