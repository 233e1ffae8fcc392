import { describe, expect, it } from "vitest";

import type { ResponseMapping } from "../../../provider/src/responses/mapping.js";
import { readApiKey } from "../../../provider/src/responses/key-reader.js";
import { readSettings } from "../../../provider/src/shared/settings.js";
import { readWebhookList } from "../../../provider/src/responses/webhook-list-reader.js";
import { page, tableWith } from "./tables.ts";

const PAGE = page("docs/responses.md");
const KEY = "pk_live_4eC39HqLyjWDarjtT1zdp7dc";

/** What services also use. The page only links to it. */
const MORE_KEYS =
  "authToken bearerToken clientToken userToken accountToken serviceToken personalAccessToken partnerToken " +
  "authorizationToken secretToken plainTextToken licenseKey hmacKey appKey applicationKey integrationKey writeKey " +
  "adminKey masterKey deployKey rawKey fullKey newKey plainTextKey keyValue keyString keySecret tokenValue " +
  "tokenString tokenSecret secretValue secretText secretId plainText clearText sha1 pat";
const MORE_LISTS =
  "result values value rows nodes edges elements objects resources entities models documents contents collection " +
  "response responses member hydraMember payload webhookList userWebhookList webhookConfigs webhookConfigurations " +
  "configurations notificationConfigurations notifications notificationSettings integrations extensions addons " +
  "triggers destinations apiDestinations listeners callbacks sinks streams connections eventSourceMappings registrations";
const MORE_ACTIVE = "alive started";
const MORE_DISABLED =
  "pause deactivated terminated blocked blacklisted autoDisabled temporarilyDisabled disabledByUser " +
  "disabledBySystem dead";

/** What says whether a list is complete. */
const COMPLETENESS = `
| field                                      | last page       | more pages      |
| ------------------------------------------ | --------------- | --------------- |
| hasMore, hasNextPage, more           | false           | true            |
| isLast, isLastPage, last, done     | true            | false           |
| next, nextPage, nextCursor, cursor | null            | a value         |
| total, totalCount, totalItems        | the length      | a larger number |
| totalPages, pageCount, pages         | 1               | a larger number |
| limit, perPage, pageSize             | a larger number |                 |
`;

const read = (body: unknown) => readWebhookList(JSON.stringify(body), {}, 200, {});

function mappingOf(responses = ""): ResponseMapping {
  const account = { "partners:baseUrl": "https://partners.example.com", "partners:accessToken": "token" };
  const config = new Map(Object.entries({ ...account, "partners:responses": responses }));
  return readSettings(config, {}).responses;
}

it("the sample has the effect that the page describes", () => {
  const mapping = mappingOf(/PARTNERS_RESPONSES='(.*)'/.exec(PAGE)?.[1]);
  const created = JSON.stringify({ token: `${KEY}x`, data: { key: KEY } });
  expect(readApiKey(created, {}, "token").kind).toBe("refused");
  expect(readApiKey(created, mapping, "token")).toMatchObject({ apiKey: KEY });
  const list = JSON.stringify([
    { id: 101, attributes: { mode: "live" } },
    { id: 102, attributes: { mode: "Paused" } },
  ]);
  const reading = readWebhookList(list, {}, 200, mapping);
  expect(reading.readable && [...reading.webhooks.values()].map(({ state }) => state)).toEqual([
    "active",
    "disabled",
  ]);
});

it("the table of the page about Provider lists every member of the setting", () => {
  const [, section = ""] = page("docs/resources/provider.md").split("### ResponseMapping\n");
  const members = tableWith(section, "default").map(({ name = "" }) => name);
  expect(members).not.toEqual([]);
  expect(() => mappingOf('{"x":1}')).toThrow(
    expect.objectContaining({
      problems: [expect.objectContaining({ rule: { members } })],
    }),
  );
});

