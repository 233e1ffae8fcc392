import { describe, expect, it } from "vitest";

import type { ResponseMapping } from "../../../provider/src/responses/mapping.js";
import { readSettings } from "../../../provider/src/shared/settings.js";
import { readWebhookList } from "../../../provider/src/responses/webhook-list-reader.js";
import { readKey } from "../responses/support.ts";
import { page, tableWith } from "./tables.ts";

const PAGE = page("docs/responses.md");
const PROSE = PAGE.replaceAll(/\s+/g, " ");
const KEY = "pk_live_4eC39HqLyjWDarjtT1zdp7dc";

/** What services also use. The page only links to it. */
const MORE_KEYS =
  "secretKey privateKey partnerKey jwt authToken bearerToken clientToken userToken accountToken serviceToken personalAccessToken partnerToken " +
  "authorizationToken secretToken plainTextToken licenseKey hmacKey appKey applicationKey integrationKey writeKey " +
  "adminKey masterKey deployKey rawKey fullKey newKey plainTextKey keyValue keyString keySecret tokenValue " +
  "tokenString tokenSecret secretValue secretText secretId plainText clearText sha1 pat";
/** The starts of names of something else. */
const OTHER_STARTS =
  "refresh public masked redacted obfuscated hashed encrypted previous replaced rotated superseded former old " +
  "existing expired revoked parent owner creator createdBy updatedBy issuer issuedBy author request session csrf";
const MORE_LISTS =
  "hooks endpoints results list entries records content result values value rows nodes edges elements objects resources entities models documents contents collection " +
  "response responses member hydraMember payload webhookList userWebhookList webhookConfigs webhookConfigurations " +
  "configurations notificationConfigurations notifications notificationSettings integrations extensions addons " +
  "triggers destinations apiDestinations listeners callbacks sinks streams connections eventSourceMappings registrations";
/** Fields of states, by what true or a date means. */
const MORE_FIELDS = [
  { field: "deactivated, autoDisabled, temporarilyDisabled", active: "false", disabled: "true, yes, 1" },
  { field: "deactivatedAt", active: "null", disabled: "a date" },
];
const MORE_ACTIVE = "activated running alive started";
const MORE_DISABLED =
  "suspended stopped pause deactivated terminated blocked blacklisted autoDisabled temporarilyDisabled disabledByUser " +
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
  expect(readKey(created).kind).toBe("refused");
  expect(readKey(created, mapping, "token")).toMatchObject({ apiKey: KEY });
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

it("the page about Provider lists every member of the setting", () => {
  const [, section = ""] = page("docs/resources/provider.md").split("### ResponseMapping\n");
  const members = [...section.matchAll(/^- `(\w+)`/gm)].map(([, name = ""]) => name);
  expect(members).not.toEqual([]);
  expect(() => mappingOf('{"x":1}')).toThrow(
    expect.objectContaining({
      problems: [expect.objectContaining({ rule: { members } })],
    }),
  );
});

describe("the names and words for states", () => {
  const fields = [...tableWith(PAGE, "field"), ...MORE_FIELDS];
  const rows = fields.flatMap(({ field = "", active = "", disabled = "" }) =>
    field
      .split(", ")
      .flatMap((name) => [...values(name, active, "active"), ...values(name, disabled, "disabled")]),
  );
  it.each([
    ...MORE_ACTIVE.split(" ").map((word) => ["status", word, "active"] as const),
    ...MORE_DISABLED.split(" ").map((word) => ["status", word, "disabled"] as const),
    ...rows,
  ])("%s: %j is %s", (name, value, state) => {
    const reading = read([{ id: 101, [name]: value }]);
    expect(reading.readable && reading.webhooks.get(101)?.state).toBe(state);
  });
});

describe("the names of keys", () => {
  const apiKeys = namesIn(/Its name ends with (.*?)\. At/);
  const others = namesIn(/it may also be (.*?) and the like/).concat(MORE_KEYS.split(" "));
  it.each([...apiKeys, ...apiKeys.map((name) => `x-${name}`), ...others])("%s", (name) => {
    expect(readKey(JSON.stringify({ [name]: KEY }))).toMatchObject({ apiKey: KEY });
  });

  const somethingElse = namesIn(/named as something else, such as (.*?) - /);
  it.each([...somethingElse, "api_key_old", "apiKeyOld"])("%s is something else", (name) => {
    expect(readKey(JSON.stringify({ [name]: KEY })).kind).toBe("refused");
  });

  it.each(OTHER_STARTS.split(" "))("%sApiKey is something else", (start) => {
    expect(readKey(JSON.stringify({ [`${start}ApiKey`]: KEY })).kind).toBe("refused");
    expect(readKey(JSON.stringify({ [`${start}Token`]: { apiKey: KEY } })).kind).toBe("refused");
  });
});

const LISTS = namesIn(/array of objects with a name such as (.*?) \(/).concat(MORE_LISTS.split(" "));
it.each(LISTS)("a list may be called %s", (name) => {
  expect(read({ [name]: [{ id: 101 }] }).readable).toBe(true);
});

const IDS = namesIn(/The first of these names that any record has: (.*?)\. /);
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
  const names = [...(pattern.exec(PROSE)?.[1] ?? "").matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name);
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
