import { describe, expect, it } from "vitest";

import { readApiKeyId } from "../../../provider/src/responses/key-ids.js";
import type { ResponseMapping } from "../../../provider/src/responses/mapping.js";
import { readWebhookList } from "../../../provider/src/responses/webhook-list-reader.js";
import { JWT, K, S, isFailedCreation, readKey } from "./support.ts";

describe("responses.apiKey is the only source of the key", () => {
  it.each<[what: string, body: unknown, pointer: string]>([
    ["despite a better name", { apiKey: S, data: { grant: K } }, "/data/grant"],
    ["through an array", { keys: [{ apiKey: S }, { apiKey: K }] }, "/keys/1/apiKey"],
    ["with escapes", { "a/b": { "c~d": K } }, "/a~1b/c~0d"],
    ["in a failure", { success: false, key: K }, "/key"],
  ])("%s", (_, body, pointer) => {
    const reading = readKey(JSON.stringify(body), { apiKey: pointer });
    expect(reading).toEqual({ kind: "found", apiKey: K, pointer });
  });

  it.each([
    [`\uFEFF${K}\r\n`, K],
    [`{"apiKey":"${K}`, null],
    ["<html></html>", null],
    ["Your key was sent by mail.", null],
  ])('and "" accepts plain text: %j', (text, key) => {
    const reading = readKey(text, { apiKey: "" });
    expect(reading.kind === "found" ? reading.apiKey : null).toBe(key);
  });
});

const MANY = Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`code_${n}x`, `${K}${n}`]));
const TEN = Object.keys(MANY)
  .slice(0, 10)
  .map((name) => `/${name}`);

describe("a refusal lists candidates without values", () => {
  it.each<[body: unknown, mapping: ResponseMapping, reason: string, candidates: string[]]>([
    [{ token: JWT, user: { key: K } }, {}, "several", ["/token", "/user/key"]],
    [{ grant: K, n: 5 }, { apiKey: "/n" }, "pointer", ["/grant"]],
    [{ apiKey: K }, { apiKey: "/data/key" }, "pointer", ["/apiKey"]],
    [{ "jane@example.com": { grant: K }, grant: S }, {}, "none", ["/*/grant", "/grant"]],
    [{ "jane@example.com": { grant: K }, [S]: { grant: K } }, {}, "none", ["/*/grant"]],
    [{ 0: { apiKey: K }, 4917012345: { apiKey: S } }, {}, "several", ["/0/apiKey", "/*/apiKey"]],
    [{ "a::b": { grant: K }, "##[x]": { grant: K } }, {}, "none", ["/*/grant"]],
    [{ abcdefghijklmnopqrstuvwxyz: { grant: K } }, {}, "none", ["/*/grant"]],
    ["abcdefghijklmnop", {}, "none", []],
    [MANY, {}, "none", TEN],
  ])("%j", (body, mapping, reason, candidates) => {
    const reading = readKey(JSON.stringify(body), mapping);
    expect(reading).toMatchObject({ kind: "refused", reason, candidates });
  });
});

describe("responses.apiKeyId reads the ID as it stands in the text", () => {
  it.each<[ref: string, id: string | null]>([
    ['"key_7"', "key_7"],
    ["77", "77"],
    ["0", "0"],
    ["9007199254740993", "9007199254740993"],
    ["18446744073709551615", "18446744073709551615"],
    ["1".repeat(40), "1".repeat(40)],
    ["1".repeat(5000), null],
    ["-7", null],
    ["7.0", null],
    ["1e3", null],
    ['"a b"', null],
    ['".."', null],
    ["null", null],
  ])("%s", (ref, id) => {
    const text = `{"id":1, "ref": ${ref} }`;
    expect(readApiKeyId(text, { apiKeyId: "/ref" })).toBe(id);
    expect(readApiKeyId(text, {})).toBeNull();
    const inArray = `\uFEFF{"keys":[{"id":1},{"id":${ref}}]}`;
    expect(readApiKeyId(inArray, { apiKeyId: "/keys/1/id" })).toBe(id);
  });
});

it("a pointer to a value takes precedence over a reported failure", () => {
  const text = '{"success":false,"ref":"k1"}';
  expect(isFailedCreation(200, text)).toBe(true);
  expect(isFailedCreation(200, text, { apiKey: "/none", apiKeyId: "/none" })).toBe(true);
  expect(isFailedCreation(200, text, { apiKey: "/ref" })).toBe(false);
  expect(isFailedCreation(200, text, { apiKeyId: "/ref" })).toBe(false);
});

