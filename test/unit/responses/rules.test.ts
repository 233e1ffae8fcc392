import { expect, it } from "vitest";

import { reportsFailure } from "../../../provider/src/responses/failure-report.js";
import { readWebhookList } from "../../../provider/src/responses/webhook-list-reader.js";
import { JWT, K, S, TOKEN, isFailedCreation, readKey } from "./support.ts";

type Body = string | object | null;
const DATE = "2026-11-22T10:20:30Z";
const textOf = (body: Body): string => (typeof body === "string" ? body : JSON.stringify(body));

/** The JSON Pointer of the key, `refused`, or `failed` for a body that reports a failure and has no key. */
it.each<[rule: string, body: Body, reading: string]>([
  ["apiKey at any depth", { a: { mail: { apiKey: K } } }, "/a/mail/apiKey"],
  ["two API keys that differ", { apiKey: K, account: { apiKey: S } }, "refused"],
  ["the same value twice", { key: K, data: { token: K } }, "/key"],
  ["a usual name in an object named after the key", { createToken: { value: K } }, "/createToken/value"],
  ["a usual name in an owner of keys", { user: { secret: K } }, "/user/secret"],
  ["a usual name in any other object", { webhook: { id: 1, secret: S } }, "refused"],
  ["an object of another key", { refresh_token: { token: S }, auth: { token: K } }, "/auth/token"],
  ["two usual names", { token: JWT, secret: S }, "refused"],
  ["tokens that are never keys", { access_token: K, refresh_token: S, id_token: JWT }, "/access_token"],
  ["any other name", { name: K, refreshToken: S, publicKey: S, keyHash: S }, "refused"],
  ["Elasticsearch, which has two forms of one key", { api_key: K, encoded: S }, "refused"],
  ["whatever else the document says", { apiKey: K, status: "revoked", message: "limit reached" }, "/apiKey"],
  ["any visible characters", { key: "a.b:c=d_e-f/g+h" }, "/key"],
  ["a masked key next to the key", { apiKey: "pk_live_************p7dc", key: K }, "/key"],
  ["an address", { key: "https://a.example/1a2b3c4d" }, "refused"],
  ["a label", { key: "partner-main-2024" }, "refused"],
  ["spaces", { key: "sent by mail 24" }, "refused"],
  ["fewer than 8 characters", { key: "abc1234" }, "refused"],
  ["a JSON string", JSON.stringify(K), ""],
  ["plain text", `\uFEFF${K}\n`, ""],
  ["an empty body", "", "refused"],
  ["a web page", `\uFEFF<!DOCTYPE html><html><body>Sign in</body></html>`, "failed"],
  ["a failure", { success: false }, "failed"],
  ["a failure with something named like a key", { error: "no", keys: [{ apiKey: K }] }, "refused"],
])("the key: %s", (_, body, expected) => {
  const reading = readKey(textOf(body));
  const refused = isFailedCreation(200, textOf(body)) ? "failed" : "refused";
  expect(reading.kind === "found" ? reading.pointer : refused).toBe(expected);
});

it.each<[body: Body, statuses: number[]]>([
  [{ success: false, error: "quota of 5 keys reached" }, [200, 201]],
  [{ errors: [{ code: "E_QUOTA_5", message: "At most 5 keys" }] }, [200, 201]],
  [{ errors: ["E_QUOTA_5"], request_id: "8f14e45fceea467f" }, [200, 201]],
  [{ success: false, data: null, message: "quota of 5 keys reached" }, [200, 201]],
  [{ ok: false, key: "pk_live_************p7dc", code: "E_QUOTA_5", timestamp: "2026-11-22" }, [200, 201]],
  [{ status: "error", token: TOKEN }, [200, 201]],
  [{ success: false, id: 7 }, [200]], // 201 says that this record was created.
  ["<!DOCTYPE html><html>", [200]],
  [{ success: false, key: K }, []],
  [{ error: "mail not sent", previous: { api_key: K } }, []],
  [{ errors: [{ message: "no" }], data: { grant: K } }, []],
  [{ errors: ["default webhook was not configured"], apiKey: "correct-horse-battery-staple" }, []],
  [{ errors: [{ message: "quota 90% used" }], apiKey: "qwertyuiopasdfghjklzxcvb" }, []],
  [{ ok: false, error: "mail not sent", apiKey: 48201957103 }, []],
  [{ error: "x", data: { apiKey: "k3yA9z1" } }, []],
  [{ error: "x", keys: ["staple"] }, []],
  [{ error: "x", data: { api_key: "", key: null, token: {}, secret: false } }, [200, 201]],
  [{ error: { code: "E_QUOTA", key: "limit", token: 7 }, error_key: "quota.reached" }, [200, 201]],
  [{ success: false, error: { code: "quota_1234567" }, requestId: "1f0c7d8e9a2b" }, [200, 201]],
  [{ success: false, error: "x", token_type: "bearer", request_token: "abc" }, [200, 201]],
  [{ message: "quota of 5 keys reached" }, []],
  [{ success: true, error: null, errors: [] }, []],
  ["quota of 5 keys reached", []],
  ["", []],
])("a creation that is answered %j fails with the status %j", (body, statuses) => {
  const failed = [200, 201, 202].filter((status) => isFailedCreation(status, textOf(body)));
  expect(failed).toEqual(statuses.includes(200) ? [...statuses, 202] : []);
});

