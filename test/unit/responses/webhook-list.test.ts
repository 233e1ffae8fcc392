import { describe, expect, it } from "vitest";

import { readWebhookList } from "../../../provider/src/api/responses.js";
import { listOf, problemOf, webhooksOf } from "./support.ts";

const A = { id: 11, state: "active" };
const B = { id: 12, state: "disabled" };
const SET_LIST = "Set partners:responses.webhooks to the JSON Pointer of the array of webhooks.";
const SET_ID =
  "Set partners:responses.webhookId to the JSON Pointer of the id, relative to a record of the list.";

describe("the list is recognised", () => {
  it.each<[shape: string, body: unknown]>([
    ["at the root", [A, B]],
    ["under webhooks", { webhooks: [A, B] }],
    ["beside errors that are none", { data: [A, B], errors: {}, error: "", ok: true, status: "ok" }],
    ["beside an error number 0", { data: [A, B], error: 0 }],
    ["under hooks, in any spelling", { "web-hooks": [A, B] }],
    [
      "under data, in an envelope with a status",
      { status: "success", success: true, error: null, data: [A, B] },
    ],
    [
      "in an envelope with empty errors and messages",
      { result: [A, B], success: true, errors: [], messages: [] },
    ],
    [
      "under an unknown name, if it is the only array of objects",
      { outgoing: [A, B], tags: ["a", "b"], count: 2 },
    ],
    ["beside another array, if it is named webhooks", { data: { events: [{ id: 1 }], webhooks: [A, B] } }],
    ["three names deep", { response: { data: { entries: [A, B] } } }],
    ["in a HAL document", { _embedded: { hooks: [A, B] }, _links: { self: { href: "/webhooks" } } }],
    [
      "in a JSON:API document",
      { data: [A, B], included: [{ id: 5 }], links: [{ rel: "self" }], meta: { a: [{}] } },
    ],
    [
      "beside what says how it is sorted",
      { content: [A, B], sort: [{ property: "id" }], pageable: { sort: [{}] } },
    ],
    [
      "in records with arrays of their own",
      [
        { ...A, events: [{ id: 1 }] },
        { ...B, events: [] },
      ],
    ],
    ["in an envelope with an id that is no webhook id", { id: "req_81", data: [A, B] }],
    [
      "in an object with a member __proto__",
      JSON.parse('{"__proto__":{"a":1},"hooks":[{"id":11},{"id":12}]}'),
    ],
  ])("%s", (_, body) => {
    expect(webhooksOf(listOf(body)).map(({ webhookId }) => webhookId)).toEqual([11, 12]);
  });

  it.each<[shape: string, body: unknown]>([
    ["at the root", []],
    ["under webhooks", { webhooks: [], tags: [] }],
    ["under a usual name for lists", { data: { items: [] } }],
    ["under a name with hook in it", { webhookSubscriptions: [] }],
  ])("when it is empty %s", (_, body) => {
    expect(listOf(body)).toEqual({ readable: true, webhooks: new Map(), complete: true });
  });

  it("with the records as they were sent", () => {
    const record = { ...A, url: "https://a.example/hook", nested: { list: [1, null] } };
    expect(webhooksOf(listOf([record]))).toEqual([{ webhookId: 11, state: "active", problem: null, record }]);
  });
});