describe("the names and words for states", () => {
  const active = namesIn(/^Other words for active are (.*?); for disabled/ms).concat(MORE_ACTIVE.split(" "));
  const disabled = namesIn(/; for disabled, (.*?)\./ms).concat(MORE_DISABLED.split(" "));
  const rows = tableWith(PAGE, "field").flatMap(({ field = "", active = "", disabled = "" }) =>
    field
      .replace(/ \(.*/, "")
      .split(", ")
      .flatMap((name) => [...values(name, active, "active"), ...values(name, disabled, "disabled")]),
  );
  it.each([
    ...active.map((word) => ["status", word, "active"] as const),
    ...disabled.map((word) => ["status", word, "disabled"] as const),
    ...rows,
  ])("%s: %j is %s", (name, value, state) => {
    const reading = read([{ id: 101, [name]: value }]);
    expect(reading.readable && reading.webhooks.get(101)?.state).toBe(state);
  });
});

describe("the names of keys", () => {
  const apiKeys = namesIn(/^1\. Any name that ends with (.*?), anywhere/ms);
  const others = namesIn(/^2\. .*?: (.*?)\.$/ms).concat(MORE_KEYS.split(" "));
  it.each([...apiKeys, ...apiKeys.map((name) => `x-${name}`), ...others])("%s", (name) => {
    expect(readApiKey(JSON.stringify({ [name]: KEY }), {}, "token")).toMatchObject({ apiKey: KEY });
  });

  it.each(namesIn(/in them \((.*?)\)\. A body/s))("%s is something else", (name) => {
    expect(readApiKey(JSON.stringify({ [name]: KEY }), {}, "token").kind).toBe("refused");
  });

  const somethingElse = namesIn(/^Names and objects that begin with (.*?) are something else/ms);
  it.each(somethingElse)("%sApiKey is something else", (start) => {
    expect(readApiKey(JSON.stringify({ [`${start}ApiKey`]: KEY }), {}, "token").kind).toBe("refused");
    expect(readApiKey(JSON.stringify({ [`${start}Token`]: { apiKey: KEY } }), {}, "token").kind).toBe(
      "refused",
    );
  });
});

const LISTS = namesIn(/^\*\*Webhook list\.\*\*.*?whose name ends with\s(.*?)\.$/ms).concat(
  MORE_LISTS.split(" "),
);
it.each(LISTS)("a list may be called %s", (name) => {
  expect(read({ [name]: [{ id: 101 }] }).readable).toBe(true);
});

const IDS = namesIn(/The first of these\s+names that any record has: (.*?)\. If/ms);
it.each(IDS)("an ID may be called %s", (name) => {
  const reading = read([{ [name]: 101 }]);
  expect(reading.readable && [...reading.webhooks.keys()]).toEqual([101]);
});

describe("the fields of complete lists", () => {
  const rows = tableWith(COMPLETENESS, "last page").flatMap(({ field = "", ...row }) =>
    field.split(", ").map((name) => [name, row["last page"] ?? "", row["more pages"] ?? ""] as const),
  );
  const valueOf = (cell: string): unknown =>
    ({ "the length": 1, "a larger number": 2, "a value": "x" })[cell] ?? JSON.parse(cell);
  const isComplete = (name: string, cell: string): boolean => {
    // On its own, this number may be the number of a page.
    const reading = read({ data: [{ id: 101 }], page: 1, [name]: valueOf(cell) });
    return reading.readable && reading.complete;
  };
  it.each(rows)("%s: %s is the last page, %s is not", (name, last, more) => {
    expect(isComplete(name, last)).toBe(true);
    if (more !== "") expect(isComplete(name, more)).toBe(false);
  });
});

/** Returns the names in backticks in what a pattern captures. */
function namesIn(pattern: RegExp): string[] {
  const names = [...(pattern.exec(PAGE)?.[1] ?? "").matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name);
  if (names.length === 0) throw new Error(`The page has no names at ${pattern.source}.`);
  return names;
}

/** Returns the values in a cell. Words that are not JSON are strings. */
function values(name: string, cell: string, state: string): [name: string, value: unknown, state: string][] {
  return cell.split(", ").map((word) => {
    if (word === "a date") return [name, "2026-11-22T10:20:30Z", state];
    return [name, /^(?:true|false|null|[01])$/.test(word) ? JSON.parse(word) : word, state];
  });
}
