import { describe, expect, it } from "vitest";

import { listOf } from "./support.ts";

const LIST = [{ id: 11 }, { id: 12 }];

function isComplete(rest: Record<string, unknown>, link?: string): boolean {
  const reading = listOf({ webhooks: LIST, ...rest }, {}, link);
  if (!reading.readable) throw new Error(reading.problem);
  return reading.complete;
}

describe("a list is not all there is", () => {
  it.each<[sign: string, rest: Record<string, unknown>]>([
    ["next", { next: "https://a.example/webhooks?page=2" }],
    ["next_cursor", { next_cursor: "c2" }],
    ["nextPageToken", { meta: { nextPageToken: "t" } }],
    ["a next page by number", { pagination: { next_page: 2 } }],
    ["hasNextPage", { data: {}, pageInfo: { hasNextPage: true } }],
    ["@odata.nextLink", { "@odata.nextLink": "https://a.example/2" }],
    ["has_more", { has_more: true }],
    ["hasMorePages", { paginator: { hasMorePages: true } }],
    ["isTruncated", { isTruncated: true }],
    ["more", { paging: { more: 1 } }],
    ["continuationToken", { continuationToken: "t" }],
    ["last: false", { last: false }],
    ["a total above the length", { total: 3 }],
    ["a total above the length, as text", { meta: { total_count: "3" } }],
    ["a count above the length", { count: 3 }],
    ["more than one page", { meta: { pagination: { total_pages: 2 } } }],
    ["a last page", { meta: { current_page: 1, last_page: 2 } }],
    ["a link", { _links: { next: { href: "/2" } } }],
    [
      "a list of links",
      {
        links: [
          { rel: "self", href: "/1" },
          { rel: "next", href: "/2" },
        ],
      },
    ],
    ["a page size that the list fills, if nothing else is said", { limit: 2, offset: 0, count: 2 }],
    ["a page size below the length", { meta: { per_page: 1 } }],
    ["a list of links without addresses", { links: [{ rel: "next" }] }],
    ["one sign against another", { next: null, total: 3 }],
  ])("%s", (_, rest) => {
    expect(isComplete(rest)).toBe(false);
  });

  it("when the sign is in an envelope on the way to the list", () => {
    const reading = listOf({ data: { list: { items: LIST, next: "/2" } } });
    expect(reading).toMatchObject({ readable: true, complete: false });
  });

  it("when an empty list says so", () => {
    expect(listOf({ webhooks: [], total: 1 })).toMatchObject({ readable: true, complete: false });
  });

  it("when the setting leads to the list", () => {
    expect(listOf({ a: { x: LIST, hasMore: true } }, { webhooks: "/a/x" })).toMatchObject({
      complete: false,
    });
  });

  it.each([
    '<https://a.example/webhooks?page=2>; rel="next"',
    "</webhooks?page=2>;rel=next",
    '</1>; rel="prev", </3>; title="x"; REL = "last Next"',
  ])("Link: %s", (link) => {
    expect(isComplete({}, link)).toBe(false);
    expect(listOf(LIST, {}, link)).toMatchObject({ readable: true, complete: false });
  });
});

describe("a list is all there is", () => {
  it.each<[sign: string, rest: Record<string, unknown>]>([
    ["nothing", {}],
    ["next: null", { next: null }],
    ["next: false", { next: false }],
    ['next: ""', { next: "" }],
    ["next: {} and []", { next: {}, meta: { next: [] } }],
    ["a next page 0 or -1", { next_page: 0, next_offset: -1 }],
    ["hasMore: false", { has_more: false, hasNext: "false" }],
    ["last: true", { last: true }],
    ["links without a next one", { links: [{ rel: "next", href: null }, { rel: "last", href: "/1" }, null] }],
    ["a link to the last page", { links: { first: "/1", last: "/1", next: null } }],
    ["a total of the length", { total: 2, page: 1, pages: 1 }],
    ["a page size above the length", { limit: 50 }],
    ["a page size of 0", { limit: 0 }],
    ["a count of the length", { count: 2 }],
    ["a page size that is filled exactly", { limit: 2, total: 2 }],
    ["a page size that is filled, and no next", { per_page: 2, next: null }],
    ["signs about something else", { partner: { next: "/2", total: 99 }, tags: [{ next: "/2" }] }],
  ])("%s", (_, rest) => {
    expect(isComplete(rest)).toBe(true);
  });

  it("when only its records have members called next or total", () => {
    expect(listOf([{ id: 11, next: "/2", total: 99 }])).toMatchObject({ readable: true, complete: true });
  });

  it.each([
    '</1>; rel="prev"',
    '</nextrel=next>; rel="last"; title="next"',
    "",
    "next",
    '</a>; rel="nextish"',
  ])("Link: %s", (link) => {
    expect(isComplete({}, link)).toBe(true);
  });
});

type Headers = Readonly<Record<string, string | string[] | undefined>>;

function isCompleteWith(headers: Headers, rest: Record<string, unknown> = {}): boolean {
  const reading = listOf({ webhooks: LIST, ...rest }, {}, undefined, headers);
  if (!reading.readable) throw new Error(reading.problem);
  return reading.complete;
}

describe("headers tell of further records", () => {
  it.each<Headers>([
    { "x-total-count": "3" },
    { "X-Total-Count": ["3"] },
    { "x-total": "57" },
    { "x-wp-total": "3" },
    { "x-total-pages": "2" },
    { "X-WP-TotalPages": "2" },
    { "x-next-page": "2" },
    { "x-next-cursor": "c2" },
    { "x-next-page-token": "t" },
    { "x-has-more": "True" },
    { "x-per-page": "2" },
    { "content-range": "items 0-1/57" },
    { "content-range": "webhooks=0-1/3" },
    { "content-range": "0-1/3" },
    { "content-range": "items 10-11/*" },
  ])("%j", (headers) => {
    expect(isCompleteWith(headers)).toBe(false);
    expect(listOf(LIST, {}, undefined, headers)).toMatchObject({ readable: true, complete: false });
  });
});

describe("headers tell of no further records", () => {
  it.each<Headers>([
    {},
    { "x-total-count": "2", "x-total-pages": "1", "x-next-page": "", "x-next-cursor": undefined },
    { "x-total-count": "many", "x-has-more": "false", "x-per-page": "50" },
    { "x-next-page": "0" },
    { "x-next-page": "null" },
    { "content-range": "items 0-1/2" },
    { "content-range": "0-1/*" },
    { "content-range": "bytes 0-99/1000" },
    { "content-range": "items" },
    { "x-nextjs-cache": "HIT", "x-ratelimit-limit": "2" },
    { "x-per-page": "2", "x-total": "2" },
  ])("%j", (headers) => {
    expect(isCompleteWith(headers)).toBe(true);
  });

  it("and then a page that is filled is the last one", () => {
    expect(isCompleteWith({ "x-total-count": "2" }, { limit: 2 })).toBe(true);
    expect(isCompleteWith({}, { limit: 2 })).toBe(false);
  });

  it("but do not stand against a sign in the body", () => {
    expect(isCompleteWith({ "x-next-page": "" }, { hasMore: true })).toBe(false);
  });
});
