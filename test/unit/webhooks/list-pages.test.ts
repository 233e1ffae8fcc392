import type { ServerResponse } from "node:http";
import { describe, expect, it } from "vitest";

import { proposePageSettings } from "../../../provider/src/messages/reading-messages.js";
import type { ResourceError } from "../../../provider/src/shared/problems.js";
import type { UnreadPages } from "../../../provider/src/webhooks/list-pages.js";
import { PAGE_STYLES } from "../../../provider/src/sandbox/pages.js";
import {
  listen,
  requestFailureOf,
  failureOf,
  sandboxFor,
  InstantClock,
  type Target,
} from "../api/support.ts";
import { create, mapping, methods, startRun } from "../shared/support.ts";

const LIST = "/api/v1/partners/webhooks";
const STATES = Object.fromEntries(Array.from({ length: 7 }, (_, index) => [101 + index, "active"] as const));
/** On the last of four pages. */
const LAST = 107;

/** A run whose service has seven webhooks on pages of two. */
async function paged(pageStyle: (typeof PAGE_STYLES)[number]) {
  const service = await sandboxFor({ webhooks: STATES, pageSize: 2, pageStyle });
  const gets = (): number => methods(service).filter((method) => method === "GET").length;
  return { service, gets, run: (config = {}) => startRun(service, config) };
}

describe.each(PAGE_STYLES)("a list with pages of the style %s", (style) => {
  it("lets a resource manage a webhook on its last page, and notices its drift", async () => {
    const { service, gets, run } = await paged(style);
    const { outputs } = await create(run().partnerWebhookState, { webhookId: LAST, state: "disabled" });
    expect([gets(), service.webhooks.get(LAST)]).toEqual([4, "disabled"]);
    service.setWebhookState(LAST, "active");
    expect(await run().partnerWebhookState.read(outputs)).toMatchObject({ outputs: { state: "active" } });
    const imported = await run().partnerWebhookState.adopt(String(LAST));
    expect(imported).toMatchObject({ outputs: { webhookId: LAST, state: "active" } });
    service.removeWebhook(LAST);
    expect(await run().partnerWebhookState.read(outputs)).toBeNull();
    await run().partnerWebhookState.delete(outputs);
  });

  it("lets a fleet manage all others, and lists all webhooks, with one reading", async () => {
    const { service, gets, run } = await paged(style);
    const fresh = run();
    await create(fresh.partnerWebhookStates, { states: { [LAST]: "active" }, others: "disabled" });
    const states = Array.from({ length: 6 }, () => "disabled").concat("active");
    expect([...service.webhooks.values()]).toEqual(states);
    expect((await fresh.listWebhooks()).map(({ state }) => state)).toEqual(states);
    expect((await fresh.listResources()).map(({ id }) => id)).toEqual(Object.keys(STATES));
    expect(gets()).toBe(4);
  });

  it("proves that a webhook does not exist", async () => {
    const { run } = await paged(style);
    const { problems } = await run().partnerWebhookState.check({}, { webhookId: 99, state: "active" });
    expect(problems).toMatchObject([{ problem: { kind: "noSuchWebhook", webhookIds: [99] } }]);
  });
});

it("a list on one page costs one request, in every style", async () => {
  for (const pageStyle of PAGE_STYLES) {
    const service = await sandboxFor({ pageSize: 3, pageStyle });
    await startRun(service).listWebhooks();
    expect(methods(service), pageStyle).toEqual(["GET"]);
  }
});

/** What a service answers to a request for a page, by the query. */
type Script = (
  query: URLSearchParams,
  origin: string,
) => object | readonly object[] | ((to: ServerResponse) => void);

const A = { id: 1, state: "active" };
const B = { id: 2, state: "active" };