describe("the list is refused, and the message lists the paths of candidates", () => {
  it.each<[shape: string, body: unknown, what: string]>([
    [
      "an array with a gap beside another",
      { outgoing: [A, null], events: [A] },
      "More than one array could be the list of webhooks.",
    ],
    [
      "two lists of one name",
      { webhooks: [A], data: { webhooks: [B] } },
      "More than one array could be the list of webhooks. Candidates: /webhooks, /data/webhooks.",
    ],
    ["lists by state", { active: [A], disabled: [B] }, "Candidates: /active, /disabled."],
    [
      "two arrays of objects",
      { data: { outgoing: [A], incoming: [B] } },
      "Candidates: /data/outgoing, /data/incoming.",
    ],
    [
      "an array that may be an empty list beside one that is not",
      { outgoing: [], events: [A] },
      "Candidates: /outgoing, /events.",
    ],
    [
      "a map by id",
      { webhooks: { 11: A, 12: B } },
      "No list of webhooks was recognised in the response. Set",
    ],
    [
      "a list four names deep",
      { a: { b: { c: { list: [A, B] } } } },
      "No list of webhooks was recognised in the response. Candidates: /a/b/c/list.",
    ],
    [
      "a single record with an array in it",
      { id: 11, url: "https://a.example", events: [{ id: 1 }] },
      "No list of webhooks was recognised in the response. Candidates: /events.",
    ],
    [
      "an empty array that may be anything",
      { name: "partner", tags: [] },
      "The only array of the response is empty, and its name does not say that it is the list. Candidates: /tags.",
    ],
    ["null for a list", { webhooks: null }, "No list of webhooks was recognised in the response. Set"],
    ["an array of ids", { data: [11, 12] }, "No list of webhooks was recognised in the response. Set"],
    [
      "an array of ids under webhooks",
      { webhooks: [11, 12] },
      "The list of webhooks holds something that is not an object.",
    ],
    ["a list with a gap", [A, null], "The list of webhooks holds something that is not an object."],
    ["a list of lists", [[A], [B]], "The list of webhooks holds something that is not an object."],
    ["a scalar", "webhooks", "The response holds no list of webhooks."],
    ["null", null, "The response holds no list of webhooks."],
  ])("%s", (_, body, what) => {
    const problem = problemOf(listOf(body));
    expect(problem).toContain(what);
    expect(problem.endsWith(` ${SET_LIST}`)).toBe(true);
  });

  it.each([
    ["", "is empty"],
    ["<html>", "looks like an HTML page"],
    ['[{"id":11},', "is not JSON; it may have been cut off"],
    ["webhooks", "is not JSON."],
  ])("a body that is not JSON: %j", (text, problem) => {
    expect(problemOf(readWebhookList(text, undefined, {}))).toContain(problem);
  });
});

describe("the id is recognised", () => {
  it.each<[shape: string, records: Record<string, unknown>[], ids: number[]]>([
    ["as id", [{ id: 11 }, { id: 12 }], [11, 12]],
    ["as decimal text", [{ id: "11" }, { id: "9007199254740991" }], [11, 9007199254740991]],
    [
      "as webhook_id before any other",
      [
        { id: 1, hookId: 2, webhook_id: 11 },
        { id: 3, hookId: 4, webhook_id: 12 },
      ],
      [11, 12],
    ],
    [
      "as hookId before id",
      [
        { id: 1, hookId: 11 },
        { id: 2, hookId: 12 },
      ],
      [11, 12],
    ],
    ["as id where webhookId is missing in one record", [{ id: 11, webhookId: 5 }, { id: 12 }], [11, 12]],
    [
      "as id where webhookId is no number",
      [
        { id: 11, webhookId: "wh_1" },
        { id: 12, webhookId: "wh_2" },
      ],
      [11, 12],
    ],
    [
      "in the webhook that a record wraps",
      [
        { id: 1, webhook: { id: 11 } },
        { id: 2, webhook: { id: 12 } },
      ],
      [11, 12],
    ],
    [
      "beside the attributes of JSON:API",
      [
        { id: "11", attributes: { id: 1 } },
        { id: "12", attributes: { id: 1 } },
      ],
      [11, 12],
    ],
    ["in two spellings that agree", [{ id: 11, ID: "11" }, { id: 12 }], [11, 12]],
    [
      "beside ids of other things",
      [
        { id: 11, accountId: 4 },
        { id: 12, accountId: 4 },
      ],
      [11, 12],
    ],
  ])("%s", (_, records, ids) => {
    expect(webhooksOf(listOf(records)).map(({ webhookId }) => webhookId)).toEqual(ids);
  });

  it.each<[shape: string, records: Record<string, unknown>[], what: string]>([
    [
      "no id",
      [{ ref: 11 }, { ref: 12 }],
      "No positive whole number was recognised as the id in every webhook. Candidates: /ref.",
    ],
    ["an id that one record lacks", [A, { state: "active" }], "Candidates: /id."],
    ["the nodes of GraphQL", [{ node: { id: 11 } }], "Candidates: /node/id."],
    ["text", [{ id: "wh_11" }], `in every webhook. ${SET_ID}`],
    ["a UUID", [{ id: "0b7c2d1e-4f5a-6b7c-8d9e-0a1b2c3d4e5f" }], "in every webhook. Set"],
    ["zero", [{ id: 0 }], "in every webhook. Set"],
    ["a negative number", [{ id: -11 }], "in every webhook. Set"],
    ["a fraction", [{ id: 11.5 }], "in every webhook. Set"],
    ["a number that JSON cannot carry exactly", [{ id: 2 ** 53 }], "in every webhook. Set"],
    ["text with a leading zero", [{ id: "011" }], "in every webhook. Set"],
    [
      "text with a sign, a space or an exponent",
      [{ id: "+11", hookId: " 11", webhookId: "1e1" }],
      "in every webhook. Set",
    ],
    ["true", [{ id: true }], "in every webhook. Set"],
    ["two spellings that differ", [{ id: 11, ID: 12 }], "in every webhook. Candidates: /id, /ID."],
    [
      "the same id twice",
      [A, B, { ...A }],
      "Several records of the list have the same webhook id. Candidates: /id.",
    ],
    [
      "a log of deliveries",
      [
        { id: 1, webhookId: 11 },
        { id: 2, webhookId: 11 },
      ],
      "Several records of the list have the same webhook id. Candidates: /id, /webhookId.",
    ],
  ])("but not: %s", (_, records, what) => {
    const problem = problemOf(listOf(records));
    expect(problem).toContain(what);
    expect(problem.endsWith(` ${SET_ID}`)).toBe(true);
  });
});

