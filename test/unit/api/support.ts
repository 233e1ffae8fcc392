import { once } from "node:events";
import { createServer, type IncomingMessage, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

import { createClient, type ClientOptions } from "../../../provider/src/api/client.js";
import type { Clock } from "../../../provider/src/api/rate-limiter.js";
import { RequestError, type RequestFailure } from "../../../provider/src/api/errors.js";
import { interpretResponses, type PartnerService } from "../../../provider/src/shared/partner-service.js";
import { parseBaseUrl } from "../../../provider/src/shared/settings.js";
import { startTcpServer } from "../../support/tcp-server.ts";

export { sandboxFor } from "../../support/sandbox.ts";

/** The API key of the tests. */
export const KEY = "pk_live_0123456789abcdef";

/** A clock whose sleeps advance the time and return at once. Records their milliseconds. */
export class InstantClock implements Clock {
  readonly sleeps: number[] = [];
  #now = Date.parse("2026-01-01T00:00:00Z");

  now(): number {
    return this.#now;
  }

  /** Always the middle of the range. */
  random(): number {
    return 0.5;
  }

  sleep(milliseconds: number): Promise<void> {
    if (milliseconds > 0) this.sleeps.push(Math.round(milliseconds));
    this.advance(milliseconds);
    return Promise.resolve();
  }

  advance(milliseconds: number): void {
    this.#now += milliseconds;
  }
}

/** The server of a client, and its token. */
export interface Target {
  readonly url: string;
  readonly accessToken: string;
}

/**
 * Creates a client, with its responses interpreted, that is closed after the test. Its timeouts are short
 * enough to wait for.
 */
export function clientFor(
  { url, accessToken }: Target,
  options: Partial<Omit<ClientOptions, "baseUrl">> = {},
): PartnerService {
  const baseUrl = parseBaseUrl(url, true);
  if (typeof baseUrl === "string") throw new Error(baseUrl);
  const { headers = {} } = options;
  const requests = createClient({
    baseUrl,
    accessToken,
    headers,
    requestTimeout: 2_000,
    operationTimeout: 10_000,
    maxConnections: 4,
    requestsPerSecond: null,
    ...options,
  });
  const client = interpretResponses(requests, { accessToken, headers, identity: accessToken, responses: {} });
  onTestFinished(() => client.close());
  return client;
}

/** Starts an HTTP server that is closed after the test. */
export async function listen(listener: RequestListener): Promise<Target & { requests: IncomingMessage[] }> {
  const requests: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    requests.push(request);
    listener(request, response);
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, accessToken: "token-of-the-test", requests };
}

/**
 * The bytes that a scripted server sends, and how it closes the connection. Without `end`, the connection
 * stays open.
 */
export interface Reply {
  readonly bytes: string;
  readonly end?: "fin" | "reset";
}

/**
 * Starts a TCP server that can violate HTTP. It sends one reply for each request, and the last one to all
 * further requests.
 */
export async function scripted(...replies: readonly Reply[]): Promise<Target & { requests: string[] }> {
  const requests: string[] = [];
  const server = await startTcpServer((socket) => {
    let head = "";
    socket.on("data", (chunk) => {
      head += chunk.toString("latin1");
      if (!head.endsWith("\r\n\r\n")) return; // No operation has a body.
      requests.push(head);
      head = "";
      const { bytes, end } = replies[Math.min(requests.length, replies.length) - 1] ?? { bytes: "" };
      if (bytes !== "") socket.write(bytes, "latin1");
      if (end === "fin") socket.end();
      // A reset could overtake bytes that the client has not read yet.
      if (end === "reset") setTimeout(() => socket.resetAndDestroy(), bytes === "" ? 0 : 20);
    });
  });
  onTestFinished(() => server.close());
  return { url: `http://127.0.0.1:${server.port}`, accessToken: "token-of-the-test", requests };
}

/** Returns the reason that a promise is rejected with. */
export async function failureOf(promise: Promise<unknown>): Promise<unknown> {
  const [result] = await Promise.allSettled([promise]);
  if (result.status === "fulfilled") throw new Error("expected a failure");
  return result.reason;
}

/** Returns the facts of the {@link RequestError} that a promise is rejected with. */
export async function requestFailureOf(promise: Promise<unknown>): Promise<RequestFailure> {
  const error = await failureOf(promise);
  if (error instanceof RequestError) return error.failure;
  throw error;
}