/**
 * The webhooks, followed by `…` if the list does not prove that a missing webhook is gone, or the setting
 * that would help.
 */
function describeList(body: Body, headers: Readonly<Record<string, string>> = {}, status = 200): string {
  const reading = readWebhookList(textOf(body), headers, status, {});
  if (!reading.readable) return `refused ${reading.setting}`;
  const webhooks = [...reading.webhooks.values()].map(
    ({ webhookId, state }) => `${webhookId} ${state ?? "?"}`,
  );
  return [...webhooks, ...(reading.provesAbsence ? [] : ["…"])].join(", ");
}

const A = { id: 101, active: true };

it.each<[rule: string, body: Body, reading: string]>([
  ["the root", [A], "101 active"],
  ["a usual name, three names deep", { data: { account: { items: [A] } } }, "101 active"],
  ["four names deep", { a: { b: { c: { items: [A] } } } }, "refused webhooks"],
  ["any other name", { users: [{ id: 1 }] }, "refused webhooks"],
  ["text that is not JSON", "Unauthorized", "refused webhooks"],
  ["no objects", { webhooks: [101, null] }, "refused webhooks"],
  ["an empty array", [], "…"],
  ["edges (GraphQL)", { edges: [{ node: A }], pageInfo: { hasNextPage: false } }, "101 active"],
  ["webhookId next to the ID of something else", [{ ...A, id: 1, webhook_id: 101 }], "101 active"],
  ["two IDs that differ", [{ id: 1, webhook: { id: 101 } }], "refused webhookId"],
  ["an ID that is not a number", [{ id: "64f1c0ffee", _id: 2 ** 53 }], "refused webhookId"],
  ["an odd record next to others", [A, { id: 0 }, { id: "legacy/1" }, { id: "64f1c0ffee" }], "101 active"],
  ["a record without an ID, which may be any webhook", [A, { name: "x" }], "101 active, …"],
  ["null among the records, which may be any webhook", [A, null], "101 active, …"],
  ["null before the records, in an envelope", { webhooks: [null, A] }, "101 active, …"],
  ["scalars among the records", { data: [A, "x", 7, true] }, "101 active, …"],
  ["an array among the records", [A, [A]], "refused webhooks"],
  ["null next to a deleted webhook", [null, { id: 102, deletedAt: DATE }], "…"],
  ["null next to a record without an ID", [null, { name: "x" }], "refused webhookId"],
  ["null in an array for each state", { active: [{ id: 1 }, null], disabled: [] }, "1 active, …"],
  ["a map by ID, with null for one", { 101: { active: true }, 102: null }, "101 active, …"],
  ["nothing but null", [null], "refused webhooks"],
  ["a record with a further ID", [{ id: 1 }, { id: 2 }, { id: 3, webhookId: 9 }], "1 ?, 2 ?, …"],
  ["a record without the usual ID", [{ webhookId: 1 }, { webhookId: 2 }, { id: 3 }], "1 ?, 2 ?, …"],
  ["a linked webhook", [{ ...A, fallbackWebhook: { webhookId: 2, active: false } }], "101 active"],
  ["an inner ID that differs", [{ ...A, webhook: { webhookId: 2 } }], "refused webhookId"],
  ["the only object of a record", [{ partnerWebhook: A }], "101 active"],
  ["an array for each state", { active: [{ id: 1 }], disabled: [{ id: 2 }] }, "1 active, 2 disabled"],
  ["such arrays in an envelope", { data: { enabled: [], disabled: [{ id: 2 }] } }, "2 disabled"],
  [
    "such names of lists",
    { active_webhooks: [{ id: 1 }], inactiveWebhooks: [{ id: 2 }] },
    "1 active, 2 disabled",
  ],
  ["a record that contradicts its array", { active: [{ id: 1, enabled: false }], disabled: [] }, "1 ?"],
  ["one of such arrays", { active: [{ id: 1 }] }, "1 active, …"],
  ["an array of similar records elsewhere", { webhooks: [A], paused: [{ ...A, id: 5 }] }, "101 active, …"],
  ["an array of other records elsewhere", { webhooks: [A], events: [{ id: 1, name: "x" }] }, "101 active"],
  ["a map by ID", { 101: { active: true }, 102: { id: 102, active: false } }, "101 active, 102 disabled"],
  ["a map by ID in an envelope", { webhooks: { 101: { active: true } } }, "101 active"],
  ["a map whose record has another ID", { 101: { id: 7 }, 102: {} }, "102 ?, …"],
  ["a map by something else", { a: { id: 101 } }, "refused webhooks"],
  ["a deleted webhook", [A, { id: 102, deletedAt: DATE }, { id: 103, status: "deleted" }], "101 active"],
  [
    "a deleted flag",
    [A, { id: 102, deleted: true }, { id: 103, deleted_at: null, active: true }],
    "101 active, 103 active",
  ],
  ["flags of events", [{ ...A, created: true, deleted: true }], "101 active"],
  ["two records with the same ID", [A, A], "refused webhookId"],
])("the list: %s", (_, body, expected) => {
  expect(describeList(body)).toBe(expected);
});

