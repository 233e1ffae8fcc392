import { describe, expect, it } from "vitest";

import type { ResponseMapping } from "../../../provider/src/bodies/response-mapping.js";
import { readWebhookList } from "../../../provider/src/webhooks/webhook-list-reader.js";

/** Reads a body, which may be text, and returns the IDs, or what would help. */
function idsIn(body: unknown, mapping: ResponseMapping = {}): number[] | [string | null, readonly string[]] {
  const read = readWebhookList(typeof body === "string" ? body : JSON.stringify(body), {}, mapping);
  return read.isReadable ? [...read.webhooks.keys()] : [read.setting, read.pointers];
}

const W = [{ id: 1, on: true }, { id: 2 }];

it.each<[string, unknown, ReturnType<typeof idsIn>]>([
  ["the whole response", W, [1, 2]],
  ["after a byte order mark", `\uFEFF${JSON.stringify(W)}`, [1, 2]],
  ["under a usual name", { webhooks: W }, [1, 2]],
  ["under usual names", { Data: { "web-hooks": { items: W } } }, [1, 2]],
  ["a page of Spring Data", { content: W, pageable: { sort: { sorted: false } }, last: true }, [1, 2]],
  ["a page of MyBatis-Plus", { code: 0, data: { records: W, total: 2, orders: [], pages: 1 } }, [1, 2]],
  ["from Sequelize", { count: 2, rows: W }, [1, 2]],
  ["a page of mongoose-paginate", { docs: W, totalDocs: 2, hasNextPage: false }, [1, 2]],
  ["beside objects and arrays of other things", { data: W, users: [{ id: 9 }], meta: { count: 2 } }, [1, 2]],
  ["empty", { data: [] }, []],
  ["under an unusual name", { outgoing: W }, ["webhooks", ["/outgoing"]]],
  ["one of two", { data: W, hooks: [{ id: 3 }] }, ["webhooks", ["/data", "/hooks"]]],
  ["one of two, of which one has no IDs", { data: W, items: [{ name: "a" }] }, ["webhooks", ["/data"]]],
  ["one of two, of which one is empty", { data: [], hooks: W }, ["webhooks", ["/hooks"]]],
  ["null", "null", []],
  ["null under a usual name", { data: null }, []],
  ["null beside what is not set", { data: { webhooks: null, error: "", errors: [] }, message: null }, []],
  ["null beside a message", { data: null, message: "success" }, ["webhooks", ["/data"]]],
  ["null beside an error", { data: null, error: { code: 7 } }, [null, []]],
  ["null below an error", { data: { webhooks: null }, errors: [{ message: "a" }] }, [null, []]],
  ["null, one of two", { webhooks: null, data: null }, ["webhooks", ["/webhooks", "/data"]]],
  ["null under an unusual name", { outgoing: null }, ["webhooks", []]],
  ["with a name that may be data", { pk_live_4eC39HqLyjWDarjt: W }, ["webhooks", []]],
  ["an array of numbers", { data: [1, 2] }, ["webhooks", []]],
  ["an array with null", [{ id: 1 }, null], ["webhooks", []]],
  ["not in the response", { success: true }, ["webhooks", []]],
  ["not JSON", "id: 1", [null, []]],
])("a list that is %s", (_where, body, expected) => {
  expect(idsIn(body)).toEqual(expected);
});

it("a list in HAL, as Mollie documents its webhooks, is read, and its next page noticed", () => {
  const hook = (id: number, status: string) => ({
    ...{ resource: "webhook", id, url: "https://shop.example.com/hook", profileId: "pfl_1", name: "Orders" },
    ...{ createdAt: "2026-03-15T10:00:00+00:00", eventTypes: ["payment-link.paid"], status, mode: "live" },
    _links: { self: { href: `https://api.example.com/v2/webhooks/${id}`, type: "application/hal+json" } },
  });
  const body = (next: object | null) => ({
    count: 2,
    _embedded: { webhooks: [hook(1, "enabled"), hook(2, "disabled")] },
    _links: { self: { href: "https://api.example.com/v2/webhooks" }, previous: null, next },
  });
  const read = (next: object | null) => readWebhookList(JSON.stringify(body(next)), {}, {});
  const complete = read(null);
  if (!complete.isReadable) throw new Error("unreadable");
  expect(Array.from(complete.webhooks.values(), ({ webhookId, state }) => [webhookId, state])).toEqual([
    [1, "active"],
    [2, "disabled"],
  ]);
  expect(complete.incompleteSign).toBe(null);
  expect(read({ href: "https://api.example.com/v2/webhooks?from=3" })).toMatchObject({
    incompleteSign: "/_links/next",
  });
});

