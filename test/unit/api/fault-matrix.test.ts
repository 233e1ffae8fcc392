/** The requests and the error of each kind of operation, for every fault. */
import { describe, expect, it } from "vitest";

import { RequestError } from "../../../provider/src/api/errors.js";
import type { PartnerService } from "../../../provider/src/shared/partner-service.js";
import type { Fault } from "../../support/sandbox.ts";
import { startTcpServer } from "../../support/tcp-server.ts";
import {
  clientFor,
  failureOf,
  InstantClock,
  KEY,
  listen,
  requestFailureOf,
  sandboxFor,
  scripted,
  type Reply,
  type Target,
} from "./support.ts";

const CALLS = {
  GET: (client) => client.listWebhooks(),
  PATCH: (client) => client.setWebhookState(101, "active"),
  DELETE: (client) => client.deleteApiKey(KEY),
  POST: (client) => client.createApiKey(),
} satisfies Record<string, (client: PartnerService) => Promise<unknown>>;
type Method = keyof typeof CALLS;

const BODIES: Readonly<Record<Method, string>> = {
  GET: `[{"id":101,"active":true}]`,
  PATCH: "{}",
  DELETE: "{}",
  POST: `{"apiKey":"${KEY}"}`,
};

function response(status: number, body: string, headers = ""): string {
  const length = status === 304 || status === 204 ? "" : `content-length: ${body.length}\r\n`;
  return `HTTP/1.1 ${status} Test\r\n${headers}${length}\r\n${length === "" ? "" : body}`;
}

function status(code: number, headers = "", body = `{"error":"of the matrix"}`): () => Reply {
  return () => ({ bytes: response(code, body, headers) });
}

/** Returns a response whose body is incomplete: shorter than its `content-length`. */
function incomplete(end?: Reply["end"], code = 200): (method: Method) => Reply {
  return (method) => ({
    bytes: `HTTP/1.1 ${code} Test\r\ncontent-length: 999\r\n\r\n${BODIES[method].slice(0, 8)}`,
    ...(end && { end }),
  });
}

const good = (method: Method): Reply => ({ bytes: response(200, BODIES[method]) });
const hinted = (method: Method): Reply => ({ bytes: `HTTP/1.1 103 Early\r\n\r\n${good(method).bytes}` });

/**
 * The number of requests, the cause, and the effect, if the fault happens to every request of an operation.
 */
type Cell = `${number} ${string}`;
type Row = readonly [fault: string, reply: (method: Method) => Reply, get: Cell, change: Cell, post: Cell];

/** A row for a fault with the same cause for all operations. A creation is never retried after it. */
const row = (
  fault: string,
  reply: Row[1],
  cause: string,
  gets: number,
  changes: number,
  effect: string,
): Row => [fault, reply, `${gets} ${cause}, none`, `${changes} ${cause}, ${effect}`, `1 ${cause}, ${effect}`];
const refused = (code: number) => row(`${code}`, status(code), `status ${code}`, 1, 1, "none");
const transient = (code: number, fault = `${code}`, reply: Row[1] = status(code)) =>
  row(fault, reply, `status ${code}`, 4, 4, "possible");
const redirect = (code: number) =>
  row(`${code}`, status(code, "location: /elsewhere\r\n"), `status ${code}`, 1, 1, "possible");
const disconnect = (fault: string, code: string, reply: Reply) =>
  row(fault, () => reply, `connection ${code}`, 4, 4, "possible");
const HTML = "<!doctype html><html><body>Please log in</body></html>";
const FAILURE = `{"success":false,"message":"no"}`;

const MATRIX: readonly Row[] = [
  ...[301, 303, 304].map(redirect),
  ...[400, 401, 404, 405, 409, 501].map(refused),
  ...[408, 502, 503, 504].map((code) => transient(code)),
  row("500", status(500), "status 500", 4, 1, "possible"),

  // 429s do not count as attempts. The operation fails when the doubling pause is longer than
  // operationTimeout.
  ["429", status(429), "5 throttled 429, none", "5 throttled 429, none", "5 throttled 429, none"],
  disconnect("a reset", "ECONNRESET", { bytes: "", end: "reset" }),
  disconnect("a close", "UND_ERR_SOCKET", { bytes: "", end: "fin" }),
  disconnect("a close in the headers", "UND_ERR_SOCKET", { bytes: "HTTP/1.1 200 OK\r\ncon", end: "fin" }),
  disconnect("another protocol", "HTTPParserError", { bytes: "220 smtp.example.com ready\r\n" }),
  disconnect("an unrequested 100 Continue", "UND_ERR_SOCKET", {
    bytes: `HTTP/1.1 100 Continue\r\n\r\n${response(200, "{}")}`,
  }),
  row("no response", () => ({ bytes: "" }), "timeout", 4, 4, "possible"),
  ["a reset in the body", incomplete("reset"), "4 cutOff, none", "1 done", "1 partial"],
  ["a close in the body", incomplete("fin"), "4 cutOff, none", "1 done", "1 partial"],
  ["a stall in the body", incomplete(), "4 cutOff, none", "1 done", "1 partial"],
  transient(503, "a reset in the body of a 503", incomplete("reset", 503)),
  row("a web page", status(200, "", HTML), "webPage", 1, 1, "possible"),
  // It says that nothing was created.
  [
    "a reported failure",
    status(200, "", FAILURE),
    "1 reportedFailure, none",
    "1 reportedFailure, possible",
    "1 reportedFailure, none",
  ],
  ["an early hint before the response", hinted, "1 done", "1 done", "1 done"],
];