it("a pointer to one of several lists proves no absence, and none to a part of one is proposed", () => {
  const read = (body: object, mapping: object) => readWebhookList(JSON.stringify(body), {}, 200, mapping);
  const body = { webhooks: [A], legacy: [{ ...A, id: 5 }] };
  const part = { complete: false, provesAbsence: false };
  expect(read(body, { webhooks: "/webhooks" })).toMatchObject(part);
  expect(read(body, { webhooks: "/webhooks", complete: true })).toMatchObject({ provesAbsence: true });
  expect(read({ active: [A], disabled: [{ ...A, id: 5 }] }, { webhooks: "/active" })).toMatchObject(part);
  const unread = { users: { active: [A], disabled: [A] }, x: [A] };
  expect(read(unread, {})).toMatchObject({ readable: false, candidates: ["/x"] });
});

it("a word that the settings give a meaning does not mean deleted", () => {
  const text = JSON.stringify([
    { id: 1, status: "deleted" },
    { id: 2, status: "live" },
  ]);
  const reading = readWebhookList(text, {}, 200, { active: ["live"], disabled: ["deleted"] });
  expect(reading.readable && [...reading.webhooks.values()].map(({ state }) => state)).toEqual([
    "disabled",
    "active",
  ]);
});

it("IDs of another kind are named as such, and only an ID is proposed", () => {
  const records = [
    { id: "a-1", version: 3, number: 7 },
    { id: "a-2", version: 3, number: 8 },
  ];
  expect(readWebhookList(JSON.stringify(records), {}, 200, {})).toEqual({
    readable: false,
    setting: "webhookId",
    reason: "not a number",
    candidates: ["/number"],
  });
});

it("204 is an empty list that proves nothing, and 206 is part of a list", () => {
  expect(describeList("", {}, 204)).toBe("…");
  expect(describeList([A], {}, 206)).toBe("101 active, …");
});

it.each<[record: object, state: string]>([
  [{ isActive: "1", webhookStatus: "failing" }, "active"],
  [{ active: true, paused: true }, "?"],
  [{ enabled: false, paused: false, disabled_at: null }, "disabled"],
  [{ enabled: true, status: "disabled" }, "?"],
  [{ state: "Auto-Disabled" }, "disabled"],
  [{ disabled_at: "", paused_at: null }, "active"],
  [{ disabled_at: null, paused_at: DATE }, "disabled"],
  [{ disabled_at: "Sun, 22 Nov 2026 10:20:30 GMT" }, "disabled"],
  [{ disabled_at: "0001-01-01T00:00:00Z" }, "?"],
  [{ active: true, verified: false, health: { status: "failing" }, expires_at: "2019-01-01" }, "active"],
])("the state in %j is %s", (record, state) => {
  expect(describeList([{ id: 101, ...record }])).toBe(`101 ${state}`);
});

