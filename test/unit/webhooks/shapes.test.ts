/** The readers, measured on lists of public services. */
import { expect, it } from "vitest";

import { reportsFailure } from "../../../provider/src/bodies/false-success.js";
import { resolvePointer } from "../../../provider/src/bodies/json.js";
import type { ResponseMapping } from "../../../provider/src/bodies/response-mapping.js";
import {
  readWebhookList,
  type WebhookListReading,
} from "../../../provider/src/webhooks/webhook-list-reader.js";
import { stateFieldsOf } from "../../../provider/src/webhooks/webhook-state-field-reader.js";
import { SHAPES, type ListShape } from "../../support/shapes.ts";

const { lists } = SHAPES;

const read = ({ body }: ListShape, mapping: ResponseMapping = {}) =>
  readWebhookList(JSON.stringify(body), {}, mapping);

function idsOf({ body, webhooks, webhookId }: ListShape): number[] {
  const records = resolvePointer(body, webhooks) as object[];
  return records.map((record) => Number(resolvePointer(record, webhookId)));
}

function statesOf({ webhooks }: WebhookListReading) {
  return [...webhooks.values()].map(({ state }) => state);
}

/** Reads a list as a person does who follows the proposals that are right, until nothing more is proposed. */
function followed(list: ListShape): {
  readonly mapping: ResponseMapping;
  readonly reading: WebhookListReading;
} {
  let mapping: ResponseMapping = {};
  for (;;) {
    const reading = read(list, mapping);
    if (reading.isReadable) return { mapping, reading };
    const { setting, pointers } = reading;
    const pointer = setting === null ? null : list[setting];
    expect(pointers, list.like).toContain(pointer);
    mapping = { ...mapping, [setting ?? ""]: pointer };
  }
}

it("lists: 65 of 67 are located, none wrong", () => {
  const found = lists.map((list) => ({ list, reading: read(list) }));
  const located = found.filter(({ reading }) => reading.isReadable || reading.setting === "webhookId");
  expect(located.length).toBeGreaterThanOrEqual(65);
  for (const { list, reading } of found)
    if (reading.isReadable) expect(reading.pointer, list.like).toBe(list.webhooks);
});

it("IDs: those of 55 of 67 lists are right, none wrong", () => {
  const readings = lists.map((list) => ({ list, reading: read(list, { webhooks: list.webhooks }) }));
  const readable = readings.filter(({ reading }) => reading.isReadable);
  expect(readable.length).toBeGreaterThanOrEqual(55);
  for (const { list, reading } of readings)
    if (reading.isReadable) expect([...reading.webhooks.keys()], list.like).toEqual(idsOf(list));
});

it("states: 101 of 119 are right, none wrong; no incomplete list counts as complete", () => {
  let right = 0;
  for (const list of lists) {
    const reading = read(list, { webhooks: list.webhooks, webhookId: list.webhookId });
    if (!reading.isReadable) throw new Error(list.like);
    for (const [index, state] of statesOf(reading).entries()) {
      if (state === null) continue;
      expect(state, list.like).toBe(list.states[index]);
      right += 1;
    }
    if (!list.complete) expect(reading.incompleteSign, list.like).not.toBe(null);
  }
  expect(right).toBeGreaterThanOrEqual(101);
  expect(lists.flatMap(({ states }) => states).filter((state) => state !== null)).toHaveLength(119);
});

it("the proposed pointers end in a list that is read, and for all but one service the state's is proposed", () => {
  const unproposed: string[] = [];
  for (const list of lists) {
    const { mapping, reading } = followed(list);
    expect([...reading.webhooks.keys()], list.like).toEqual(idsOf(list));
    const records = [...reading.webhooks.values()].map(({ record }) => record);
    const fields = stateFieldsOf(records, mapping);
    const exists = (pointer: string) => records.some((one) => resolvePointer(one, pointer) !== undefined);
    for (const { pointer } of fields) expect(exists(pointer), `${list.like} ${pointer}`).toBe(true);
    const isMissing = statesOf(reading).some((state, index) => state !== list.states[index]);
    if (isMissing && !fields.some(({ pointer }) => pointer === list.webhookState)) unproposed.push(list.like);
  }
  expect(unproposed).toEqual(["DocuSign Connect configurations"]);
});

it("none of them counts as a failure", () => {
  expect(lists.filter(({ body }) => reportsFailure(JSON.stringify(body)))).toEqual([]);
});