/** Starts a service that answers by a script, and a run that uses it. */
async function scripted(script: Script, config: Readonly<Record<string, string>> = {}, options = {}) {
  const service: Target & { requests: { url?: string | undefined; headers: object }[] } = await listen(
    (request, response) => {
      const url = new URL(request.url ?? "", `http://${request.headers.host ?? ""}`);
      const answer = script(url.searchParams, url.origin);
      if (typeof answer === "function") answer(response);
      else response.setHeader("content-type", "application/json").end(JSON.stringify(answer));
    },
  );
  const run = startRun(service, config, options);
  return { run, queries: () => service.requests.map(({ url = "" }) => url.replace(LIST, "")) };
}

const refuses =
  (status: number, message?: string) =>
  (response: ServerResponse): void =>
    void response.writeHead(status).end(JSON.stringify({ message }));

describe("the reading of a list ends", () => {
  it.each<[what: string, script: Script, unread: object, queries: string[]]>([
    [
      "with a page that repeats webhooks, as from a service that ignores the query",
      () => ({ data: [A], next_cursor: "x" }),
      { kind: "nothingNew", page: 2, parameter: "cursor", pointer: "/next_cursor" },
      ["", "?cursor=x"],
    ],
    [
      "with an empty page that leads on",
      () => ({ data: [], next: "?page=2" }),
      { kind: "nothingNew", page: 1 },
      [""],
    ],
    [
      "in a loop",
      (query) => (query.has("page") ? { data: [B], next: "?page=2" } : { data: [A], next: "?page=2" }),
      { kind: "loop", page: 2 },
      ["", "?page=2"],
    ],
    ["with a loop to the first page", () => ({ data: [A], next: LIST }), { kind: "loop", page: 1 }, [""]],
    [
      "at another host",
      () => ({ data: [A], next: `https://evil.example${LIST}?page=2` }),
      { kind: "elsewhere", page: 1 },
      [""],
    ],
    [
      "at another path",
      () => ({ data: [A], next: "/api/v1/partners/api-key" }),
      { kind: "elsewhere", page: 1 },
      [""],
    ],
    [
      "with a name that nothing explains",
      () => ({ data: [A], meta: { following_cursor: "x" } }),
      { kind: "unknown", page: 1, pointers: ["/meta/following_cursor"] },
      [""],
    ],
    ...[400, 404, 422].map((status): [string, Script, object, string[]] => [
      `with a parameter that the service refuses with ${status}`,
      (query) => (query.has("cursor") ? refuses(status) : { data: [A], next_cursor: "x" }),
      { kind: "refused", page: 1, parameter: "cursor", pointer: "/next_cursor", status, words: null },
      ["", "?cursor=x"],
    ]),
    [
      "with a cursor that the service refuses, and says why",
      (query) => (query.has("cursor") ? refuses(400, "Cursor expired") : { data: [A], next_cursor: "x" }),
      { kind: "refused", words: "Cursor expired" },
      ["", "?cursor=x"],
    ],
  ])("%s", async (_what, script, unread, queries) => {
    const service = await scripted(script);
    const problem = { kind: "absenceUnproven", complete: false, unread };
    expect(await failureOf(service.run.listWebhooks())).toMatchObject({ problem });
    expect(service.queries()).toEqual(queries);
    const { problems } = await service.run.partnerWebhookState.check({}, { webhookId: 9, state: "active" });
    expect(problems).toMatchObject([{ problem: { ...problem, webhookId: 9 } }]);
  });

  it.each([{}, mapping({ complete: true })])(
    "after 200 pages, each with a new webhook, with %j",
    async (config) => {
      const service = await scripted(
        (query) => {
          const page = Number(query.get("page") ?? 1);
          return { data: [{ ...A, id: page }], next: `?page=${page + 1}` };
        },
        { operationTimeout: "60", ...config },
      );
      const unread = { kind: "tooMany", page: 200 };
      expect(await failureOf(service.run.listWebhooks())).toMatchObject({ problem: { unread } });
      expect(service.queries()).toHaveLength(200);
    },
  );
});

