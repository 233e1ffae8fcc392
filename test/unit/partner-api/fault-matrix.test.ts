/** What each operation makes of every fault on the wire: requests, error, effect. Nothing shows a secret. */
import { inspect } from "node:util";
import { expect, it } from "vitest";

import type { HttpResponse } from "../../../provider/src/partner-api/attempt.ts";
import type { PartnerClient } from "../../../provider/src/partner-api/client.ts";
import { CANARIES, findLeaks } from "../../support/canary.ts";
import {
  clientFor,
  createKey,
  errorOf,
  InstantClock,
  listen,
  responseBytes,
  scripted,
  type Reply,
} from "./support.ts";

const { token, header, existingKey } = CANARIES;

const CALLS = {
  GET: (client) => client.listWebhooks(),
  PATCH: (client) => client.setWebhookState(101, "active"),
  DELETE: (client) => client.deleteApiKey(existingKey, []),
  POST: createKey,
} satisfies Record<string, (client: PartnerClient) => Promise<unknown>>;
type Method = keyof typeof CALLS;
const METHODS = Object.keys(CALLS) as Method[];

const BODIES: Readonly<Record<Method, string>> = {
  ...{ GET: `[{"id":101,"active":true}]`, POST: `{"apiKey":"pk_live_0123456789abcdef"}` },
  ...{ PATCH: "{}", DELETE: "{}" },
};
const ECHO = JSON.stringify({ message: `${token} and ${header} may not delete ${existingKey}` });
const HTML = "<!doctype html><html><body>Please log in</body></html>";

const always = (bytes: string, end?: Reply["end"]) => (): Reply => ({ bytes, ...(end && { end }) });
const status = (code: number, headers = "", body = ECHO) => always(responseBytes(code, body, headers));
const good = (method: Method): Reply => ({ bytes: responseBytes(200, BODIES[method]) });

/** Returns a response whose body is shorter than its `content-length`. */
function incomplete(end?: Reply["end"], code = 200): (method: Method) => Reply {
  return (method) => ({
    bytes: `HTTP/1.1 ${code} Test\r\ncontent-length: 999\r\n\r\n${BODIES[method].slice(0, 8)}`,
    ...(end && { end }),
  });
}

/** The number of requests, then the code and the effect of the error, or `done` or `partial`. */
type Cell = `${number} ${string}`;
type Row = readonly [fault: string, reply: (method: Method) => Reply, get: Cell, change: Cell, post: Cell];

/** A fault with the same code for all operations, which a creation never repeats. */
function row(fault: string, reply: Row[1], code: string, get: number, change: number, effect: string): Row {
  return [fault, reply, `${get} ${code} none`, `${change} ${code} ${effect}`, `1 ${code} ${effect}`];
}
const refused = (code: number) => row(`${code}`, status(code), "STATUS", 1, 1, "none");
const transient = (code: number) => row(`${code}`, status(code), "STATUS", 6, 6, "possible");
const redirect = (code: number) =>
  row(`${code}`, status(code, `location: /${token}\r\n`), "STATUS", 1, 1, "possible");
const disconnect = (name: string, bytes: string, end?: Reply["end"]) =>
  row(name, always(bytes, end), "CONNECTION", 6, 6, "possible");

const UNREADABLE = ["1 UNREADABLE none", "1 UNREADABLE possible"] as const;
const MALFORMED = ["1 CONNECTION none", "1 done", "1 partial"] as const;
const CLOSE = "HTTP/1.1 200 OK\r\nconnection: close\r\n";
const earlyEnd = always(`${CLOSE}content-length: 9\r\n\r\n[]`, "fin");
const earlyEndOfChunks = always(`${CLOSE}transfer-encoding: chunked\r\n\r\n9\r\n[]`, "fin");
const earlyHint = (method: Method) => ({ bytes: `HTTP/1.1 103 Early\r\n\r\n${good(method).bytes}` });

const [LENGTH, CHUNKED] = ["content-length: 2\r\n", "transfer-encoding: chunked\r\n"];
const LONG_HEADER = `HTTP/1.1 200 OK\r\nx-echo: ${token.repeat(10_000)}\r\n\r\n`;

