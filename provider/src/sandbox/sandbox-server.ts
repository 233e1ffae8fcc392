import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { API_ROOT, OPERATIONS, type Operation } from "../api/operations.js";
import type { PartnerAccount } from "./partner-account.js";

/** A request that the sandbox received. `path` and `headers` are as sent, so they contain keys and tokens. */
export interface LoggedRequest {
  /** The operation of the Partner API, or `null` for any other request, such as one to `/whoami`. */
  readonly operation: Operation | null;
  /** The HTTP method. */
  readonly method: string;
  /** The path as it was sent, with the base path and the query, and percent-encoded. */
  readonly path: string;
  /** The HTTP status of the answer, or `null` if there is none, or none yet. */
  readonly status: number | null;
  /** Whether the request changed anything in the account. */
  readonly effect: boolean;
  /** The number of the TCP connection: 1 for the first one that the sandbox accepted, and so on. */
  readonly connection: number;
  /** The request headers, with names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The length of the request body, in bytes. */
  readonly bodyBytes: number;
  /** The `x-request-id` header of the answer. */
  readonly requestId: string;
}

/** A response that has not been sent yet. */
export interface Answer {
  /** The HTTP status. */
  readonly status: number;
  /** The headers, in addition to those that every response has. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body, as it is sent. */
  readonly body: string | Buffer;
}

/** A call of one of the five operations. */
export interface OperationCall {
  readonly operation: Operation;
  /** The decoded path parameter, or `""` if the operation has none. */
  readonly parameter: string;
  /** Whether the request carries the access token. */
  readonly authorized: boolean;
  readonly response: ServerResponse;
  /** Performs the operation, unless the token is wrong, and returns the answer. @default parameter the one above */
  perform(parameter?: string): Answer;
  /** Writes status and headers, for an interceptor that writes the body itself. */
  sendHead(answer: Answer): void;
}

/** Returns the answer to send, or `undefined` if it has dealt with the response itself. */
export type Intercept = (call: OperationCall) => Promise<Answer | undefined>;

/** Settings of {@link startServer}. */
export interface ServerOptions {
  /** The port on 127.0.0.1. @default 0, any free one */
  readonly port?: number;
  /** Called when a response is complete, or its connection has ended. */
  readonly onRequest?: (request: LoggedRequest) => void;
  /** Answers the calls. @default performs the operation */
  readonly intercept?: Intercept;
}

/** A server that listens. */
export interface SandboxServer {
  readonly port: number;
  /** Every request received, in order of arrival. A snapshot. */
  readonly requests: () => readonly LoggedRequest[];
  /** Forgets the requests. */
  readonly clearRequests: () => void;
  /** Stops listening and closes every connection. */
  readonly close: () => Promise<void>;
}

type LogEntry = { -readonly [Name in keyof LoggedRequest]: LoggedRequest[Name] };

const HOST = "127.0.0.1";

/** Statuses whose responses have neither a body nor a length (RFC 9110, 8.6). */
const WITHOUT_BODY = new Set([204, 304]);

/**
 * Serves an account over HTTP, and logs each request.
 * @param basePath What every path starts with: `""`, or a path without a trailing slash.
 * @throws {Error} if the port cannot be used.
 */
