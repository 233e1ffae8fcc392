import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { startSandbox, type RateLimit } from "../../support/sandbox.ts";
import { scaled } from "../../support/random.ts";
import { clientFor } from "./support.js";

const WEBHOOKS = scaled(300);
const LIMIT = { requests: 20, perSeconds: 1 };
/** A tenth too many of 300. The burst that finds the limit costs the same however few requests follow. */
const MOST_SENT = Math.max(WEBHOOKS * 1.1, WEBHOOKS + 30);
/** The least time in which the service takes them all. */
const IDEAL_SECONDS = (WEBHOOKS / LIMIT.requests - 1) * LIMIT.perSeconds;

/** What undici publishes about a request on its channels `undici:*`. */
interface Published {
  readonly request: { readonly origin: string };
  readonly response?: { readonly statusCode: number; readonly headers: readonly Buffer[] };
}

interface Run {
  readonly failed: number;
  readonly early: number;
  readonly sent: number;
  readonly seconds: number;
  readonly active: number;
}

/**
 * The moments at which requests to one origin were made, and the times during which a 429 forbade any. On a connection
 * that was open undici writes a request one turn of the event loop after it was made, and a 429 may come in between.
 */
function watch(origin: string): {
  madeAt: number[];
  closed: [from: number, until: number][];
  stop: () => void;
} {
  const madeAt: number[] = [];
  const closed: [number, number][] = [];
  const onMade = (message: unknown): void => {
    if ((message as Published).request.origin === origin) madeAt.push(Date.now());
  };
  const onAnswer = (message: unknown): void => {
    const { request, response } = message as Published;
    if (request.origin !== origin || response?.statusCode !== 429) return;
    const headers = response.headers.map(String);
    const wait = Number(headers[headers.findIndex((name) => name.toLowerCase() === "retry-after") + 1]);
    if (wait > 0) closed.push([Date.now(), Date.now() + wait * 1000]);
  };
  subscribe("undici:request:create", onMade);
  subscribe("undici:request:headers", onAnswer);
  const stop = (): void => {
    unsubscribe("undici:request:create", onMade);
    unsubscribe("undici:request:headers", onAnswer);
  };
  return { madeAt, closed, stop };
}

async function run(parallel: number, retryAfter: NonNullable<RateLimit["retryAfter"]>): Promise<Run> {
  const webhooks = Array.from({ length: WEBHOOKS }, (_, index) => ({
    webhookId: index + 1,
    state: "disabled" as const,
  }));
  await using sandbox = await startSandbox({ webhooks, rateLimit: { ...LIMIT, retryAfter } });
  const { madeAt, closed, stop } = watch(sandbox.url);
  const client = clientFor(sandbox, { maxConnections: parallel, operationTimeout: 120_000 });
  const startedAt = Date.now();
  const results = await Promise.allSettled(
    webhooks.map(({ webhookId }) => client.activateWebhook(webhookId)),
  );
  const seconds = (Date.now() - startedAt) / 1000;
  await client.close();
  stop();
  expect(madeAt).toHaveLength(sandbox.requests.length);
  return {
    failed: results.filter(({ status }) => status === "rejected").length,
    early: madeAt.filter((made) => closed.some(([from, until]) => from < made && made < until)).length,
    sent: sandbox.requests.length,
    seconds,
    active: [...sandbox.webhooks.values()].filter((state) => state === "active").length,
  };
}

const cases = (["seconds", "none"] as const).flatMap((retryAfter) =>
  [8, 16, 32].map((parallel) => ({ parallel, retryAfter })),
);

describe(`a service that allows ${LIMIT.requests} requests a second, on the wire`, () => {
  let runs: Run[] = [];
  let closedOnce = 0;

  // All at the same time, each against a service of its own: one after the other they would take 2 minutes.
  beforeAll(async () => {
    runs = await Promise.all(cases.map(({ parallel, retryAfter }) => run(parallel, retryAfter)));
    closedOnce = runs.filter(({ sent }) => sent > WEBHOOKS).length;
  }, 120_000);

  afterAll(() => {
    const rows = runs.map(({ sent, seconds }, index) => ({ ...cases[index], sent, seconds }));
    console.table(rows);
  });

  it("did answer with 429, or nothing was tested", () => {
    expect(closedOnce).toBe(cases.length);
  });

  it.each(cases.map((row, index) => ({ ...row, index })))(
    `takes all of ${WEBHOOKS} updates, none sent too early and at most 10% twice: $parallel at a time, Retry-After in $retryAfter`,
    ({ index }) => {
      const { failed, early, sent, seconds, active } = runs[index] as Run;
      expect({ failed, early, active }).toEqual({ failed: 0, early: 0, active: WEBHOOKS });
      expect(sent).toBeLessThanOrEqual(MOST_SENT);
      expect(seconds).toBeLessThan(2 * IDEAL_SECONDS + 5);
    },
  );
});