it.each<[rest: object, complete: boolean]>([
  [{ code: 0, message: "OK", request_id: "r1", account_id: 7 }, true],
  [{ has_more: false, next: "https://a.example/2", cursor: "x" }, true],
  [{ links: { self: "/w", next: { href: null } }, page: 1 }, true],
  [{ total_count: "1", page: 1, per_page: 1 }, true],
  [{ page: 1, per_page: 20 }, true],
  [{ has_more: true, total: 1 }, false],
  [{ meta: { pagination: { next_page: { offset: "x" } } } }, false],
  [{ links: [{ rel: "next", href: "/2" }] }, false],
  [{ load_more_hooks: "/2", total: 1 }, false],
  [{ page: 1, pages: 6 }, false],
  [{ limit: 1 }, false],
  [{ page: 2 }, false],
  [{ total_de_paginas: 6 }, false],
  [{ links: { first: "/w?page=1", last: "/w?page=6" } }, false],
  // A sign of more is never outvoted.
  ...["truncated", "isTruncated", "incomplete_results", "partial"].flatMap((name): [object, boolean][] => [
    [{ [name]: true, limit: 25 }, false],
    [{ [name]: "true", total: 1 }, false],
    [{ [name]: true, has_more: false, next: null }, false],
    [{ [name]: false }, true],
    [{ [name]: false, page: 1 }, false],
  ]),
  [{ truncated: 30, limit: 25 }, false],
  [{ remaining: 30, limit: 25 }, false],
  [{ meta: { remaining_items: 30, total: 1 } }, false],
  [{ remaining: 0 }, true],
  [{ rateLimit: { limit: 5000, remaining: 4999 } }, true],
  [{ has_more: "true", total: 1 }, false],
  [{ has_more: "false", cursor: "x" }, true],
  // A page size settles only which page this is.
  [{ offset: 0, prev: "/w", limit: 25 }, true],
  [{ total_de_paginas: 6, limit: 25 }, false],
  [{ first: "/w?page=1", last: "/w?page=6", per_page: 25 }, false],
  [{ truncated_fields: 2, limit: 25 }, false],
])("a list of one webhook with %j is complete: %s", (rest, complete) => {
  expect(describeList({ data: [A], ...rest })).toBe(complete ? "101 active" : "101 active, …");
});

it.each<[headers: Record<string, string>, complete: boolean]>([
  [{ link: '<https://a.example/w?page=2>; rel="next"' }, false],
  [{ link: '<https://a.example/w>; rel="self"', "x-total-count": "1", "x-nextjs-cache": "HIT" }, true],
  [{ "x-total-count": "57" }, false],
  [{ "content-range": "items 0-1/57" }, false],
  [{ "next-page": "2" }, false],
  [{ "next-page": "" }, true],
  [{ "has-more": "true" }, false],
  [{ "x-truncated": "true" }, false],
  [{ "x-pagination-total": "57" }, false],
  [{ "pagination-total-pages": "6" }, false],
  [{ "ratelimit-remaining": "30", "x-ratelimit-remaining": "30", "accept-ranges": "bytes" }, true],
])("a list of one webhook with the headers %j is complete: %s", (headers, complete) => {
  expect(describeList([A], headers)).toBe(complete ? "101 active" : "101 active, …");
});

it("a header is not outvoted by the body", () => {
  expect(describeList({ data: [A], limit: 25 }, { "next-page": "2" })).toBe("101 active, …");
  expect(describeList({ data: [A], total: 1 }, { "next-page": "2" })).toBe("101 active, …");
});

it.each<[body: Body, failed: boolean]>([
  ["\uFEFF \n<!DOCTYPE html>", true],
  ['<?xml version="1.0"?><html lang="en">', true],
  [{ ok: false }, true],
  [{ errors: [{ message: "x" }], data: null }, true],
  [{ fault: { faultstring: "x" } }, true],
  [{ status: "ERROR" }, true],
  [{ message: "Key deleted; it can not be used any more" }, false],
  [{ data: { success: false }, status: "disabled" }, false],
  ["<br />\n<b>Warning</b>", false],
  ["", false],
])("%j reports a failure: %s", (body, failed) => {
  expect(reportsFailure(textOf(body))).toBe(failed);
});
