import { describe, expect, it } from "vitest";

import type { ResponseMapping } from "../../../provider/src/responses/mapping.js";
import { readWebhookList } from "../../../provider/src/responses/webhook-list-reader.js";

const A = { id: 101, active: true };
const NEXT = "https://a.example/webhooks?page=2";

/** The query or the address of the next page, `?` if there is one but nothing says how, or `null`. */
function nextOf(
  body: unknown,
  headers: Record<string, string | string[]> = {},
  mapping: ResponseMapping = {},
  position?: Parameters<typeof readWebhookList>[4],
): string | null {
  const reading = readWebhookList(JSON.stringify(body), headers, 200, mapping, position);
  if (!reading.readable) throw new Error(reading.reason);
  const { next } = reading;
  if (next?.kind === "address") return next.addresses.join(" or ");
  if (next?.kind === "unknown") return `${next.isAddress ? "address" : "?"} ${next.pointers.join(" or ")}`;
  return next && `${next.parameter}=${next.value}`;
}

it.each<[service: string, rest: object, next: string | null]>([
  ["Django REST", { count: 26, next: NEXT, previous: null }, NEXT],
  ["JSON:API", { links: { self: "/w", next: NEXT } }, NEXT],
  ["HAL", { _links: { self: { href: "/w" }, next: { href: "/w?page=2" } } }, "/w?page=2"],
  ["Laravel", { current_page: 1, last_page: 3, next_page_url: "/w?page=2" }, "/w?page=2"],
  ["Twilio", { meta: { page: 0, next_page_url: NEXT, url: "/w" } }, NEXT],
  ["DigitalOcean", { links: { pages: { first: "/w", next: NEXT, last: "/w?page=9" } } }, NEXT],
  ["OData", { "@odata.nextLink": NEXT, "@odata.count": 2 }, NEXT],
  ["API Platform", { "hydra:view": { "hydra:next": "/w?page=2" }, "hydra:totalItems": 2 }, "/w?page=2"],
  ["HubSpot", { paging: { next: { after: "NTI", link: "?after=NTI" } } }, "?after=NTI"],
  ["HubSpot without a link", { paging: { next: { after: "NTI" } } }, "after=NTI"],
  ["Asana", { next_page: { offset: "eyJ", path: "/w?offset=eyJ", uri: NEXT } }, `/w?offset=eyJ or ${NEXT}`],
  ["Discourse", { total_rows_hooks: 9, load_more_hooks: "/w?offset=1" }, "/w?offset=1"],
  [
    "links with relations",
    {
      links: [
        { rel: "self", href: "/w" },
        { rel: "next", href: NEXT },
      ],
    },
    NEXT,
  ],
  ["Slack", { response_metadata: { next_cursor: "dGVhbTpD" } }, "cursor=dGVhbTpD"],
  ["Fivetran", { code: "Success", nextCursor: "ksQ+/=" }, "cursor=ksQ+/="],
  ["Square", { cursor: "YEENOr3tM4" }, "cursor=YEENOr3tM4"],
  ["Twitch", { pagination: { cursor: "eyJ" } }, "after=eyJ"],
  ["Google", { nextPageToken: "t", resultSizeEstimate: 9 }, "pageToken=t"],
  ["YouHodler", { next_page_token: "t" }, "page_token=t"],
  ["AWS", { NextToken: "t" }, "NextToken=t"],
  ["AWS Lambda", { NextMarker: "t" }, "Marker=t"],
  ["Box", { limit: 1, next_marker: "t" }, "marker=t"],
  ["Chargebee", { next_offset: '["1","2"]' }, 'offset=["1","2"]'],
  ["Kubernetes", { metadata: { continue: "t" } }, "continue=t"],
  ["Svix", { iterator: "by_2bs", prevIterator: "-xf", done: false }, "iterator=by_2bs"],
  ["Relay", { pageInfo: { hasNextPage: true, endCursor: "afe", startCursor: "x" } }, "after=afe"],
  ["Zendesk", { meta: { has_more: true, after_cursor: "a", before_cursor: "b" } }, "after=a"],
  ["Intercom", { pages: { page: 1, next: { page: 2, starting_after: "s" } } }, "starting_after=s"],
  ["Patreon", { meta: { pagination: { cursors: { next: "c" }, total: 9 } } }, "cursor=c"],
  ["Hookdeck", { pagination: { limit: 1, next: "cnd_1" } }, "next=cnd_1"],
  ["PlanetScale", { current_page: 1, next_page: 2 }, "page=2"],
  ["Laravel without an address", { meta: { current_page: 1, last_page: 3 } }, "page=2"],
  ["total pages", { page: "1", total_pages: "2" }, "page=2"],
  ["pages that count from 0", { pageNumber: 0, totalPages: 2 }, "pageNumber=1"],
  ["a page with a total", { page: 1, per_page: 1, total: 2 }, "page=2"],
  ["Spring", { pageable: { pageNumber: 0, offset: 0 }, number: 0, totalPages: 2, last: false }, "page=1"],
  ["Spring HATEOAS", { page: { size: 1, totalElements: 2, totalPages: 2, number: 0 } }, "page=1"],
  ["Contentful", { total: 9, limit: 1, skip: 0 }, "skip=1"],
  ["PagerDuty", { limit: 1, offset: 0, more: true, total: null }, "offset=1"],
  ["Jira", { startAt: 0, maxResults: 1, total: 2, isLast: false }, "startAt=1"],
  ["SCIM", { startIndex: 1, itemsPerPage: 1, totalResults: 3 }, "startIndex=2"],
  ["Bitbucket Data Center", { start: 0, isLastPage: false, nextPageStart: 25 }, "start=25"],
  ["Stripe", { object: "list", has_more: true }, "starting_after=101"],
  ["OpenAI", { first_id: "101", last_id: "101", has_more: true }, "after=101"],
  ["next pages that count from 0", { page: 0, next: 1 }, "page=1"],
  ["no total", { startAt: 0, isLast: false }, "startAt=1"],
  ["signs that disagree", { page: 1, total_pages: 1, has_more: true }, "page=2"],
  // Not understood, or the last page.
  ["a name of its own", { meta: { following_cursor: "x" } }, "? /meta/following_cursor"],
  ["a next time (Vercel)", { pagination: { count: 1, next: 1540095775951 } }, "? /pagination/next"],
  [
    "an address",
    { has_more: true, self: "/webhooks?p=1", meta: { following: "/webhooks?p=2" } },
    "address /meta/following",
  ],
  ["an address next to a cursor", { pager: { next_ref: "?p=2", next_key: "x" } }, "address /pager/next_ref"],
  ["an address of something else", { next_key: "x", help: "/help?a=b" }, "? /next_key"],
  ["a total alone", { total: 57 }, null],
  ["a number of something else", { total: 2, release: { number: 7 } }, null],
  ["a flag in place of a cursor", { next_cursor: true }, null],
  ["a cursor that is too long to send", { next_cursor: "x".repeat(5000) }, null],
  ["an address that is too long to send", { next: `/w?cursor=${"x".repeat(5000)}` }, null],
  ["the last page without a total", { startAt: 0, isLast: true }, null],
  ["a page that may be the only one", { page: 1, limit: 1 }, null],
  ["an end next to a cursor", { has_more: false, cursor: "x", next: NEXT }, null],
  ["empty members", { next: "", next_cursor: null, nextPageToken: 0, links: { next: { href: null } } }, null],
])("%s: %j", (_service, rest, next) => {
  expect(nextOf({ data: [A], ...rest })).toBe(next);
});

