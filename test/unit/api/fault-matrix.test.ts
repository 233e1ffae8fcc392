/** What is sent, and what an error says, for each kind of operation and each way in which a request can go wrong. */
import { createServer, type AddressInfo } from "node:net";
import { describe, expect, it } from "vitest";

import type { PartnerClient } from "../../../provider/src/api/client.js";
import { RequestError } from "../../../provider/src/api/errors.js";
import {
  clientFor,
  failureOf,
  InstantClock,
  KEY,
  listen,
  playing,
  type Play,
  type Target,
} from "./support.ts";

type Call = (client: PartnerClient) => Promise<unknown>;

const CALLS = {
  GET: (client) => client.listWebhooks(),
  PATCH: (client) => client.setWebhookState(101, "active"),
  DELETE: (client) => client.deleteApiKey(KEY),
  POST: (client) => client.createApiKey(),
} satisfies Record<string, Call>;
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

/** An answer with a status, and with an error as its body. */
function status(code: number, headers = "", body = `{"error":"of the matrix"}`): () => Play {
  return () => ({ bytes: response(code, body, headers) });
}

/** A success with a body that does not arrive: `content-length` promises more than is sent. */
function broken(end?: Play["end"], code = 200): (method: Method) => Play {
  return (method) => ({
    bytes: `HTTP/1.1 ${code} Test\r\ncontent-length: 999\r\n\r\n${BODIES[method].slice(0, 8)}`,
    ...(end && { end }),
  });
}

const good = (method: Method): Play => ({ bytes: response(200, BODIES[method]) });
const hinted = (method: Method): Play => ({ bytes: `HTTP/1.1 103 Early\r\n\r\n${good(method).bytes}` });

/** How an operation ends if the fault happens to each of its requests: how many arrive, the cause, and the effect. */
type Cell = `${number} ${string}`;
type Row = readonly [fault: string, play: (method: Method) => Play, get: Cell, change: Cell, post: Cell];

/** The same end of all requests: how many of them arrive, for reads, for changes, and for creations. */
const ends = (fault: string, play: Row[1], end: string, get: number, change: number, effect: string): Row => [
  fault,
  play,
  `${get} ${end}, none`,
  `${change} ${end}, ${effect}`,
  `1 ${end}, ${effect}`,
];
const refused = (code: number) => ends(`${code}`, status(code), `status ${code}`, 1, 1, "none");
const passing = (code: number, fault = `${code}`, play: Row[1] = status(code)) =>
  ends(fault, play, `status ${code}`, 4, 4, "possible");
const redirect = (code: number) =>
  ends(`${code}`, status(code, "location: /elsewhere\r\n"), `status ${code}`, 1, 1, "possible");
const lost = (fault: string, code: string, play: Play) =>
  ends(fault, () => play, `connection ${code}`, 4, 4, "possible");
const HTML = "<!doctype html><html><body>Please log in</body></html>";

const FAILURE = `{"success":false,"message":"no"}`;

const MATRIX: readonly Row[] = [
  ...[301, 303, 304].map(redirect),
  ...[400, 401, 404, 409].map(refused),
  ...[408, 502, 503, 504].map((code) => passing(code)),
  ends("500", status(500), "status 500", 4, 1, "possible"),
  ends("501", status(501), "status 501", 1, 1, "possible"),
  // Not counted as attempts, but given up when nothing got through for as long as an operation may take.
  ["429", status(429), "4 status 429, none", "4 status 429, none", "4 status 429, none"],
  lost("a reset", "ECONNRESET", { bytes: "", end: "reset" }),
  lost("a close", "UND_ERR_SOCKET", { bytes: "", end: "fin" }),
  lost("a close in the headers", "UND_ERR_SOCKET", { bytes: "HTTP/1.1 200 OK\r\ncontent-le", end: "fin" }),
  lost("something that is not HTTP", "HTTPParserError", { bytes: "220 smtp.example.com ready\r\n" }),
  lost("100 Continue unasked", "UNEXPECTED_100_CONTINUE", { bytes: "HTTP/1.1 100 Continue\r\n\r\n" }),
  lost("more than 256 KiB of headers", "UND_ERR_HEADERS_OVERFLOW", {
    bytes: `HTTP/1.1 200 OK\r\nx: ${"x".repeat(300 * 1024)}`,
  }),
  ends("silence", () => ({ bytes: "" }), "timeout", 4, 4, "possible"),
  ["a reset in the body", broken("reset"), "4 cutOff, none", "1 done", "1 partial"],
  ["a close in the body", broken("fin"), "4 cutOff, none", "1 done", "1 partial"],
  ["silence in the body", broken(), "4 cutOff, none", "1 done", "1 partial"],
  passing(503, "a reset in the body of a 503", broken("reset", 503)),
  ends("a page of HTML", status(200, "", HTML), "webPage", 1, 1, "possible"),
  ends("a reported failure", status(200, "", FAILURE), "reportedFailure", 1, 1, "possible"),
  ["an early hint in front of the response", hinted, "1 done", "1 done", "1 done"],
];

