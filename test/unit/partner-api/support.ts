import { once } from "node:events";
import { createServer, type IncomingMessage, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

import { PartnerClient, type ClientOptions } from "../../../provider/src/partner-api/client.ts";
import type { HttpResponse } from "../../../provider/src/partner-api/attempt.ts";
import { systemClock, type Clock } from "../../../provider/src/partner-api/rate-limiter.ts";
import { KnownSecrets } from "../../../provider/src/partner-api/known-secrets.ts";
import { PartnerError } from "../../../provider/src/partner-api/errors.ts";
import { startTcpServer } from "../../support/tcp-server.ts";

/** The API key of the tests. */
export const KEY = "pk_live_0123456789abcdef";

/** The access token of the tests. */
export const TOKEN = "token-of-the-test";

/** A clock whose sleeps advance the time and return at once. */
export class InstantClock implements Clock {
  #now = Date.parse("2026-01-01T00:00:00Z");
  readonly now = () => this.#now;
  readonly random = () => 0.5;
  readonly sleep = (milliseconds: number) => Promise.resolve(void (this.#now += milliseconds));
}

/** Creates a client that is closed after the test. A host under `.test` is not this machine to it. */
export function clientFor(url: string, options: Partial<Omit<ClientOptions, "baseUrl">> = {}): PartnerClient {
  const { origin, pathname, hostname } = new URL(url);
  const prefix = pathname.replace(/\/$/, "");
  const baseUrl = { address: origin + prefix, origin, prefix, loopback: !hostname.endsWith(".test") };
  const defaults = { accessToken: TOKEN, headers: {}, requestTimeout: 10_000, env: {}, clock: systemClock };
  const settingName = (name: string) => `partners:${name}`;
  const secrets = new KnownSecrets();
  secrets.addToken(options.accessToken ?? TOKEN);
  secrets.addHeaders(options.headers ?? {});
  const client = new PartnerClient({ baseUrl, settingName, secrets, ...defaults, ...options });
  onTestFinished(() => client.close());
  return client;
}

/** Starts an HTTP server that is closed after the test. */
export async function listen(listener: RequestListener) {
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
  return { url: `http://127.0.0.1:${port}`, requests };
}

/** What a scripted server sends, and how it closes the connection. Without `end`, it stays open. */
export interface Reply {
  readonly bytes: string;
  readonly end?: "fin" | "reset";
}

/** Starts a TCP server that can violate HTTP. The last reply is that to all further requests. */
export async function scripted(...replies: readonly Reply[]) {
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
  return { url: `http://127.0.0.1:${server.port}`, requests };
}

/** Creates a key. @returns The response. @throws {PartnerError} also if the response was lost. */
export async function createKey(client: PartnerClient): Promise<HttpResponse> {
  const { response, failure } = await client.createApiKey(() => false);
  if (response === null) throw failure ?? new Error("no response");
  return response;
}

/** Returns the bytes of a response. */
export function responseBytes(status: number, body = "", headers = ""): string {
  const length = status === 304 || status === 204 ? "" : `content-length: ${Buffer.byteLength(body)}\r\n`;
  return `HTTP/1.1 ${status} Test\r\n${headers}${length}\r\n${length === "" ? "" : body}`;
}

/** Returns the {@link PartnerError} that a promise is rejected with. */
export async function errorOf(promise: Promise<unknown>): Promise<PartnerError> {
  const [result] = await Promise.allSettled([promise]);
  if (result.status === "fulfilled") throw new Error("expected a failure");
  if (result.reason instanceof PartnerError) return result.reason;
  throw result.reason;
}
