import { setImmediate as turn } from "node:timers/promises";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { Fault } from "../support/sandbox.ts";

import type { ClientOptions, PartnerClient } from "../../provider/src/api/client.js";
import { clientFor } from "../unit/api/support.ts";
import { sandboxFor } from "./partners.ts";

/** Turns of the event loop in which everything must have ended: no timer is waited for. */
const TURNS = 3;

type Options = Partial<Omit<ClientOptions, "baseUrl">>;

/** A client that can be stopped, and a server that makes it wait. */
async function clientThatWaits(
  fault: Fault,
  options: Options = {},
): Promise<{ client: PartnerClient; stop: () => void; untilTried: () => Promise<void> }> {
  const sandbox = await sandboxFor({ faults: [fault] });
  const stopping = new AbortController();
  const lines: string[] = [];
  const log = (line: string): unknown => lines.push(line);
  const client = clientFor(sandbox, { operationTimeout: 120_000, signal: stopping.signal, log, ...options });
  onTestFinished(() => client.close());
  return {
    client,
    stop: () => {
      stopping.abort();
    },
    untilTried: async () => {
      await vi.waitUntil(() => lines.length > 0 || sandbox.requests.length > 0, { interval: 2 });
      if (fault.kind !== "hang") await vi.waitUntil(() => lines.length > 0, { interval: 2 });
      await turn(); // From the end of the attempt to the wait.
    },
  };
}

async function endsWithoutTime(call: Promise<unknown>, stop: () => void): Promise<void> {
  const ended = vi.fn();
  call.then(ended, ended);
  stop();
  for (let passed = 0; passed < TURNS; passed += 1) await turn();
  expect(ended).toHaveBeenCalled();
}

describe("a client that is told to stop ends, in no time,", () => {
  const unavailable: Fault = { kind: "status", status: 503, headers: { "retry-after": "60" } };

  it("the wait for the next attempt", async () => {
    const { client, stop, untilTried } = await clientThatWaits(unavailable);
    const call = client.listWebhooks();
    await untilTried();
    await endsWithoutTime(call, stop);
  });

  it("the wait that the rate limit asks for", async () => {
    const { client, stop, untilTried } = await clientThatWaits({ kind: "rateLimit", retryAfter: 60 });
    const call = client.createApiKey();
    await untilTried();
    await endsWithoutTime(call, stop);
  });

  it("the wait between two requests for requestsPerSecond", async () => {
    const { client, stop, untilTried } = await clientThatWaits(unavailable, { requestsPerSecond: 0.01 });
    const first = client.listWebhooks();
    const second = client.createApiKey();
    await untilTried();
    await endsWithoutTime(Promise.allSettled([first, second]), stop);
  });

  it("the wait for a place among maxConnections", async () => {
    const { client, stop, untilTried } = await clientThatWaits(
      { kind: "hang", at: "headers" },
      { maxConnections: 1, requestTimeout: 60_000 },
    );
    const first = client.listWebhooks();
    const others = [client.createApiKey(), client.deleteApiKey("a-key"), client.listWebhooks()];
    await untilTried();
    await endsWithoutTime(Promise.allSettled([first, ...others]), stop);
  });
});