it.each<[headers: Record<string, string | string[]>, next: string | null]>([
  [{ link: `<${NEXT}>; rel="next", <https://a.example/w?page=9>; rel="last"` }, NEXT],
  [{ link: `<?page=1>; rel="prev", <?page=3>; title="a"; rel=next` }, "?page=3"],
  [{ link: ["<?page=1>; rel=first", "<?page=2>; rel='x'; rel=\"index next\""] }, "?page=2"],
  [{ link: '<?page=1>; rel="nextish", <?a=b>; rel="prev"' }, null],
  [{ "x-next-page": "2", "x-page": "1", "x-total-pages": "2" }, "page=2"],
  [{ "x-next-page": "", "x-page": "1", "x-total-pages": "1", "x-total": "1" }, null],
])("a root array with the headers %j", (headers, next) => {
  expect(nextOf([A], headers)).toBe(next);
});

it.each<[rest: object, headers: Record<string, string>, complete: boolean]>([
  [{ count: 1 }, {}, true],
  [{ count: 5 }, {}, false],
  [{ total: 0 }, {}, false],
  [{ truncated: false }, {}, true],
  [{}, { "x-truncated": "false" }, true],
  [{}, { "x-pagination": '{"page":1}' }, false],
])("whether a list with %j and the headers %j is complete", (rest, headers, complete) => {
  const reading = readWebhookList(JSON.stringify({ data: [A], ...rest }), headers, 200, {});
  expect(reading).toMatchObject({ complete });
});

/** The second page of a list, after one with one webhook. */
const SECOND = {
  number: 2,
  recordsBefore: 1,
  othersBefore: 0,
  known: new Map([[100, null]]),
  followed: null,
};