describe("a list that the settings call complete is complete with the pages that can be read", () => {
  /** Pages of one webhook each. What is left out would be a webhook that "does not exist". */
  const pages =
    (rest: (page: number) => object, last: readonly object[] = []): Script =>
    (query) => {
      const page = Number(query.get("page") ?? 1);
      return { data: page < 3 ? [{ ...A, id: page }] : last, ...rest(page) };
    };
  it.each<[what: string, script: Script]>([
    ["if the total is too large", pages((page) => ({ page, total: 3 }))],
    [
      "if the total is too large, and the page after the last one is the last one",
      pages((page) => ({ page, total: 3 }), [{ ...A, id: 2 }]),
    ],
    [
      "if only the total of the last page is too large",
      pages((page) => (page === 1 ? { next: "?page=2" } : { total: 3 })),
    ],
    ["if the last page leads back", pages((page) => ({ next: `?page=${page === 1 ? 2 : 1}` }))],
    [
      "if the last page leads elsewhere",
      pages((page) => ({ next: page === 1 ? "?page=2" : "https://x.example" })),
    ],
  ])("%s", async (_what, script) => {
    const unsure = await scripted(script);
    const { problem } = (await failureOf(unsure.run.listWebhooks())) as ResourceError;
    expect(problem).toMatchObject({ kind: "absenceUnproven", complete: false });
    // That is what the message says to set.
    expect(proposePageSettings((problem as { unread: UnreadPages | null }).unread)).toContainEqual({
      complete: true,
    });
    const { run } = await scripted(script, mapping({ complete: true }));
    expect(await run.listWebhooks()).toHaveLength(2);
    const { problems } = await run.partnerWebhookState.check({}, { webhookId: 9, state: "active" });
    expect(problems).toMatchObject([{ problem: { kind: "noSuchWebhook", existing: [1, 2] } }]);
  });
});

it("the pages that were read are managed, although the list is not complete", async () => {
  const service = await scripted(() => ({ data: [A, B], next: "https://evil.example/" }));
  const { outputs } = await create(service.run.partnerWebhookState, { webhookId: 2, state: "active" });
  expect(outputs).toMatchObject({ state: "active" });
  expect(service.queries()).toEqual([""]);
});

it("an address goes to our own base URL, with its query alone", async () => {
  const service = await scripted((query, origin) =>
    query.has("page") ? { data: [B] } : { data: [A], next: `${origin}${LIST}?page=2&q=%20#x` },
  );
  expect(await service.run.listWebhooks()).toHaveLength(2);
  expect(service.queries()).toEqual(["", "?page=2&q=%20"]);
});

it("a deletion while the pages are read does not make another webhook count as gone", async () => {
  let deletesAfterFirstPage = false;
  let now = Date.parse("2026-06-15T12:00:00Z");
  let records = [1, 2, 3, 4].map((id) => ({ id, state: "active" }));
  const { run, queries } = await scripted(
    (query) => {
      const start = Number(query.get("cursor") ?? 0);
      const more = start + 2 < records.length;
      const page = {
        data: records.slice(start, start + 2),
        has_more: more,
        next_cursor: more ? `${start + 2}` : null,
      };
      if (deletesAfterFirstPage) records = records.slice(1);
      deletesAfterFirstPage = false;
      return page;
    },
    {},
    { currentTime: () => now },
  );
  const { outputs } = await create(run.partnerWebhookState, { webhookId: 3, state: "active" });
  deletesAfterFirstPage = true;
  now += 31_000;
  const before = queries().length;
  expect(await run.partnerWebhookState.read(outputs)).toMatchObject({ outputs });
  expect(queries().slice(before)).toEqual(["", "?cursor=2", "", "?cursor=2"]);
  records = records.filter(({ id }) => id !== 3);
  now += 31_000;
  expect(await run.partnerWebhookState.read(outputs)).toBeNull();
});

