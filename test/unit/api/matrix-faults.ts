import type { Operation } from "../../../provider/src/api/operations.js";
import type { Play } from "../../support/scripted-server.ts";

/** Headers of an answer by name. */
export type Headers = Readonly<Record<string, string>>;

/** What a server that means well answers. */
const BODIES: Readonly<Record<Operation, string>> = {
  createApiKey: `{"apiKey":"pk_live_0123456789abcdef"}`,
  deleteApiKey: "{}",
  listWebhooks: `[{"id":101,"active":true}]`,
  activateWebhook: "{}",
  disableWebhook: "{}",
};
const PAGE = "<!doctype html><html><body>Please log in</body></html>";
const ERROR = `{"error":"of the matrix"}`;

/** Bytes of a body that come before it breaks off. */
const PART = 2;

/** The statuses of the matrix. */
export const STATUSES = [
  200, 201, 204, 301, 400, 401, 403, 404, 408, 409, 410, 422, 429, 500, 501, 502, 503, 504,
] as const;

/** One of {@link STATUSES}. */
export type Status = (typeof STATUSES)[number];

/** An answer with a status: whole, as HTTP wants it. */
export function answer(status: number, headers: Headers, body: string): Play {
  const length: Headers = status === 204 ? {} : { "content-length": String(body.length) };
  return { bytes: head(status, { ...headers, ...length }) + (status === 204 ? "" : body), end: "keep" };
}

/** An answer with one of {@link STATUSES} and the body that belongs to it. */
export function statusAnswer(operation: Operation, status: Status, headers: Headers): Play {
  return answer(status, headers, status < 300 ? BODIES[operation] : ERROR);
}

/** An answer after which nothing is left to do. */
export function goodAnswer(operation: Operation): Play {
  return answer(200, {}, BODIES[operation]);
}

/** What goes wrong before the client has a status, so that no header can say anything. */
export const LOST_ANSWERS = {
  "a reset": { bytes: "", end: "reset" },
  "a close": { bytes: "", end: "fin" },
  silence: { bytes: "", end: "silence" },
  "a reset in the status line": { bytes: "HTTP/1.1 20", end: "reset" },
  "a close in the headers": { bytes: "HTTP/1.1 200 OK\r\ncontent-le", end: "fin" },
  "something that is not HTTP": { bytes: "220 smtp.example.com ready\r\n", end: "keep" },
  "headers without end": { bytes: `HTTP/1.1 200 OK\r\nx: ${"x".repeat(100_000)}`, end: "keep" },
  // undici takes neither for the interim answer that RFC 9110 (15.2) says it may be.
  "a 100 that nobody wanted": { bytes: head(100, {}), end: "keep" },
  "an upgrade that nobody wanted": {
    bytes: head(101, { upgrade: "h2c", connection: "upgrade" }),
    end: "keep",
  },
} satisfies Record<string, Play>;

type BodyFault = (operation: Operation, headers: Headers) => Play;

/** What goes wrong once there is a status, or with the meaning of the answer. */
export const BROKEN_BODIES = {
  "a reset in the body": broken(200, "reset"),
  "a close in the body": broken(200, "fin"),
  "silence in the body": broken(200, "silence"),
  "a close between chunks": (operation, headers) => {
    const chunk = BODIES[operation].slice(0, PART);
    const start = head(200, { ...headers, "transfer-encoding": "chunked" });
    return { bytes: `${start}${PART}\r\n${chunk}\r\n`, end: "fin" };
  },
  "a chunk that is none": (operation, headers) => {
    const chunk = BODIES[operation].slice(0, PART);
    const start = head(200, { ...headers, "transfer-encoding": "chunked" });
    return { bytes: `${start}${PART}\r\n${chunk}\r\nzz\r\n`, end: "keep" };
  },
  "a reset in the body of a 503": broken(503, "reset"),
  "silence in the body of a 404": broken(404, "silence"),
  "a page of HTML": (_operation, headers) => answer(200, { ...headers, "content-type": "text/html" }, PAGE),
  "a page of HTML with 502": (_operation, headers) => answer(502, headers, PAGE),
  "103 before the answer": (operation, headers) => {
    const { bytes } = statusAnswer(operation, 200, headers);
    return { bytes: head(103, { link: "</x>; rel=preload" }) + bytes, end: "keep" };
  },
} satisfies Record<string, BodyFault>;

function broken(status: number, end: Play["end"]): BodyFault {
  return (operation, headers) => {
    const body = status === 200 ? BODIES[operation] : ERROR;
    return { bytes: head(status, { ...headers, "content-length": "100" }) + body.slice(0, PART), end };
  };
}

function head(status: number, headers: Headers): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} Matrix\r\n${lines.join("")}\r\n`;
}
