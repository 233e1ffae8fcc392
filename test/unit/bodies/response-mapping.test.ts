import { expect, it } from "vitest";

import { parseMapping } from "../../../provider/src/bodies/response-mapping.js";

/** Reads a mapping. Returns it with what is refused, as "member: rule". */
function read(given: unknown): { mapping: unknown; refused: string[] } {
  const refused: string[] = [];
  const text = typeof given === "string" ? given : JSON.stringify(given);
  const mapping = parseMapping(text, (rule, member) => void refused.push(`${member ?? ""}: ${rule}`));
  return { mapping, refused };
}

const ALL = {
  ...{ apiKey: "/data/key", apiKeyId: "/data/id" },
  ...{ webhooks: "", webhookId: "/node/id", webhookState: "/a~1b/c~0d" },
  active: ["LIVE", 1, true],
  disabled: ["dead", 0, false, null],
  complete: true,
};

it("a mapping may have all members, in the spelling of each language", () => {
  expect(read(ALL)).toEqual({ mapping: ALL, refused: [] });
  const toSnake = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  const snake = Object.fromEntries(Object.entries(ALL).map(([name, value]) => [toSnake(name), value]));
  expect(read(snake), "as Python writes a dict").toEqual({ mapping: ALL, refused: [] });
});

it("a member that is null counts as not set", () => {
  expect(read({ apiKey: null, other: null })).toEqual({ mapping: {}, refused: [] });
});

it.each<[what: string, mapping: unknown, refused: RegExp]>([
  ["text", "pk", /^: must be a JSON object$/],
  ["a list", [], /^: must be a JSON object$/],
  ["an unknown member", { apikeys: "/x" }, /^: has an unknown member; valid members: apiKey, /],
  ["a prototype", '{"__proto__":{"apiKey":"/x"}}', /^: has an unknown member/],
  ["a path without a slash", { apiKey: "data.key" }, /^apiKey: must be a JSON Pointer/],
  [
    "a pointer that Git Bash rewrote",
    { apiKey: "C:/Program Files/Git/data/key" },
    /^apiKey: is a path that Git/,
  ],
  [
    "one on another drive",
    { webhooks: "d:\\git\\hooks" },
    /^webhooks: is a path .*export MSYS_NO_PATHCONV=1"$/,
  ],
  ["a pointer with a wrong escape", { webhook_id: "/a~2" }, /^webhookId: must be a JSON Pointer/],
  ["a number as pointer", { webhookState: 1 }, /^webhookState: must be a JSON Pointer/],
  ["a word that is no list", { active: "LIVE" }, /^active: must be a list/],
  ["an empty list", { disabled: [] }, /^disabled: must be a list/],
  ["a list of objects", { active: ["a", {}] }, /^active: must be a list/],
  ["text as a flag", { complete: "maybe" }, /^complete: must be true or false$/],
  ["one word for both", { active: ["On"], disabled: ["oN "] }, /^disabled: must not have a value/],
])("%s is refused", (_what, mapping, expected) => {
  const { refused } = read(mapping);
  expect(refused).toEqual([expect.stringMatching(expected)]);
});
