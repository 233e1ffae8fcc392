import { readFileSync } from "node:fs";
import { expect, it } from "vitest";

import type { WebhookState } from "../../../provider/src/api/operations.js";
import { reportsFailure } from "../../../provider/src/responses/failure-report.js";
import { resolvePointer } from "../../../provider/src/json.js";
import { readWebhookList } from "../../../provider/src/responses/webhook-list-reader.js";
import { isFailedCreation, readKey } from "./support.ts";

/** Response bodies of public services, with the JSON Pointers at which a person finds things. */
interface Shapes {
  /** `pair`: two values are needed, so any of them, or a refusal, is right. */
  readonly keys: readonly { like: string; body: object; apiKey: string | null; pair?: true }[];
  readonly lists: readonly {
    like: string;
    body: object;
    webhooks: string;
    webhookId: string;
    states: readonly (WebhookState | null)[];
    complete: boolean;
  }[];
}

const { keys, lists } = JSON.parse(
  readFileSync(new URL("real-shapes.json", import.meta.url), "utf8"),
) as Shapes;

/** Expects a share of the rows to pass, and names the others if too few do. */
function expectShare<T extends { like: string }>(
  share: number,
  rows: readonly T[],
  passes: (row: T) => boolean,
) {
  const missed = rows.filter((row) => !passes(row)).map(({ like }) => like);
  expect(1 - missed.length / rows.length, missed.join(", ")).toBeGreaterThanOrEqual(share);
}

const readList = ({ body }: { body: object }, mapping = {}) =>
  readWebhookList(JSON.stringify(body), {}, 200, mapping);

it("at least 90 % of the keys are found, and no other value is taken for a key", () => {
  const single = keys.filter(({ pair }) => !pair);
  const find = (body: object): string | null => {
    const reading = readKey(JSON.stringify(body));
    return reading.kind === "found" ? reading.pointer : null;
  };
  expectShare(0.9, single, ({ body, apiKey }) => find(body) === apiKey);
  expect(single.filter(({ body, apiKey }) => ![apiKey, null].includes(find(body)))).toEqual([]);
});

it("no body of a success counts as a failure", () => {
  const failed = [
    ...keys.filter(({ body }) => isFailedCreation(200, JSON.stringify(body))),
    ...lists.filter(({ body }) => reportsFailure(JSON.stringify(body))),
  ];
  expect(failed.map(({ like }) => like)).toEqual([]);
});

it("at least 76 % of the lists are read, and none of them wrong", () => {
  const readings = lists.map((list) => ({ ...list, read: readList(list) }));
  expectShare(0.76, readings, ({ read }) => read.readable);
  for (const { read, like, body, webhooks, webhookId } of readings) {
    const records = resolvePointer(body, webhooks) as object[];
    const ids = records.map((record) => Number(resolvePointer(record, webhookId)));
    if (read.readable) expect([...read.webhooks.keys()], like).toEqual(ids);
  }
});

it("at least 88 % of the states are read, and at most one is misread", () => {
  const states = lists.flatMap(({ like, body, webhooks, webhookId, states }) => {
    const list = readList({ body }, { webhooks, webhookId });
    const read = list.readable ? [...list.webhooks.values()].map(({ state }) => state) : [];
    return states.map((state, index) => ({ like, state, read: read[index] ?? null }));
  });
  const known = states.filter(({ state }) => state !== null);
  expectShare(0.88, known, ({ state, read }) => state === read);
  expect(known.filter(({ state, read }) => read !== null && read !== state).length).toBeLessThanOrEqual(1);
});

it("of the lists that are not complete, all say how to request the next page", () => {
  const paged = lists.filter(({ complete }) => !complete);
  const ways = paged.map(({ like, body, webhooks, webhookId }) => {
    const read = readList({ body }, { webhooks, webhookId });
    return { like, next: read.readable ? read.next : null };
  });
  const followed = ways.filter(({ next }) => next !== null && next.kind !== "unknown");
  const others = ways.filter((way) => !followed.includes(way)).map(({ like }) => like);
  console.log(`${followed.length} of ${ways.length} lists with further pages lead to the next one`, others);
  expect(others).toEqual([]);
});

it("no list that is complete leads to another page", () => {
  const next = lists
    .filter(({ complete }) => complete)
    .map(({ webhooks, webhookId, ...list }) => {
      const read = readList(list, { webhooks, webhookId });
      return read.readable && read.next;
    });
  expect(next.filter(Boolean)).toEqual([]);
});

it("at least 95 % of the lists are judged right as complete or not, and none with further pages is complete", () => {
  const judged = lists.map(({ like, body, webhooks, webhookId, complete }) => {
    const read = readList({ body }, { webhooks, webhookId });
    return { like, complete, read: read.readable && read.complete };
  });
  expectShare(0.95, judged, ({ complete, read }) => complete === read);
  expect(judged.filter(({ complete, read }) => read && !complete)).toEqual([]);
});