const MATRIX: readonly Row[] = [
  ...[301, 303, 304].map(redirect),
  ...[400, 401, 403, 404, 409, 410, 501].map(refused),
  ...[408, 502, 503, 504].map(transient),
  row("500", status(500), "STATUS", 6, 1, "possible"),
  row("a status that HTTP does not have", status(600), "STATUS", 1, 1, "possible"),
  // Two minutes of pauses that double.
  ["429", status(429), "8 STATUS none", "8 STATUS none", "8 STATUS none"],

  disconnect("a reset", "", "reset"),
  disconnect("a close", "", "fin"),
  disconnect("a close in the headers", `HTTP/1.1 200 OK\r\nx-echo: ${token}`, "fin"),
  row("a header that is too long", always(LONG_HEADER), "CONNECTION", 1, 1, "possible"),
  ...(
    [
      ["a malformed header", `HTTP/1.1 200 OK\r\n${token}\r\n\r\n`],
      ["a control character", `HTTP/1.1 200 OK\r\nx-echo: ${token}\u0001\r\n\r\n`],
      ["LF line ends", `HTTP/1.1 200 OK\nx-echo: ${token}\n\n[]`],
      ["two lengths", `HTTP/1.1 200 OK\r\n${LENGTH}${LENGTH}x-echo: ${token}\r\n\r\n[]`],
      ["a length of chunks", `HTTP/1.1 200 OK\r\n${CHUNKED}${LENGTH}\r\n2\r\n[]\r\n0\r\n\r\n`],
      ["another protocol", "220 smtp.example.com ready\r\n"],
    ] as const
  ).map(([fault, bytes]) => row(fault, always(bytes), "CONNECTION", 1, 1, "possible")),
  // The time of the operation ends.
  disconnect("a close after an early hint", "HTTP/1.1 103 Early\r\n\r\n", "fin"),
  row("no response", always(""), "TIMEOUT", 3, 3, "possible"),

  ["a reset in the body", incomplete("reset"), "6 CONNECTION none", "1 done", "1 partial"],
  ["a close in the body", incomplete("fin"), "6 CONNECTION none", "1 done", "1 partial"],
  ["a malformed chunk", always(`HTTP/1.1 200 OK\r\n${CHUNKED}\r\nzz\r\n`), ...MALFORMED],
  ["an early end before a close", earlyEnd, "6 CONNECTION none", "1 done", "1 partial"],
  ["an early end of chunks", earlyEndOfChunks, "6 CONNECTION none", "1 done", "1 partial"],
  ["a stall in the body", incomplete(), "3 TIMEOUT none", "1 done", "1 partial"],
  row("a reset in the body of a 503", incomplete("reset", 503), "STATUS", 6, 6, "possible"),
  // The response to a creation may hold the only copy of a key.
  ["a web page", status(200, "", HTML), ...UNREADABLE, "1 done"],
  ["a reported failure", status(200, "", `{"success":false}`), ...UNREADABLE, "1 UNREADABLE none"],
  ["an early hint", earlyHint, "1 done", "1 done", "1 done"],
  ["204", status(204), "1 done", "1 done", "1 done"],
];

/** The faults that only a timeout ends. A busy machine may take long for any other one. */
const ENDLESS = new Set(["no response", "a stall in the body"]);

/** Performs an operation with a new client, and looks for secrets in everything that it shows. */
async function resultOf(method: Method, url: string, fault = ""): Promise<string> {
  const shown: string[] = [];
  const show = (line: string): void => void shown.push(line);
  const secrets = { accessToken: token, headers: { "X-Gateway-Key": header } };
  const requestTimeout = ENDLESS.has(fault) ? 500 : 10_000;
  const options = { clock: new InstantClock(), requestTimeout, log: show, showStatus: show };
  const client = clientFor(url, { ...secrets, ...options });
  const [result] = await Promise.allSettled([CALLS[method](client)]);
  expect(shown.length).toBeGreaterThan(0);
  if (result.status === "fulfilled") {
    expect(findLeaks({ shown: shown.join("\n") }, CANARIES)).toEqual([]);
    return (result.value as HttpResponse | undefined)?.cutOff ? "partial" : "done";
  }
  const error = await errorOf(Promise.reject(result.reason as Error));
  const facts = inspect(error, { depth: 20, showHidden: true });
  expect(findLeaks({ shown: shown.join("\n"), facts, stack: error.stack ?? "" }, CANARIES)).toEqual([]);
  return `${error.code.replace("PARTNERS_", "")} ${error.mayHaveChanged ? "possible" : "none"}`;
}

it.each(MATRIX)("a fault of every request: %s", async (fault, reply, get, change, post) => {
  const expected = { GET: get, PATCH: change, DELETE: change, POST: post };
  const cells = METHODS.map(async (method) => {
    const { url, requests } = await scripted(reply(method));
    const result = await resultOf(method, url, fault);
    return [method, `${requests.length} ${result}`] as const;
  });
  expect(Object.fromEntries(await Promise.all(cells))).toEqual(expected);
});

const repeated = MATRIX.filter(([, , get]) => !get.startsWith("1"));
it.each(repeated)(
  "after one fault, a retry succeeds, and nothing else is sent again: %s",
  async (fault, reply, ...always) => {
    const results = (["GET", "PATCH", "POST"] as const).map(async (method, index) => {
      const { url, requests } = await scripted(reply(method), good(method));
      const result = await resultOf(method, url, fault);
      const expected = always[index]?.startsWith("1 ") ? always[index] : "2 done";
      expect([method, `${requests.length} ${result}`]).toEqual([method, expected]);
    });
    await Promise.all(results);
  },
);

it.each(METHODS)("no %s is lost if the server resets every reused connection", async (method) => {
  const used = new WeakSet<object>();
  let dropped = 0;
  const { url, requests } = await listen(({ socket }, reply) => {
    if (used.has(socket)) {
      dropped += 1;
      socket.resetAndDestroy();
    } else {
      used.add(socket);
      reply.end(BODIES[method]);
    }
  });
  const lines: string[] = [];
  const log = (line: string): void => void lines.push(line);
  const client = clientFor(url, { clock: new InstantClock(), log });
  const work = async (): Promise<void> => {
    for (let calls = 0; calls < 10; calls++) await CALLS[method](client);
  };
  await Promise.all(Array.from({ length: 16 }, work));
  expect(requests.length - dropped).toBe(160);
  // The second attempt opens a new connection.
  expect(lines.filter((line) => line.includes("attempt=3"))).toEqual([]);
  if (method === "POST") expect(dropped).toBe(0);
  else expect(dropped).toBeGreaterThan(40); // The server did reset connections.
});
