import { describe, expect, test } from "vitest";

import {
  explainApiKey,
  explainWebhookList,
  readApiKey,
  readWebhookList,
  type ResponseMapping,
} from "../../../provider/src/api/responses.js";
import { describeStructure } from "../../../provider/src/api/responses/structure.js";
import { SHAPES, type ShapeName } from "../../support/sandbox.ts";
import { CANARIES, findLeaks } from "../../support/canary.ts";

const WEBHOOKS = [
  { webhookId: 101, state: "active", changedAt: "2026-01-02T03:04:05.000Z" },
  { webhookId: 102, state: "disabled", changedAt: "2026-01-02T03:04:05.000Z" },
] as const;
const KEY = { key: "pk_live_9f8e7d6c5b4a39281706", id: "ak_17", createdAt: "2026-01-02T03:04:05.000Z" };
const NAMES = Object.keys(SHAPES) as ShapeName[];
const RECOGNISED = NAMES.filter((name) => name !== "unreadable");

/** What somebody would set who copies the pointers. */
function mappingOf(pointers: Readonly<Partial<Record<string, readonly string[]>>>): ResponseMapping {
  return Object.fromEntries(Object.entries(pointers).map(([name, places]) => [name, places?.[0]]));
}

describe("the pointers that are named are those that were used", () => {
  test.each(RECOGNISED)("list %s", (name) => {
    const text = JSON.stringify(SHAPES[name].webhooks(WEBHOOKS));
    const explanation = explainWebhookList(text, {});
    expect(explanation).toMatchObject({ missing: null });
    const mapping = mappingOf(explanation?.pointers ?? {});
    expect(Object.keys(mapping)).toEqual(["webhooks", "webhookId", "webhookState"]);
    expect(readWebhookList(text, undefined, mapping)).toEqual(readWebhookList(text, undefined, {}));
    expect(explainWebhookList(text, mapping)).toEqual(explanation);
  });

  test.each(RECOGNISED)("key %s", (name) => {
    const text = JSON.stringify(SHAPES[name].apiKey(KEY));
    const explanation = explainApiKey(text, {});
    expect(explanation).toMatchObject({ missing: null });
    const mapping = mappingOf(explanation?.pointers ?? {});
    expect(mapping.apiKey).toBeDefined();
    expect(readApiKey(text, mapping)).toMatchObject({ readable: true, apiKey: KEY.key });
    expect(readApiKey(text, mapping)).toEqual(readApiKey(text, {}));
  });
});

test("what has to be set is named step by step, until all is known", () => {
  const text = JSON.stringify(SHAPES.unreadable.webhooks(WEBHOOKS));
  const steps: ResponseMapping[] = [
    {},
    { webhooks: "/outgoing" },
    { webhookId: "/ref" },
    { webhookState: "/mode" },
    { active: ["go"], disabled: ["halt"] },
  ];
  let mapping: ResponseMapping = {};
  const missing = steps.map((step) => {
    mapping = { ...mapping, ...step };
    return explainWebhookList(text, mapping)?.missing;
  });
  expect(missing).toEqual([
    { setting: "webhooks", candidates: ["/incoming", "/outgoing"] },
    { setting: "webhookId", candidates: ["/ref"] },
    { setting: "webhookState", candidates: ["/mode"] },
    { setting: "active", candidates: [] },
    null,
  ]);
});

test.each([
  ["a word in a known place", { id: 7, status: "live" }, "active"],
  ["fields that disagree", { id: 7, active: true, disabled: true }, "webhookState"],
  ["no field of the state", { id: 7, mode: "live" }, "webhookState"],
])("a state that is unknown for %s", (_what, record, setting) => {
  expect(explainWebhookList(JSON.stringify([record]), {})?.missing?.setting).toBe(setting);
});

test("a key that is not found is looked for where something looks like one", () => {
  const text = JSON.stringify(SHAPES.unreadable.apiKey(KEY));
  expect(explainApiKey(text, {})).toEqual({
    pointers: {},
    missing: { setting: "apiKey", candidates: ["/result/key", "/result/token"] },
    structure: ["object", "  result: object", "    key: string", "    token: string"],
  });
});

test("what is not JSON is not explained", () => {
  expect(explainWebhookList("<html>", {})).toBeNull();
  expect(explainApiKey("nonsense", {})).toBeNull();
});

describe("a structure", () => {
  test("has names and types", () => {
    const document = { data: [{ id: 7, url: null, on: true }, "x"], empty: [], inner: { name: "n" } };
    expect(describeStructure(document)).toEqual([
      "object",
      "  data: array of 2",
      "    (first): object",
      "      id: number",
      "      url: null",
      "      on: boolean",
      "  empty: array of 0",
      "  inner: object",
      "    name: string",
    ]);
  });

  test("has no value, and no name that may be one", () => {
    const { token, webhookSecret } = CANARIES;
    const text = describeStructure({ [token]: [webhookSecret, { [webhookSecret]: token }] }).join("\n");
    expect(text).toBe("object\n  *: array of 2\n    (first): string");
    expect(findLeaks({ text }, CANARIES)).toEqual([]);
  });

  test("of a large or deep document is a page", () => {
    const wide = Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [`name${index}`, index]));
    expect(describeStructure(wide)).toHaveLength(42);
    expect(describeStructure(wide).at(-1)).toBe("  and 960 more");
    let deep: unknown = 1;
    for (let depth = 0; depth < 1000; depth += 1) deep = depth % 2 === 0 ? { deep } : [deep];
    expect(describeStructure(deep).length).toBeLessThan(10);
  });
});