/** Lets a new client perform an operation; says how it ended. */
async function ending(method: Method, target: Target): Promise<string> {
  const options = { clock: new InstantClock(), requestTimeout: 250, operationTimeout: 10_000 };
  return CALLS[method](clientFor(target, options)).then(
    (value) => (JSON.stringify({ value }).includes(`"complete":false`) ? "partial" : "done"),
    (error: unknown) => {
      if (!(error instanceof RequestError)) throw error;
      const { cause, effect } = error.failure;
      if (cause.kind === "status") return `status ${cause.status}, ${effect}`;
      if (cause.kind === "connection") return `connection ${cause.code}, ${effect}`;
      return `${cause.kind}, ${effect}`;
    },
  );
}

describe("a fault that happens to every request", () => {
  it.each(MATRIX)("%s", async (_fault, play, get, change, post) => {
    const wanted = { GET: get, PATCH: change, DELETE: change, POST: post };
    const cells = (Object.keys(CALLS) as Method[]).map(async (method) => {
      const target = await playing(play(method));
      const end = await ending(method, target);
      return [method, `${target.requests.length} ${end}`] as const;
    });
    expect(Object.fromEntries(await Promise.all(cells))).toEqual(wanted);
  });
});

describe("a fault that happens once", () => {
  const repeated = MATRIX.filter(([, , get]) => !get.startsWith("1"));
  it.each(repeated)(
    "%s: what is repeated succeeds, and nothing else is sent again",
    async (_fault, play, ...row) => {
      const cells = (["GET", "PATCH", "POST"] as const).map(async (method, index) => {
        const target = await playing(play(method), good(method));
        const end = await ending(method, target);
        const always = row[index] ?? "";
        const once = always.startsWith("1 ") ? always : "2 done";
        return [method, `${target.requests.length} ${end}`, once] as const;
      });
      for (const [method, observed, once] of await Promise.all(cells))
        expect([method, observed]).toEqual([method, once]);
    },
  );

  it("is remembered: an attempt that may have had an effect outweighs a refusal of the next one", async () => {
    const target = await playing({ bytes: "", end: "reset" }, status(403)());
    expect(await ending("PATCH", target)).toBe("status 403, possible");
  });
});

it.each(Object.keys(CALLS) as Method[])(
  "a connection that does not come about is tried four times, and has no effect: %s",
  async (method) => {
    const server = createServer().listen(0, "127.0.0.1");
    await new Promise((resolve) => server.once("listening", resolve));
    const { port } = server.address() as AddressInfo;
    await new Promise((resolve) => server.close(resolve));
    const clock = new InstantClock();
    const client = clientFor({ url: `http://127.0.0.1:${port}`, accessToken: "t" }, { clock });
    expect(await failureOf(CALLS[method](client))).toMatchObject({
      code: "PARTNERS_CONNECTION",
      failure: { cause: { code: "ECONNREFUSED" }, effect: "none", attempts: 4 },
    });
    expect(clock.sleeps).toEqual([100, 200, 400]); // Half of 200, 400 and 800.
  },
);

it.each(Object.keys(CALLS) as Method[])(
  "a server that resets kept-alive connections at the next request loses no %s",
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
    expect(lines.filter((line) => line.includes("attempt=3"))).toEqual([]); // The second is on a connection of its own.
    if (method === "POST") expect(dropped).toBe(0);
    else expect(dropped).toBeGreaterThan(40); // It did happen.
  },
);