it.each<[string, unknown, ReturnType<typeof idsIn>]>([
  ["numeric text", [{ id: "1" }, { id: "2" }], [1, 2]],
  ["named webhookId, beside id", [{ id: 7, webhook_id: 1 }], [1]],
  ["named hookId, beside id", [{ id: 7, hook_id: 1 }], [1]],
  ["named webhookId in only one record", [{ id: 1, webhook_id: 2 }, { id: 2 }], ["webhookId", ["/id"]]],
  ["in an inner object", [{ webhook: { id: 1 } }, { attributes: { id: 2 } }], [1, 2]],
  ["in the record and inside", [{ id: 1, webhook: { id: 7 } }], ["webhookId", ["/id", "/webhook/id"]]],
  ["only in a linked object", [{ ref: 1, owner: { id: 7 } }], ["webhookId", ["/ref", "/owner/id"]]],
  ["under another name", [1, 2].map((ref) => ({ ref, team: 5 })), ["webhookId", ["/ref"]]],
  ["missing in half of the records", [{ id: 1 }, { name: "a" }], ["webhookId", []]],
  ["missing in a few records", [{ id: 1 }, { id: null }, { id: 3 }], [1, 3]],
  ["too large in a few records", '[{"id":1},{"id":9007199254740993},{"id":3}]', [1, 3]],
  ["not unique", [{ id: 1 }, { id: "1" }], ["webhookId", []]],
  ["a word", [{ id: "wh_1", ref: 1 }], ["webhookId", ["/ref"]]],
  ["text with a leading zero", [{ id: "01" }], ["webhookId", []]],
  ["a 64-bit integer", '[{"id":9007199254740993}]', ["webhookId", []]],
  ["a 64-bit integer as text", [{ id: "9007199254740993" }], ["webhookId", []]],
])("an ID that is %s", (_what, body, expected) => {
  expect(idsIn(body)).toEqual(expected);
});

it.each<[unknown, ResponseMapping, ReturnType<typeof idsIn>]>([
  [{ data: W, hooks: [{ id: 3 }] }, { webhooks: "/hooks" }, [3]],
  [{ data: { "a/b": W } }, { webhooks: "/data/a~1b" }, [1, 2]],
  [W, { webhooks: "" }, [1, 2]],
  [{ data: null }, { webhooks: "/data" }, []],
  [{ outgoing: null, message: "success" }, { webhooks: "/outgoing" }, []],
  [{ outgoing: null, fault: "quota" }, { webhooks: "/outgoing" }, [null, []]],
  [{ data: W }, { webhooks: "/hooks" }, ["webhooks", ["/data"]]],
  [[{ id: 1, ref: 7 }], { webhookId: "/ref" }, [7]],
  [[{ id: 1, sys: { id: "8" } }], { webhookId: "/sys/id" }, [8]],
  [W, { webhookId: "/ref" }, ["webhookId", ["/id"]]],
  [[...W, { id: 3, ref: 7 }], { webhookId: "/ref" }, ["webhookId", ["/id"]]],
])("in %j, the settings %j are the only source", (body, mapping, expected) => {
  expect(idsIn(body, mapping)).toEqual(expected);
});

