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