describe("the settings for the list are the only source", () => {
  const read = (body: unknown, mapping: ResponseMapping): unknown =>
    readWebhookList(JSON.stringify(body), {}, 200, mapping);

  it("responses.webhooks and responses.webhookId", () => {
    const body = { webhooks: [{ id: 1 }], x: { y: [{ id: 1, node: { ref: "101" } }] }, next: "/2" };
    expect(read(body, { webhooks: "/x/y", webhookId: "/node/ref", complete: true })).toMatchObject({
      webhooks: new Map([[101, { webhookId: 101, state: null }]]),
      complete: true,
      pointers: { webhooks: "/x/y", webhookId: "/node/ref" },
    });
    expect(read([{ id: 1 }], { complete: false })).toMatchObject({ complete: false });
    const odd = [{ position: 2, reason: "not an object" }];
    expect(read({ x: [{ id: 1 }, null, { id: 3 }] }, { webhooks: "/x" })).toMatchObject({
      odd,
      recordCount: 3,
    });
    const empty = { readable: true, complete: true, provesAbsence: false };
    expect(read({ x: null }, { webhooks: "/x" })).toMatchObject(empty);
  });

  it.each<[body: unknown, mapping: ResponseMapping, setting: string, reason: string, candidates: string[]]>([
    [{ webhooks: [{ id: 1 }] }, { webhooks: "/list" }, "webhooks", "pointer", ["/webhooks"]],
    [{ list: { a: {} }, in: [{ id: 1 }] }, { webhooks: "/list" }, "webhooks", "pointer", ["/in"]],
    [[{ ref: 101, x: { n: "5" } }], {}, "webhookId", "none", ["/ref", "/x/n"]],
    [
      [
        { id: 1, n: 1 },
        { id: 1, n: 2 },
      ],
      {},
      "webhookId",
      "not unique",
      ["/n"],
    ],
    [[{ id: 1 }, { id: 2 }], { webhookId: "/ref" }, "webhookId", "pointer", ["/id"]],
    [[{ id: 1 }, null, { id: 2 }], { webhookId: "/ref" }, "webhookId", "pointer", ["/id"]],
  ])("%j with %j is refused", (body, mapping, setting, reason, candidates) => {
    expect(read(body, mapping)).toEqual({ readable: false, setting, reason, candidates });
  });
});

describe("the state", () => {
  const MUTED = { webhookState: "/muted", active: [false], disabled: [true] };
  const DATED = { webhookState: "/mutedAt", active: [null], disabled: ["*"] };

  it.each<[what: string, mapping: ResponseMapping, record: object, state: unknown, missing: unknown]>([
    ["no field", {}, {}, null, "webhookState"],
    ["an unknown word", {}, { status: "FAILING" }, null, "active"],
    ["configured words", { active: ["live"], disabled: ["PAUSED"] }, { state: "paused" }, "disabled", null],
    ["a default word that is not configured", { active: ["live"] }, { state: "active" }, null, "active"],
    ["a configured null", { disabled: [null] }, { status: null }, "disabled", null],
    ["a pointer and a default word", { webhookState: "/m" }, { m: "off", state: "on" }, "disabled", null],
    ["a pointer to nothing", { webhookState: "/mode" }, { state: "on" }, null, "webhookState"],
    ["a pointer to a flag", { webhookState: "/x/enabled" }, { x: { enabled: false } }, "disabled", null],
    ["a pointer to a flag named status", { webhookState: "/status" }, { status: true }, null, "active"],
    ["a pointer to another flag, with words", MUTED, { muted: true }, "disabled", null],
    ["a pointer to another date, with any other value", DATED, { mutedAt: "2026-05-06" }, "disabled", null],
    ["a pointer to null, with any other value", DATED, { mutedAt: null }, "active", null],
    ["any other value, without a pointer", { active: ["*"] }, { status: "failing" }, "active", null],
    ["a pointer, despite a pause", { webhookState: "/state" }, { state: "on", paused: 1 }, "active", null],
  ])("%s", (_, mapping, record, state, missing) => {
    const reading = readWebhookList(JSON.stringify([{ id: 101, ...record }]), {}, 200, mapping);
    expect(reading.readable && reading.webhooks.get(101)).toMatchObject({ state, missing });
  });
});