it("a cursor is added to the query of the page that has it", async () => {
  const service = await scripted((query) => {
    if (query.has("cursor")) return { data: [{ ...A, id: 3 }] };
    const second = { data: [B], next_cursor: "x", has_more: true };
    return query.has("size") ? second : { data: [A], next: "?size=1" };
  });
  expect(await service.run.listWebhooks()).toHaveLength(3);
  expect(service.queries()).toEqual(["", "?size=1", "?size=1&cursor=x"]);
});

/** Facebook shows the positions of a page on every page, also on the last one. */
const positions = (next = {}) => ({ paging: { cursors: { before: "b", after: "a" }, ...next } });

describe("a list that was followed by an address ends with the page that has none", () => {
  it.each<[what: string, first: object, last: object | ((to: ServerResponse) => void)]>([
    ["Facebook", { data: [A], ...positions({ next: "?page=2" }) }, { data: [B], ...positions() }],
    ["null", { data: [A], next: "?page=2" }, { data: [B], next: null, next_cursor: "x" }],
    [
      "a link",
      { data: [A], links: [{ rel: "next", href: "?page=2" }] },
      { data: [B], cursor: "x", links: [] },
    ],
    ["a full page", { data: [A], next: "?page=2" }, { data: [B], limit: 1, last_page: "/w?page=2" }],
  ])("%s", async (_what, first, last) => {
    const service = await scripted((query) => (query.has("page") ? last : first));
    expect(await service.run.listWebhooks()).toHaveLength(2);
    expect(service.queries()).toEqual(["", "?page=2"]);
  });

  it.each<[what: string, last: object, queries: string[]]>([
    [
      "a page that says that there is more",
      { data: [B], has_more: true },
      ["", "?page=2", "?page=2&starting_after=2"],
    ],
    ["a total that is not reached", { data: [B], total: 5 }, ["", "?page=2"]],
    ["something else in its place", { data: [B], next: "soon" }, ["", "?page=2", "?page=2&next=soon"]],
  ])("but not with %s", async (_what, last, queries) => {
    const service = await scripted((query) => (query.has("page") ? last : { data: [A], next: "?page=2" }));
    const problem = { kind: "absenceUnproven" };
    expect(await failureOf(service.run.listWebhooks())).toMatchObject({ problem });
    expect(service.queries()).toEqual(queries);
  });
});

it.each([
  ["deleted", (list: number[]) => list.slice(1), [2, 3, 4]],
  ["created", (list: number[]) => [5, ...list], [5, 1, 2, 3, 4]],
])(
  "a total that changes while the pages are read makes them be read once more: a webhook is %s",
  async (_what, change, expected) => {
    let changes = true;
    let ids = [1, 2, 3, 4];
    const { run, queries } = await scripted((query) => {
      const offset = Number(query.get("offset") ?? 0);
      const data = ids.slice(offset, offset + 2).map((id) => ({ id, state: "active" }));
      const page = { data, offset, limit: 2, total: ids.length };
      if (changes) ids = change(ids);
      changes = false;
      return page;
    });
    const list = await run.listWebhooks();
    expect(list.map(({ webhookId }) => webhookId)).toEqual(expected);
    const reading = Array.from({ length: Math.ceil(ids.length / 2) }, (_, page) =>
      page === 0 ? "" : `?offset=${2 * page}`,
    );
    expect(queries().slice(-reading.length)).toEqual(reading);
    expect(queries().filter((query) => query === "")).toHaveLength(2);
  },
);

it("a webhook on two pages is one webhook, and the later reading counts", async () => {
  const service = await scripted((query) =>
    query.has("page") ? { data: [{ ...A, state: "disabled" }, B] } : { data: [A], next: "?page=2" },
  );
  const list = await service.run.listWebhooks();
  expect(list.map(({ webhookId, state }) => [webhookId, state])).toEqual([
    [1, "disabled"],
    [2, "active"],
  ]);
});