describe("the settings are the only thing used", () => {
  it("responses.webhooks, against a better name", () => {
    const body = { webhooks: [{ id: 1 }], data: { a: [{ b: [A, B] }] } };
    expect(webhooksOf(listOf(body, { webhooks: "/data/a/0/b" })).map(({ webhookId }) => webhookId)).toEqual([
      11, 12,
    ]);
    expect(webhooksOf(listOf([A], { webhooks: "" }))).toHaveLength(1);
  });

  it.each<[case_: string, body: unknown, what: string]>([
    ["a miss", { webhooks: [A] }, "points at nothing in the response. Candidates: /webhooks."],
    ["a map", { list: { 11: A } }, "does not point at an array."],
    ["null", { list: null }, "does not point at an array."],
  ])("responses.webhooks: %s makes the response unreadable", (_, body, what) => {
    expect(problemOf(listOf(body, { webhooks: "/list" }))).toContain(`partners:responses.webhooks ${what}`);
  });

  it("responses.webhookId, against a better name", () => {
    const records = [
      { webhookId: 1, node: { ref: "11" } },
      { webhookId: 2, node: { ref: 12 } },
    ];
    const reading = listOf(records, { webhookId: "/node/ref" });
    expect(webhooksOf(reading).map(({ webhookId }) => webhookId)).toEqual([11, 12]);
  });

  it("responses.webhookId, also in an empty list", () => {
    expect(webhooksOf(listOf([], { webhookId: "/ref", webhookState: "/mode" }))).toEqual([]);
  });

  it.each<[case_: string, records: unknown[], what: string]>([
    [
      "a miss in one record",
      [{ id: 1, ref: 11 }, { id: 2 }],
      "finds no positive whole number in some webhook. Candidates: /id, /ref.",
    ],
    [
      "the same id twice",
      [
        { id: 1, ref: 11 },
        { id: 2, ref: "11" },
      ],
      "finds the same id in several webhooks. Candidates: /id, /ref.",
    ],
  ])("responses.webhookId: %s makes the response unreadable", (_, records, what) => {
    expect(problemOf(listOf(records, { webhookId: "/ref" }))).toContain(
      `partners:responses.webhookId ${what}`,
    );
  });
});
