import { expect, it } from "vitest";

import { parseResponseMapping } from "../../../provider/src/handlers/settings.js";

const FULL = {
  apiKey: "/data/key",
  apiKeyId: "/data/id",
  webhooks: "",
  webhookId: "/node/id",
  webhookState: "/a~1b/c~0d",
  active: ["LIVE", 1, true],
  disabled: ["dead", 0, false, null],
  complete: true,
};
const POINTER = 'must be a JSON Pointer such as "/data/key"';
const WORDS = "must be a list of one or more strings, numbers, booleans or nulls";

it.each<[what: string, setting: unknown, mapping: unknown]>([
  ["all members", FULL, FULL],
  ["JSON text", JSON.stringify(FULL), FULL],
  ["undefined", undefined, {}],
  ["null", null, {}],
  ["members that are null", { apiKey: null, active: undefined, webhooks: "/x" }, { webhooks: "/x" }],
  ["complete as text, as the CLI may store it", { complete: "false" }, { complete: false }],
])("%s is accepted", (_, setting, mapping) => {
  expect(parseResponseMapping(setting)).toEqual({ mapping, problems: [] });
});

it.each<[what: string, setting: unknown, member: string | null, text: string]>([
  ["text that is not JSON", "/data/key", null, "must be a JSON object"],
  ["an array", ["/data/key"], null, "must be a JSON object"],
  ["a number", 5, null, "must be a JSON object"],
  ["a dotted path", { apiKey: "data.key" }, "apiKey", POINTER],
  ["an escape that does not exist", { webhookId: "/a~2" }, "webhookId", POINTER],
  ["a number as a pointer", { webhookState: 1 }, "webhookState", POINTER],
  ["the record itself as an ID", { webhookId: "" }, "webhookId", POINTER],
  ["a single word", { active: "LIVE" }, "active", WORDS],
  ["no words", { disabled: [] }, "disabled", WORDS],
  ["an object as a word", { active: ["a", {}] }, "active", WORDS],
  ["complete as a word", { complete: "maybe" }, "complete", "must be true or false"],
  ["an unknown member", { apikey: "/data" }, "apikey", "is not a setting; use one of apiKey, apiKeyId,"],
  ["a member that may be data", { sk_live_9f8E7d6C5b4A3210: 1 }, "*", "is not a setting"],
  ["a member __proto__", '{"__proto__":{"apiKey":"/x"}}', "__proto__", "is not a setting"],
  ["a word for both states", { active: ["On"], disabled: ["oN"] }, "disabled", "must not have a value in"],
  ["a number and its text for both states", { active: [1], disabled: ["1"] }, "disabled", "must not have"],
])("%s is a problem", (_, setting, member, text) => {
  const { mapping, problems } = parseResponseMapping(setting);
  expect(mapping).toEqual({});
  expect(problems).toEqual([{ member, text: expect.stringContaining(text) as string }]);
});

it("valid members are kept, and every problem is reported", () => {
  const { mapping, problems } = parseResponseMapping({ apiKey: "/k", webhooks: "x", active: 1, other: 1 });
  expect(mapping).toEqual({ apiKey: "/k" });
  expect(problems.map(({ member }) => member)).toEqual(["webhooks", "active", "other"]);
});
