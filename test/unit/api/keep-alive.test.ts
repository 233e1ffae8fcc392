import { createServer } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";

import type { PartnerClient } from "../../../provider/src/api/partner-client.js";
import { scaled } from "../../support/random.ts";
import { clientFor, FakeTiming } from "./support.js";

const OPERATIONS = scaled(400);

/**
 * A server that serves one request on each connection and leaves it open, and ends it at the worst moment: when the next
 * request has just been sent on it. What it dropped so had no effect, and the client cannot know that.
 */
async function closingServer(end: (socket: Socket) => void) {
  const seen = { served: 0, dropped: 0, attempts: 0 };
  const used = new WeakSet<Socket>();
  const server = createServer({ keepAliveTimeout: 0 }, ({ socket, method }, response) => {
    if (used.has(socket)) {
      seen.dropped += 1;
      end(socket);
      return;
    }
    used.add(socket);
    seen.served += 1;
    response.end(method === "POST" ? `{"apiKey":"pk_live_0123456789abcdef"}` : "[]");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const log = (): void => void (seen.attempts += 1);
  const options = { timing: new FakeTiming(), maxConnections: 16, log };
  const client = clientFor({ url, accessToken: "token" }, options);
  onTestFinished(async () => {
    await client.close();
    server.closeAllConnections();
    server.close();
  });
  return { seen, client };
}

/** Calls so many times, so many at a time; the messages of those that failed. */
async function failures(parallel: number, call: () => Promise<unknown>): Promise<string[]> {
  const messages: string[] = [];
  let left = OPERATIONS;
  const work = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      await call().catch((error: unknown) => messages.push(String(error)));
    }
  };
  await Promise.all(Array.from({ length: parallel }, work));
  return messages;
}

const ends: [string, (socket: Socket) => void][] = [
  [
    "FIN",
    (socket) => {
      socket.destroySoon();
    },
  ],
  ["RST", (socket) => socket.resetAndDestroy()],
];
const repeatable: [string, (client: PartnerClient) => Promise<unknown>][] = [
  ["GET", (client) => client.listWebhooks()],
  ["PATCH", (client) => client.activateWebhook(101)],
  ["DELETE", (client) => client.deleteApiKey("pk_live_0123456789abcdef")],
];
// 64 are more than there are connections, so that most of those they find open are about to be closed.
const cases = ends.flatMap(([how, end]) => [1, 64].map((parallel) => ({ how, end, parallel })));

describe(
  "a server that closes kept-alive connections while a request is on its way",
  { timeout: 30_000 },
  () => {
    it.each(cases)(
      `loses none of ${OPERATIONS} creations, and makes no error say that a key may exist: $how, $parallel at a time`,
      async ({ end, parallel }) => {
        const { seen, client } = await closingServer(end);
        expect(await failures(parallel, () => client.createApiKey())).toEqual([]);
        expect(seen).toEqual({ served: OPERATIONS, dropped: 0, attempts: OPERATIONS });
      },
    );

    it.each(cases.flatMap((row) => repeatable.map(([method, call]) => ({ ...row, method, call }))))(
      `costs none of ${OPERATIONS} calls, as each is sent again once: $method, $how, $parallel at a time`,
      async ({ end, parallel, call }) => {
        const { seen, client } = await closingServer(end);
        expect(await failures(parallel, () => call(client))).toEqual([]);
        expect(seen.served).toBe(OPERATIONS);
        expect(seen.dropped).toBeGreaterThan(OPERATIONS / 4); // It did happen.
        expect(seen.dropped).toBeLessThanOrEqual(OPERATIONS);
        expect(seen.attempts).toBe(seen.served + seen.dropped);
      },
    );
  },
);