describe("the last page is recognized by what was read before", () => {
  it.each<[rest: object, complete: boolean, next: string | null]>([
    [{ page: 2, total_pages: 2 }, true, null],
    [{ page: 2, total_pages: 3 }, false, "page=3"],
    [{ offset: 1, limit: 1, total: 2 }, true, null],
    [{ page: 2, total_pages: 2, has_more: false }, true, null],
    [{ offset: 1, limit: 1, total: 3 }, false, "offset=2"],
    [{ count: 2, next: null }, true, null],
    [{ links: { first: "/w", prev: "/w?page=1" }, page: 2, limit: 1 }, true, null],
  ])("%j", (rest, complete, next) => {
    const body = { data: [A], ...rest };
    expect(readWebhookList(JSON.stringify(body), {}, 200, {}, SECOND)).toMatchObject({ complete });
    expect(nextOf(body, {}, {}, SECOND)).toBe(next);
  });

  it("a webhook that was on a page before counts once", () => {
    const body = { data: [{ ...A, id: 100 }], offset: 1, total: 2 };
    expect(readWebhookList(JSON.stringify(body), {}, 200, {}, SECOND)).toMatchObject({ complete: false });
  });
});

describe("the settings overrule what is recognized", () => {
  it.each<[mapping: ResponseMapping, rest: object, next: string | null]>([
    [{ nextPage: "/meta/more" }, { next: NEXT, meta: { more: "/w?p=2" } }, "/w?p=2"],
    [{ nextPage: "/meta/more", pageParameter: "c" }, { next: NEXT, meta: { more: "/w" } }, "c=/w"],
    [{ nextPage: "/next_cursor", pageParameter: "page_token" }, { next_cursor: "x" }, "page_token=x"],
    [{ nextPage: "/n", pageParameter: "page[after]" }, { n: 7 }, "page[after]=7"],
    [{ nextPage: "/meta/next_cursor" }, { next: NEXT, meta: { next_cursor: "x" } }, "cursor=x"],
    [{ nextPage: "/meta/more" }, { meta: { more: "x" } }, "? /meta/more"],
    [{ nextPage: "/meta" }, { meta: { more: "x" } }, "? /meta"],
    [{ nextPage: "/n" }, { next: NEXT, n: null }, null],
    [{ nextPage: "/n" }, { next: NEXT }, null],
    [{ pageParameter: "p" }, { next: NEXT }, "p=2"],
    [{ pageParameter: "p" }, {}, "p=2"],
    [{ pageParameter: "p" }, { total: 1 }, null],
    [{ complete: true }, { next: NEXT }, NEXT],
    [{ complete: true }, { next: null }, null],
    [{ complete: true, nextPage: "/next" }, { next: NEXT }, NEXT],
    [{ complete: false }, {}, null],
  ])("%j with %j", (mapping, rest, next) => {
    expect(nextOf({ data: [A], ...rest }, {}, mapping)).toBe(next);
  });

  const CURSORS = { before: "b", after: "a" };
  it.each<[nextPage: string, rest: object, complete: boolean]>([
    ["/paging/next", { paging: { cursors: CURSORS } }, true],
    ["/paging/next", { paging: { cursors: CURSORS }, has_more: true }, false],
    ["/paging/next", { paging: { cursors: CURSORS }, total: 57 }, false],
    ["/n", { n: null, next_cursor: "x", page: 1, pages_hint: "2" }, true],
    ["/n", { n: null, truncated: true }, false],
    ["/n", { n: "", next: NEXT }, true],
    ["/n", { page: 1, limit: 1 }, true],
    // The pointer never led anywhere, and may be wrong.
    ["/n", { next_cursor: "x" }, false],
    ["/n", { paging: { next: { after: "x" } } }, false],
    ["/n", { links: [{ rel: "next", href: NEXT }] }, false],
  ])("nothing at nextPage %s ends a list, unless there is a sign of more: %j", (nextPage, rest, complete) => {
    const body = JSON.stringify({ data: [A], ...rest });
    expect(readWebhookList(body, {}, 200, { nextPage })).toMatchObject({ complete });
  });

  it("nothing at nextPage ends a list that it led through, whatever else looks like a next page", () => {
    const read = (rest: object) =>
      readWebhookList(JSON.stringify({ data: [A], ...rest }), {}, 200, { nextPage: "/n" }, SECOND);
    expect(read({ next_cursor: "x" })).toMatchObject({ complete: true, next: null });
    expect(read({ next_cursor: "x", has_more: true })).toMatchObject({ complete: false, next: null });
  });

  it("without pages, an empty one ends what a parameter counts", () => {
    expect(nextOf({ data: [] }, {}, { pageParameter: "p" })).toBeNull();
  });
});