describe("the list", () => {
  const signOf = (beside: object, headers = {}, mapping: ResponseMapping = {}) => {
    const read = readWebhookList(JSON.stringify({ data: W, ...beside }), headers, mapping);
    return read.isReadable ? read.incompleteSign : "unreadable";
  };

  it.each<[object, string]>([
    [{ next: "https://partners.example.com/?page=2" }, "/next"],
    [{ next: true }, "/next"],
    [{ links: { self: "/a", next: { href: "/b" } } }, "/links/next"],
    [{ links: [{ rel: "self" }, { rel: "next", href: "/b" }] }, "/links"],
    [{ meta: { next_page_token: "dG9rZW4" } }, "/meta/next_page_token"],
    [{ "@odata.nextLink": "/b" }, "/@odata.nextLink"],
    [{ nextPageStart: 2 }, "/nextPageStart"],
    [{ cursor: "dG9rZW4" }, "/cursor"],
    [{ cursor: { value: "a" } }, "/cursor"],
    [{ continuationToken: "a" }, "/continuationToken"],
    [{ metadata: { continue: "a" } }, "/metadata/continue"],
    [{ scrollId: "a" }, "/scrollId"],
    [{ Marker: "a" }, "/Marker"],
    [{ paginationToken: "a" }, "/paginationToken"],
    [{ paging: { token: "a" } }, "/paging/token"],
    [{ LastEvaluatedKey: { id: 2 } }, "/LastEvaluatedKey"],
    [{ lastKey: "b" }, "/lastKey"],
    [{ paging: { cursors: { before: "a", after: "b" } } }, "/paging/cursors"],
    [{ page: { after: "b" } }, "/page/after"],
    [{ offset: "itrXX/recXX" }, "/offset"],
    [{ load_more_hooks: "/b" }, "/load_more_hooks"],
    [{ has_more: true }, "/has_more"],
    [{ more: 1 }, "/more"],
    [{ pageInfo: { hasNextPage: "true", endCursor: "a" } }, "/pageInfo/hasNextPage"],
    [{ isTruncated: true }, "/isTruncated"],
    [{ incomplete_results: true }, "/incomplete_results"],
    [{ isLastPage: false }, "/isLastPage"],
    [{ last: false, first: true }, "/last"],
    [{ complete: false }, "/complete"],
    [{ endOfRecords: false }, "/endOfRecords"],
    [{ meta: { page: 1, perPage: 2, totalPages: 2 } }, "/meta/totalPages"],
    [{ page: { size: 2, totalPages: 2 } }, "/page/totalPages"],
    [{ meta: { current_page: 1, last_page: 2 } }, "/meta/last_page"],
    [{ total_pages: "2" }, "/total_pages"],
    [{ page_count: 2 }, "/page_count"],
    [{ pages: 2 }, "/pages"],
    [{ pages: { total: 2 } }, "/pages/total"],
    [{ total: 3 }, "/total"],
    [{ total_results: 3 }, "/total_results"],
    [{ total_entries: 3 }, "/total_entries"],
    [{ totalSize: 3 }, "/totalSize"],
    [{ response: { numFound: 3 } }, "/response/numFound"],
    [{ webhook_count: 3 }, "/webhook_count"],
    [{ meta: { total_count: "3" } }, "/meta/total_count"],
    [{ totalItems: "3" }, "/totalItems"],
    [{ extra: { stats: { fullCount: 3 } } }, "/extra/stats/fullCount"],
    [{ overall_count: 3 }, "/overall_count"],
    [{ totalDocs: 3 }, "/totalDocs"],
    [{ archived: [{ id: 3 }] }, "/archived"],
    [{ has_more: false, totalPages: 2 }, "/totalPages"],
    [{ next_cursor: "a", meta: { has_more: false } }, "/next_cursor"],
    [{ teams: { has_more: false }, paging: { cursor: "a" } }, "/paging/cursor"],
  ])("is incomplete with %j next to it", (beside, sign) => {
    expect(signOf(beside)).toBe(sign);
    expect(signOf(beside, {}, { complete: true })).toBe(null);
  });

  it.each<object>([
    {},
    { next: null, cursor: "", links: { next: { href: null } }, meta: { next_page: [], next_offset: 0 } },
    { has_more: false, hasNextPage: "false", isLastPage: true, done: true, truncated: false },
    { total: 2, count: 2, webhook_count: "2", total_pages: 1, pages: 0 },
    { last_updated: "2026-11-25", size: 3, limit: 1, page: 1, per_page: 100, offset: "5", page_number: 4 },
    { links: [{ rel: "documentation", href: "/docs?next=1" }], documentation: "/docs" },
    { prev_cursor: "a", startCursor: "a", paging: { cursors: { before: "a" }, has_prev: true } },
    { cursor: { current: "a", prev: null, next: null, count: 2 } },
    { max_total_cost: 10_000, total_cost: 4, request_id: 7, errors: [], event_types: [{ name: "a" }] },
    { usage: { total: 9 }, limits: { webhooks: 50, total: 50 }, quota: { next: "2026-12-01" } },
    { account: 42, account_count: 3, country_code: 49, discount: 5, max_webhooks: 10, more_info: "/docs" },
    { self: { next_page: null, total: 9 }, first: { cursor: "a" } },
  ])("is complete with %j next to it", (beside) => {
    expect(signOf(beside)).toBe(null);
    expect(signOf(beside, {}, { complete: false })).toBe("responses.complete");
  });

  it.each<[string, object]>([
    [
      "Relay's",
      { pageInfo: { hasNextPage: false, hasPreviousPage: false, startCursor: "a", endCursor: "b" } },
    ],
    ["a true last, with a cursor below it", { last: true, paging: { cursors: { before: "a", after: "b" } } }],
    ["a false more, with an address next to it", { has_more: false, next: "/webhooks?after=2", after: "b" }],
    ["one page of 1", { meta: { page: 1, pageSize: 20, totalPages: 1, scrollId: "a" }, usage: { total: 9 } }],
  ])("is complete on a last page that has a cursor all the same: %s", (_whose, beside) => {
    expect(signOf(beside)).toBe(null);
  });

  it.each([
    ['</webhooks?page=2>; rel="next"', "Link"],
    ['</webhooks>; rel="prev", </webhooks?page=3>; rel=next', "Link"],
    [["</a>; rel=self", '</b>; rel="last next"'], "Link"],
    ['</webhooks>; rel="last", </next>; rel="first"', null],
  ])("with the Link header %j is incomplete, or not", (link, sign) => {
    expect(signOf({}, { link })).toBe(sign);
    expect(signOf({}, { link }, { complete: true })).toBe(null);
  });

  it.each<Record<string, string>>([
    { "content-range": "items 0-1/3" },
    { "x-total-count": "3" },
    { "x-wp-totalpages": "2" },
    { "x-pagination-page-count": "2" },
    { "x-next-page": "2" },
    { "next-range": "]id 2..; max=2" },
    { "x-ms-continuationtoken": "a" },
    { "x-has-more": "true" },
    { "x-pagination": '{"TotalCount":3,"PageSize":2,"HasNext":true}' },
  ])("is incomplete with the headers %j", (headers) => {
    expect(signOf({}, headers)).toBe("");
    expect(signOf({}, headers, { complete: true })).toBe(null);
  });

  it.each<Record<string, string>>([
    { "content-range": "items 0-1/2", "x-total-count": "2", "x-wp-totalpages": "1", "x-next-page": "" },
    {
      "content-range": "items 0-1/*",
      "x-has-more": "false",
      "x-pagination": '{"TotalCount":2,"HasNext":false}',
    },
    { "x-nextjs-cache": "HIT", "x-cache-hits": "9", "x-ratelimit-limit": "60", "x-total-time": "31" },
  ])("is complete with the headers %j", (headers) => {
    expect(signOf({}, headers)).toBe(null);
  });

  it("does not go on because of what is in a record", () => {
    const record = { id: 1, next: "/b", has_more: true, total: 9, items: [{ id: 5 }] };
    expect(signOf({ data: [record] })).toBe(null);
  });

  it("goes on if it has records without a usable ID, unless a setting says that it is complete", () => {
    const data = [{ id: 1 }, { name: "a" }, { id: 3 }];
    expect(signOf({ data })).toBe("left out");
    expect(signOf({ data }, {}, { complete: true })).toBe(null);
  });

  it("may be in an object whose name says nothing elsewhere", () => {
    const body = { first: { webhooks: W, next: "/b" } };
    const read = readWebhookList(JSON.stringify(body), {}, { webhooks: "/first/webhooks" });
    expect(read).toMatchObject({ incompleteSign: "/first/next" });
  });
});

it.each<[string, string, ResponseMapping]>([
  ["not JSON", "<html>", {}],
  ["not found", "[1]", {}],
  ["error", '{"webhooks":null,"error":"quota"}', {}],
  ["missing", '[{"id":"a1"}]', {}],
  ["too large", '[{"id":9007199254740993}]', {}],
  ["too large", '[{"id":"9007199254740993"},{"id":1}]', {}],
  ["too large", '[{"ref":9007199254740993}]', { webhookId: "/ref" }],
  ["not unique", '[{"id":1},{"id":2},{"id":2}]', {}],
])("says that an unreadable list is %s: %s", (problem, body, mapping) => {
  expect(readWebhookList(body, {}, mapping)).toMatchObject({ isReadable: false, problem });
});