/** The faults that only a timeout ends. A busy machine may take long for any other one. */
const ENDLESS = new Set(["no response", "a stall in the body"]);

/**
 * Performs an operation with a new client. Returns its cause and effect, `done`, or `partial` for an
 * incomplete response.
 */
async function resultOf(method: Method, target: Target, fault = ""): Promise<string> {
  const requestTimeout = ENDLESS.has(fault) ? 250 : 10_000;
  const options = { clock: new InstantClock(), requestTimeout, operationTimeout: 10_000 };
  return CALLS[method](clientFor(target, options)).then(
    (value) => (JSON.stringify({ value }).includes(`"complete":false`) ? "partial" : "done"),
    (error: unknown) => {
      if (!(error instanceof RequestError)) throw error;
      const { cause, effect } = error.failure;
      const code = "code" in cause ? ` ${cause.code}` : "";
      const detail = "status" in cause ? ` ${cause.status}` : code;
      return `${cause.kind}${detail}, ${effect}`;
    },
  );
}

describe("a fault that happens to every request", () => {
  it.each(MATRIX)("%s", async (fault, reply, get, change, post) => {
    const expected = { GET: get, PATCH: change, DELETE: change, POST: post };
    const cells = (Object.keys(CALLS) as Method[]).map(async (method) => {
      const target = await scripted(reply(method));
      const result = await resultOf(method, target, fault);
      return [method, `${target.requests.length} ${result}`] as const;
    });
    expect(Object.fromEntries(await Promise.all(cells))).toEqual(expected);
  });
});

describe("a fault that happens once", () => {
  const repeated = MATRIX.filter(([, , get]) => !get.startsWith("1"));
  it.each(repeated)("%s: retries succeed, and nothing else is sent again", async (fault, reply, ...cells) => {
    const results = (["GET", "PATCH", "POST"] as const).map(async (method, index) => {
      const target = await scripted(reply(method), good(method));
      const result = await resultOf(method, target, fault);
      const always = cells[index] ?? "";
      const expected = always.startsWith("1 ") ? always : "2 done";
      expect([method, `${target.requests.length} ${result}`]).toEqual([method, expected]);
    });
    await Promise.all(results);
  });

  it("keeps its possible effect even if the server refuses the retry", async () => {
    const target = await scripted({ bytes: "", end: "reset" }, status(403)());
    expect(await resultOf("PATCH", target)).toBe("status 403, possible");
  });
});

describe("a 404 to a deletion", () => {
  const missing = (times: number): Fault => ({
    kind: "status",
    status: 404,
    operation: "deleteApiKey",
    times,
  });

  it("is final", async () => {
    const sandbox = await sandboxFor({ apiKeys: [KEY], faults: [missing(1)] });
    const failure = await requestFailureOf(clientFor(sandbox).deleteApiKey(KEY));
    expect(failure).toMatchObject({ cause: { kind: "status", status: 404 }, attempts: 1, effect: "none" });
  });

  it("is retried for a new key, which a replica may not know yet", async () => {
    const clock = new InstantClock();
    const sandbox = await sandboxFor({ apiKeys: [KEY], faults: [missing(3)] });
    await clientFor(sandbox, { clock }).deleteApiKey(KEY, KEY, true);
    expect([sandbox.requests.length, sandbox.apiKeys, clock.sleeps]).toEqual([4, [], [100, 200, 400]]);
  });

  it("of a new key is final after four attempts, or when the time is over", async () => {
    const sandbox = await sandboxFor({ apiKeys: [KEY], faults: [missing(Infinity)] });
    for (const [operationTimeout, attempts] of [
      [10_000, 4],
      [250, 2],
    ] as const) {
      const client = clientFor(sandbox, { clock: new InstantClock(), operationTimeout });
      const failure = await requestFailureOf(client.deleteApiKey(KEY, KEY, true));
      expect(failure).toMatchObject({ cause: { kind: "status", status: 404 }, attempts, effect: "none" });
    }
  });
});

it.each(Object.keys(CALLS) as Method[])(
  "a refused connection is tried four times, and has no effect: %s",
  async (method) => {
    const server = await startTcpServer(() => undefined);
    await server.close();
    const clock = new InstantClock();
    const client = clientFor({ url: `http://127.0.0.1:${server.port}`, accessToken: "t" }, { clock });
    expect(await failureOf(CALLS[method](client))).toMatchObject({
      code: "PARTNERS_CONNECTION",
      failure: { cause: { code: "ECONNREFUSED" }, effect: "none", attempts: 4 },
    });
    expect(clock.sleeps).toEqual([100, 200, 400]); // Half of 200, 400 and 800.
  },
);

it.each(Object.keys(CALLS) as Method[])(
  "no %s is lost if the server resets every reused connection",
  async (method) => {
    const used = new WeakSet<object>();
    let dropped = 0;
    const target = await listen(({ socket }, reply) => {
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
    const client = clientFor(target, { clock: new InstantClock(), maxConnections: 8, log });
    const work = async (): Promise<void> => {
      for (let calls = 0; calls < 10; calls++) await CALLS[method](client);
    };
    await Promise.all(Array.from({ length: 16 }, work));
    expect(target.requests.length - dropped).toBe(160);
    // The second one opens a new connection.
    expect(lines.filter((line) => line.includes("attempt=3"))).toEqual([]);
    if (method === "POST") expect(dropped).toBe(0);
    else expect(dropped).toBeGreaterThan(40); // The server did reset connections.
  },
);