export async function startServer(
  account: PartnerAccount,
  basePath: string,
  { port = 0, onRequest, intercept }: ServerOptions,
): Promise<SandboxServer> {
  const connections = new WeakMap<Socket, number>();
  let accepted = 0;
  let log: LogEntry[] = [];

  async function respond(request: IncomingMessage, response: ServerResponse, entry: LogEntry): Promise<void> {
    for await (const chunk of request as AsyncIterable<Buffer>) entry.bodyBytes += chunk.length;
    const bearer = /^Bearer (.+)$/i.exec(request.headers.authorization ?? "")?.[1] ?? "";
    const route = findRoute(basePath, entry.method, entry.path);
    if (route === "whoami") {
      send(response, entry, account.hasKey(bearer) ? json(200, { valid: true }) : UNAUTHORIZED);
      return;
    }
    if ("status" in route) {
      send(response, entry, route);
      return;
    }

    entry.operation = route.operation;
    const call: OperationCall = {
      ...route,
      response,
      authorized: bearer === account.accessToken,
      perform: (parameter = route.parameter) => {
        if (!call.authorized) return UNAUTHORIZED;
        const { status, body, effect } = account.perform(route.operation, parameter);
        entry.effect = effect;
        return json(status, body);
      },
      sendHead: (answer) => {
        sendHead(response, entry, answer);
      },
    };
    const answer = intercept ? await intercept(call) : call.perform();
    if (answer !== undefined) send(response, entry, answer);
  }

  const server = createServer((request, response) => {
    const entry = createEntry(request, connections.get(request.socket) ?? 0);
    log.push(entry);
    response.setHeader("x-request-id", entry.requestId);
    response.once("close", () => onRequest?.({ ...entry }));
    respond(request, response, entry).catch((error: unknown) => {
      if (response.headersSent || response.destroyed) response.destroy();
      else send(response, entry, json(500, { error: `the sandbox failed: ${String(error)}` }));
    });
  });
  server.on("connection", (socket) => connections.set(socket, ++accepted));
  server.listen(port, HOST);
  try {
    await once(server, "listening");
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    const reason = code === "EADDRINUSE" ? "it is in use" : (code ?? "unknown error");
    throw new Error(`The sandbox cannot listen on ${HOST}:${port}: ${reason}. Choose another port, or 0.`, {
      cause,
    });
  }

  return {
    port: (server.address() as AddressInfo).port,
    requests: () => log.map((entry) => ({ ...entry })),
    clearRequests: () => {
      log = [];
    },
    close: async () => {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

/** An answer with a JSON body. */
export function json(status: number, value: unknown, headers: Answer["headers"] = {}): Answer {
  return { status, headers: { "content-type": "application/json", ...headers }, body: JSON.stringify(value) };
}

function createEntry(request: IncomingMessage, connection: number): LogEntry {
  const headers = Object.entries(request.headers).map(([name, value]) => [name, String(value)] as const);
  return {
    operation: null,
    method: request.method ?? "",
    path: request.url ?? "",
    status: null,
    effect: false,
    connection,
    headers: Object.fromEntries(headers),
    bodyBytes: 0,
    requestId: randomUUID(),
  };
}

function send(response: ServerResponse, entry: LogEntry, answer: Answer): void {
  sendHead(response, entry, answer);
  response.end(answer.body);
}

function sendHead(response: ServerResponse, entry: LogEntry, { status, headers, body }: Answer): void {
  if (!WITHOUT_BODY.has(status)) response.setHeader("content-length", Buffer.byteLength(body));
  response.writeHead(status, headers);
  if (!response.req.socket.destroyed) entry.status = status; // Else the client has left, and gets nothing.
}

const UNAUTHORIZED = json(401, { error: "unauthorized" }, { "www-authenticate": "Bearer" });

const ROUTES = (Object.keys(OPERATIONS) as Operation[]).map((operation) => {
  const { method, template } = OPERATIONS[operation];
  return { operation, method, pattern: new RegExp(`^${API_ROOT}${template.replace(/\{\w+\}/, "([^/]+)")}$`) };
});

/** What a request asks for, or the answer if that does not exist. Dot segments are not resolved. */
function findRoute(
  basePath: string,
  method: string,
  url: string,
): Pick<OperationCall, "operation" | "parameter"> | "whoami" | Answer {
  const [path = ""] = url.split("?", 1);
  if (path === `${basePath}/whoami` && method === "GET") return "whoami";
  const below = path.startsWith(basePath) ? path.slice(basePath.length) : "";
  const matches = ROUTES.filter(({ pattern }) => pattern.test(below));
  if (matches.length === 0) return json(404, { error: "no such path" });
  const match = matches.find((route) => route.method === method);
  if (match === undefined) {
    const allow = matches.map((route) => route.method).join(", ");
    return json(405, { error: "method not allowed" }, { allow });
  }
  const encoded = match.pattern.exec(below)?.[1] ?? "";
  try {
    return { operation: match.operation, parameter: decodeURIComponent(encoded) };
  } catch {
    return json(400, { error: "malformed path" }); // A "%" without two hexadecimal digits.
  }
}
