import { describe, expect, it } from "vitest";

import { parseResponseMapping } from "../../../provider/src/api/responses.js";

const FULL = {
  apiKey: "/data/key",
  apiKeyId: "/data/id",
  webhooks: "",
  webhookId: "/node/id",
  webhookState: "/a~1b/c~0d",
  active: ["LIVE", 1, true],
  disabled: ["dead", 0, false, null],
};
const REMEDY = 'Write it as a JSON Pointer (RFC 6901): it starts with "/", for example /data/key.';

describe("the setting responses is accepted", () => {
  it.each<[case_: string, value: unknown, mapping: unknown]>([
    ["with all its members", FULL, FULL],
    ["as JSON text", JSON.stringify(FULL), FULL],
    ["when it is not set", undefined, {}],
    ["when it is null", null, {}],
    ["when it is empty", {}, {}],
    [
      "with members that are null or not set",
      { apiKey: null, active: undefined, webhooks: "/x" },
      { webhooks: "/x" },
    ],
    ["with the whole document as key", { apiKey: "" }, { apiKey: "" }],
  ])("%s", (_, value, mapping) => {
    expect(parseResponseMapping(value)).toEqual({ mapping, problems: [] });
  });
});

describe("the setting responses is refused", () => {
  it.each<[case_: string, value: unknown]>([
    ["text that is not JSON", "/data/key"],
    ["empty text", ""],
    ["text that is not an object", '"{}"'],
    ["an array", ["/data/key"]],
    ["an array in text", "[]"],
    ["a number", 5],
    ["a flag", false],
  ])("%s", (_, value) => {
    expect(parseResponseMapping(value)).toEqual({
      mapping: {},
      problems: [
        "responses is not a JSON object. Set its members one by one: pulumi config set --path 'partners:responses.apiKey' /data/key.",
      ],
    });
  });

  it.each<[case_: string, value: unknown, problem: string]>([
    ["a dotted path", { apiKey: "data.key" }, `responses.apiKey is not a JSON Pointer. ${REMEDY}`],
    ["a JSONPath", { webhooks: "$.data" }, `responses.webhooks is not a JSON Pointer. ${REMEDY}`],
    ["a fragment", { apiKeyId: "#/data" }, `responses.apiKeyId is not a JSON Pointer. ${REMEDY}`],
    [
      "an escape that does not exist",
      { webhookId: "/a~2" },
      `responses.webhookId is not a JSON Pointer. ${REMEDY}`,
    ],
    [
      "an escape that is cut off",
      { webhookId: "/a~" },
      `responses.webhookId is not a JSON Pointer. ${REMEDY}`,
    ],
    ["a number for a pointer", { webhookState: 1 }, `responses.webhookState is not a string. ${REMEDY}`],
    ["a list for a pointer", { apiKey: ["/data"] }, `responses.apiKey is not a string. ${REMEDY}`],
    ["a whole record for its id", { webhookId: "" }, `responses.webhookId is empty. ${REMEDY}`],
    ["a whole record for its state", { webhookState: "" }, `responses.webhookState is empty. ${REMEDY}`],
    ["a whole document for an id", { apiKeyId: "" }, `responses.apiKeyId is empty. ${REMEDY}`],
    [
      "a single word",
      { active: "LIVE" },
      "responses.active is not a list of one or more strings, numbers, booleans or nulls. Set them one by one: pulumi config set --path 'partners:responses.active[0]' active.",
    ],
    [
      "no words",
      { disabled: [] },
      "responses.disabled is not a list of one or more strings, numbers, booleans or nulls. Set them one by one: pulumi config set --path 'partners:responses.disabled[0]' disabled.",
    ],
    ["a word that is an object", { active: ["a", {}] }, "responses.active is not a list of one or more"],
    ["a word that is a list", { active: [["a"]] }, "responses.active is not a list of one or more"],
    [
      "a member that does not exist",
      { apikey: "/data" },
      "responses.apikey is not a setting. Remove it, or use one of apiKey, apiKeyId, webhooks, webhookId, webhookState, active, disabled.",
    ],
    [
      "a member __proto__",
      JSON.parse('{"__proto__":{"apiKey":"/x"}}'),
      "responses.__proto__ is not a setting.",
    ],
    ["a member whose name may be data", { sk_live_9f8E7d6C5b4A3210: 1 }, "responses.* is not a setting."],
  ])("%s", (_, value, problem) => {
    const parsed = parseResponseMapping(value);
    expect(parsed.mapping).toEqual({});
    expect(parsed.problems).toEqual([expect.stringContaining(problem)]);
  });

  it.each([
    [
      ["a", "b"],
      ["c", "a"],
    ],
    [["On"], ["oN"]],
    [[1], ["1"]],
    [[null], ["null"]],
  ])("words that mean both states: %j and %j", (active, disabled) => {
    expect(parseResponseMapping({ active, disabled, apiKey: "/k" })).toEqual({
      mapping: { apiKey: "/k" },
      problems: [
        "responses.active and responses.disabled have a value in common (compared as text, without regard to case). Remove it from one of them.",
      ],
    });
  });

  it("keeps the members without a problem, and names every problem", () => {
    const { mapping, problems } = parseResponseMapping({ apiKey: "/k", webhooks: "x", active: 1, other: 1 });
    expect(mapping).toEqual({ apiKey: "/k" });
    expect(problems).toHaveLength(3);
  });
});