it("an odd record alone on the last page is left out, and named by its position in the list", async () => {
  const pages = [[A, B], [{ ...A, id: 3 }], [{ id: 0 }]];
  const service = await scripted((query) => {
    const page = Number(query.get("page") ?? 1);
    return { data: pages[page - 1] ?? [], next: page < 3 ? `?page=${page + 1}` : null };
  });
  expect(await service.run.listWebhooks()).toHaveLength(3);
  expect(service.run.notices).toMatchObject([{ kind: "oddRecords", records: [{ position: 4 }] }]);
});

it("null among the records of a later page is named by its position, and the others are managed", async () => {
  const service = await scripted((query) =>
    query.has("page") ? { data: [null, B] } : { data: [A], next: "?page=2" },
  );
  const { outputs } = await create(service.run.partnerWebhookState, { webhookId: 2, state: "active" });
  expect(outputs).toMatchObject({ state: "active" });
  const records = [{ position: 2, reason: "not an object" }];
  expect(service.run.notices).toMatchObject([{ kind: "oddRecords", records }]);
});

it("an odd record on an earlier page may be a webhook that seems to be missing", async () => {
  const service = await scripted((query) =>
    query.has("page") ? { data: [B] } : { data: [A, { state: "active" }], next: "?page=2" },
  );
  const { problems } = await service.run.partnerWebhookState.check({}, { webhookId: 9, state: "active" });
  expect(problems).toMatchObject([{ problem: { kind: "absenceUnproven", webhookId: 9, doubt: "odd" } }]);
});

it("a total counts all records on all pages, and a page may have several addresses", async () => {
  const total = await scripted((query) => {
    const offset = Number(query.get("offset") ?? 0);
    return { data: offset === 0 ? [A, { id: 0 }] : [B], offset, limit: 2, total: 3 };
  });
  expect(await total.run.listWebhooks()).toHaveLength(2);
  expect(total.queries()).toEqual(["", "?offset=2"]);
  const addresses = await scripted((query, origin) =>
    query.has("p")
      ? { data: [B], next_page: null }
      : { data: [A], next_page: { path: "/webhooks?p=2", uri: `${origin}${LIST}?p=2` } },
  );
  expect(await addresses.run.listWebhooks()).toHaveLength(2);
});

it("a service that ignores the configured parameter has perhaps not shown all webhooks", async () => {
  const { run } = await scripted(() => ({ data: [A] }), mapping({ pageParameter: "page" }));
  const unread = { kind: "nothingNew", page: 2, parameter: "page", pointer: null };
  expect(await failureOf(run.listWebhooks())).toMatchObject({ problem: { kind: "absenceUnproven", unread } });
  const { problems } = await run.partnerWebhookState.check({}, { webhookId: 9, state: "active" });
  expect(problems).toMatchObject([{ problem: { kind: "absenceUnproven", webhookId: 9, unread } }]);
});

it("a second page that fails is an error, unless only its parameter is refused, and that is a guess", async () => {
  const paging =
    (status: number): Script =>
    (query) =>
      query.has("cursor") ? refuses(status) : { data: [A], next_cursor: "x" };
  const guessed = await scripted(paging(403));
  expect(await requestFailureOf(guessed.run.listWebhooks())).toMatchObject({ page: 2 });
  const configured = await scripted(
    paging(400),
    mapping({ nextPage: "/next_cursor", pageParameter: "cursor" }),
  );
  expect(await requestFailureOf(configured.run.listWebhooks())).toMatchObject({ page: 2 });
});

