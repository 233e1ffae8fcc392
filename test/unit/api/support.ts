import { createServer, type IncomingMessage, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { setImmediate as turn } from "node:timers/promises";
import { onTestFinished } from "vitest";

import { parseBaseUrl } from "../../../provider/src/api/base-url.js";
import { createClient, type ClientOptions, type PartnerClient } from "../../../provider/src/api/client.js";
import type { Clock } from "../../../provider/src/api/clock.js";
import { RequestError, type RequestFailure } from "../../../provider/src/api/errors.js";
import { startSandbox, type Sandbox, type SandboxOptions } from "../../support/sandbox.ts";
import { startTcpServer } from "../../support/tcp-server.ts";

/** The key in tests: what a request names and a response holds. */
export const KEY = "pk_live_0123456789abcdef";

/** A clock on which waiting costs nothing: each wait moves the time for all. Keeps what was waited for, in milliseconds. */
export class InstantClock implements Clock {
  readonly sleeps: number[] = [];
  #now = Date.parse("2026-01-01T00:00:00Z");

  now(): number {
    return this.#now;
  }

  /** The middle of every range. */
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

/** A clock for many who wait at a time: it goes on to the next alarm when nobody has anything else to do. */
export class SimulatedClock implements Clock {
  #now = 0;
  #alarms: { readonly at: number; readonly wake: () => void }[] = [];

  now(): number {
    return this.#now;
  }

  random(): number {
    return 0.5;
  }

  sleep(milliseconds: number): Promise<void> {
    return new Promise((wake) => this.#alarms.push({ at: this.#now + milliseconds, wake }));
  }

  /** Goes on until the promise is settled. */
  async run<T>(work: Promise<T>): Promise<T> {
    const state = { settled: false };
    const settle = (): void => void (state.settled = true);
    work.then(settle, settle);
    for (;;) {
      // The rate limiter hands on its places in the next turn of the event loop.
      for (let turns = 0; turns < 3; turns++) await turn();
      if (state.settled) return work;
      this.#alarms.sort((one, other) => one.at - other.at);
      const next = this.#alarms.shift();
      if (!next) throw new Error("everybody waits, and for nothing");
      this.#now = Math.max(this.#now, next.at);
      next.wake();
    }
  }
}

/** Where a client goes. */
export interface Target {
  readonly url: string;
  readonly accessToken: string;
}

/** A client that ends with the test: the real one, with times short enough to wait for. */
export function clientFor(
  { url, accessToken }: Target,
  options: Partial<Omit<ClientOptions, "baseUrl">> = {},
): PartnerClient {
  const baseUrl = parseBaseUrl(url);
  if ("problem" in baseUrl) throw new Error(baseUrl.problem);
  const client = createClient({
    baseUrl,
    accessToken,
    requestTimeout: 2_000,
    operationTimeout: 10_000,
    maxConnections: 4,
    requestsPerSecond: null,
    responses: {},
    ...options,
  });
  onTestFinished(() => client.close());
  return client;
}

/** Starts a sandbox that ends with the test. */
export async function sandboxFor(options: SandboxOptions = {}): Promise<Sandbox> {
  const sandbox = await startSandbox(options);
  onTestFinished(() => sandbox.close());
  return sandbox;
}

/** Starts a server that answers as a test wants it, and ends with the test. */
export async function listen(listener: RequestListener): Promise<Target & { requests: IncomingMessage[] }> {
  const requests: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    requests.push(request);
    listener(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, accessToken: "token-of-the-test", requests };
}

/** What a server does with a request: bytes as they are sent, and what becomes of the connection then. */
export interface Play {
  readonly bytes: string;
  /** @default it stays open */
  readonly end?: "fin" | "reset";
}

/** Starts a server that knows no HTTP, so that it can break any rule of it: a play for each request, the last one for all that follow. */
export async function playing(...plays: readonly Play[]): Promise<Target & { requests: string[] }> {
  const requests: string[] = [];
  const server = await startTcpServer((socket) => {
    let head = "";
    socket.on("data", (chunk) => {
      head += chunk.toString("latin1");
      if (!head.endsWith("\r\n\r\n")) return; // No operation has a body.
      requests.push(head);
      head = "";
      const { bytes, end } = plays[Math.min(requests.length, plays.length) - 1] ?? { bytes: "" };
      if (bytes !== "") socket.write(bytes, "latin1");
      if (end === "fin") socket.end();
      // A reset may overtake bytes that the client has not taken yet.
      if (end === "reset") setTimeout(() => socket.resetAndDestroy(), bytes === "" ? 0 : 20);
    });
  });
  onTestFinished(() => server.close());
  return { url: `http://127.0.0.1:${server.port}`, accessToken: "token-of-the-test", requests };
}

/** What a promise is rejected with. */
export async function failureOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => {
      throw new Error("expected a failure");
    },
    (error: unknown) => error,
  );
}

/** The facts of the request that a promise is rejected with. */
export async function requestFailureOf(promise: Promise<unknown>): Promise<RequestFailure> {
  const error = await failureOf(promise);
  if (error instanceof RequestError) return error.failure;
  throw error;
}
