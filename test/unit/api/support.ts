import { createServer, type IncomingMessage, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";

import { parseBaseUrl } from "../../../provider/src/api/base-url.js";
import { createClient, type ClientOptions, type PartnerClient } from "../../../provider/src/api/client.js";
import type { Timing } from "../../../provider/src/api/timing.js";

/** A clock that real time moves too, but on which waiting costs nothing; it keeps what was waited for. */
export class FakeTiming implements Timing {
  readonly sleeps: number[] = [];
  #skipped = 0;

  now(): number {
    return Date.now() + this.#skipped;
  }

  /** The middle of every range. */
  random(): number {
    return 0.5;
  }

  sleep(milliseconds: number): Promise<void> {
    this.sleeps.push(Math.round(milliseconds));
    this.#skipped += milliseconds;
    return Promise.resolve();
  }
}

/** A client for tests: the real one, with times short enough to wait for. */
export function clientFor(
  server: { url: string; accessToken: string },
  options: Partial<Omit<ClientOptions, "baseUrl">> = {},
): PartnerClient {
  const baseUrl = parseBaseUrl(server.url);
  if ("problem" in baseUrl) throw new Error(baseUrl.problem);
  return createClient({
    baseUrl,
    accessToken: server.accessToken,
    requestTimeout: 2_000,
    operationTimeout: 10_000,
    maxConnections: 4,
    requestsPerSecond: null,
    responses: {},
    ...options,
  });
}

/** A server that answers as a test wants it, for what no sandbox does. */
export async function listen(
  listener: RequestListener,
): Promise<{ url: string; accessToken: string; requests: IncomingMessage[]; close: () => Promise<void> }> {
  const requests: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    requests.push(request);
    listener(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    accessToken: "token-of-the-test",
    requests,
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        server.closeAllConnections();
      }),
  };
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