describe("an error on a page after the first is an error of the list, and names the page", () => {
  const third =
    (answer: ReturnType<Script>): Script =>
    (query) => {
      const page = Number(query.get("page") ?? 1);
      return page === 3 ? answer : { data: [{ ...A, id: page }], page, total_pages: 4 };
    };
  it.each<[what: string, answer: ReturnType<Script>, cause: object]>([
    ["a status", refuses(403), { kind: "status", status: 403 }],
    ["a refused parameter that worked before", refuses(400), { kind: "status", status: 400 }],
    ["a failure in the body", { success: false, error: "no" }, { kind: "reportedFailure" }],
    ["a body that is no list", { message: "hello" }, { kind: "unreadableList" }],
    ["IDs under another name", { data: [{ webhookId: 7, state: "active" }] }, { kind: "unreadableList" }],
    ["webhooks under another name", { items: [{ ...A, id: 3 }] }, { kind: "unreadableList" }],
    ["a connection that breaks", (response) => void response.destroy(), { kind: "connection" }],
  ])("%s", async (_what, answer, cause) => {
    const service = await scripted(third(answer));
    const failure = await requestFailureOf(service.run.listWebhooks());
    expect(failure).toMatchObject({ page: 3, cause });
  });

  it("unless a retry succeeds", async () => {
    let failures = 0;
    const service = await scripted((query) => {
      if (!query.has("page")) return { data: [A], next: "?page=2" };
      failures += 1;
      return failures < 3 ? refuses(503) : { data: [B] };
    });
    expect(await service.run.listWebhooks()).toHaveLength(2);
    expect(service.queries()).toHaveLength(4);
  });
});

it("operationTimeout is the time for all pages together", async () => {
  const clock = new InstantClock();
  const service = await scripted(
    (query) => {
      clock.advance(400);
      const page = Number(query.get("page") ?? 1);
      return page === 3 ? refuses(503) : { data: [{ ...A, id: page }], next: `?page=${page + 1}` };
    },
    { operationTimeout: "1" },
    { clock },
  );
  const { page, attempts } = await requestFailureOf(service.run.listWebhooks());
  expect({ page, attempts }).toEqual({ page: 3, attempts: 1 });
});

it("one limit applies to the size of all pages together", async () => {
  const filler = "x".repeat(3 * 1024 * 1024);
  const service = await scripted((query) => {
    const page = Number(query.get("page") ?? 1);
    return { data: [{ ...A, id: page, filler }], next: `?page=${page + 1}` };
  });
  const { page, cause } = await requestFailureOf(service.run.listWebhooks());
  expect({ page, cause }).toMatchObject({ page: 3, cause: { kind: "tooLarge", limit: 8 * 1024 * 1024 } });
});

describe("the settings lead to further pages", () => {
  it.each<[responses: object, script: Script, queries: string[]]>([
    [
      { nextPage: "/next_cursor", pageParameter: "page_token" },
      (query) =>
        query.has("page_token") ? { data: [B], next_cursor: null } : { data: [A], next_cursor: "x" },
      ["", "?page_token=x"],
    ],
    [
      { nextPage: "/meta/following" },
      (query) => (query.has("p") ? { data: [B] } : { data: [A], meta: { following: "?p=2" } }),
      ["", "?p=2"],
    ],
    [
      { nextPage: "/paging/next" },
      (query) =>
        query.has("p") ? { data: [B], ...positions() } : { data: [A], ...positions({ next: "?p=2" }) },
      ["", "?p=2"],
    ],
    [
      { pageParameter: "p" },
      (query) => [[A], [B], []][Number(query.get("p") ?? 1) - 1] ?? [],
      ["", "?p=2", "?p=3"],
    ],
    [
      { nextPage: "/cursor", pageParameter: "cursor", complete: true },
      (query) => ({
        data: [[A], [B], []][(query.get("cursor") ?? "").length] ?? [],
        cursor: `${query.get("cursor") ?? ""}x`,
      }),
      ["", "?cursor=x", "?cursor=xx"],
    ],
  ])("%j", async (responses, script, queries) => {
    const service = await scripted(script, mapping(responses));
    expect(await service.run.listWebhooks()).toHaveLength(2);
    expect(service.queries()).toEqual(queries);
  });
});
