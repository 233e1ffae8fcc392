import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

import { reportsFailure } from "../../../provider/src/api/responses.js";
import { KEY, OTHER, keyOf, listOf, readable, webhooksOf } from "./support.ts";

const DOCUMENT = readFileSync(new URL("../../../docs/responses.md", import.meta.url), "utf8");

/** The names, in backticks, that the document gives between two of its texts. */
function namesBetween(start: string, end: string | RegExp): string[] {
  const from = DOCUMENT.indexOf(start);
  if (from < 0) throw new Error(`docs/responses.md has no "${start}"`);
  const rest = DOCUMENT.slice(from + start.length);
  const [text = ""] = rest.split(end, 1);
  return [...text.matchAll(/`([^`]+)`/g)].flatMap(([, name]) => name ?? []);
}

/** The names in an item of a list, which goes on as long as its lines are indented. */
function listed(label: string): string[] {
  const names = namesBetween(`\n- **${label}**:`, /\n(?! )/);
  return names.filter((name) => !["hook", "activatedAt"].includes(name));
}

describe("docs/responses.md tells the names", () => {
  it.each(listed("strong names of a key"))("%s, of a key", (name) => {
    expect(keyOf({ [name]: KEY, key: OTHER })).toMatchObject({ apiKey: KEY });
  });

  it.each(listed("weak names of a key"))("%s, of a key if there is none with a strong name", (name) => {
    expect(keyOf({ [name]: KEY })).toMatchObject({ apiKey: KEY });
    expect(keyOf({ [name]: OTHER, apiKey: KEY })).toMatchObject({ apiKey: KEY, otherSecrets: true });
  });

  it.each(listed("strong inside `apiKey`, `newApiKey`, `partnerApiKey`"))(
    "%s, of a key in an object of its own",
    (name) => {
      for (const holder of ["apiKey", "newApiKey", "partnerApiKey"]) {
        expect(keyOf({ [holder]: { [name]: KEY }, token: OTHER })).toMatchObject({ apiKey: KEY });
      }
    },
  );

  it.each(listed("objects that may hold the key"))("%s, of an object that may hold the key", (name) => {
    expect(keyOf({ [name]: { rawKey: KEY } })).toMatchObject({ apiKey: KEY });
  });

  it.each(listed("never the list"))("%s, of what is never the list", (name) => {
    expect(webhooksOf(listOf({ [name]: [], outgoing: [{ id: 1 }] }))).toHaveLength(1);
  });

  it.each(listed("a list that may be empty"))("%s, of a list that may be empty", (name) => {
    expect(listOf({ [name]: [] })).toMatchObject({ readable: true });
  });

  it.each<[label: string, active: unknown, disabled: unknown]>([
    ["flags, true is active", true, false],
    ["flags, true is disabled", false, true],
    ["words", "active", "inactive"],
    ["times", null, "2031-05-06"],
  ])("of %s", (label, active, disabled) => {
    expect(listed(label).length).toBeGreaterThan(1);
    for (const name of listed(label)) {
      const webhooks = webhooksOf(
        listOf([
          { id: 1, [name]: active },
          { id: 2, [name]: disabled },
        ]),
      );
      expect(webhooks.map(({ state }) => state)).toEqual(["active", "disabled"]);
    }
  });

  it.each<[label: string, set: unknown]>([
    ["flags of a stop", true],
    ["times of a stop", "2031-05-06"],
  ])("of %s", (label, set) => {
    expect(listed(label).length).toBeGreaterThan(1);
    for (const name of listed(label)) {
      const webhooks = webhooksOf(
        listOf([
          { id: 1, state: "active", [name]: set },
          { id: 2, state: "active", [name]: null },
          { id: 3, state: "off", [name]: set },
        ]),
      );
      expect([name, webhooks.map(({ state }) => state)]).toEqual([name, [null, "active", "disabled"]]);
    }
  });

  it("of the words of a stop", () => {
    const words = namesBetween("| a word that holds", "(`auto_disabled`");
    expect(words.length).toBeGreaterThan(10);
    for (const word of words) {
      const fields = { id: 1, enabled: true, status: `auto_${word.toUpperCase()}_by_admin` };
      expect([word, webhooksOf(listOf([fields]))[0]?.state]).toEqual([word, null]);
    }
  });

  it.each<[what: string, start: string, end: string, values: readonly unknown[]]>([
    ["success", "- `success`", "that is false", [false, 0, "false"]],
    ["errors", "- `error`", "unless", ["x", true, 1, { code: 1 }, [1]]],
    ["outcomes", "- `status` or", "that is false", [false, "Error", "errors", "fail", "failed", "failure"]],
    ["statuses", "- `status`, `statusCode`", "from 400", [400, "599", 600]],
    ["codes", "from 600, or", "from 400", [400, 40101]],
  ])("of reports of a failure: %s", (_, start, end, values) => {
    const names = namesBetween(start, end);
    const [, first] = /`([^`]+)`/.exec(start) ?? [];
    if (first !== undefined) names.unshift(first);
    expect(names.length).toBeGreaterThan(0);
    for (const name of names) {
      for (const value of values) {
        expect([name, value, reportsFailure(JSON.stringify({ [name]: value }))]).toEqual([name, value, true]);
      }
    }
  });

  it.each<[what: string, start: string, end: string, value: string]>([
    ["totals", "- the headers", "(a total)", "2"],
    ["pages", "(a total),", "(pages)", "2"],
    ["next ones and page sizes", "(pages),", "(a page size)", "1"],
  ])("of headers: %s", (_, start, end, value) => {
    const headers = namesBetween(start, end);
    expect(headers.length).toBeGreaterThan(2);
    for (const header of headers) {
      const reading = listOf({ webhooks: [{ id: 1 }] }, {}, undefined, { [header]: value });
      expect([header, reading]).toMatchObject([header, { complete: false }]);
    }
  });

  it("of the states", () => {
    const words = namesBetween("| state: word", "in any case");
    const webhooks = webhooksOf(listOf(words.map((state, index) => ({ id: index + 1, state }))));
    expect(webhooks.map(({ state }) => state)).toEqual(
      words.map((_, index) => (index < 4 ? "active" : "disabled")),
    );
  });

  it.each<[what: string, start: string, end: string, sign: (name: string) => Record<string, unknown>]>([
    ["objects about pages", "beside it called", ":", (name) => ({ [name]: { next: "/2" } })],
    ["more records", "- a name with `next` in it", "unless", (name) => ({ [name]: true })],
    ["the last page", "- `last`", "that is false", (name) => ({ [name]: false })],
    ["totals and counts", "- a total (", "above", (name) => ({ [name]: 2 })],
    ["numbers of pages", "- more than one page", ";", (name) => ({ [name]: 2 })],
    ["page sizes", "- a page size", "that the list", (name) => ({ [name]: 1 })],
  ])("of %s", (_, start, end, sign) => {
    const names = namesBetween(start, end);
    expect(names.length).toBeGreaterThan(2);
    for (const name of names) {
      expect([name, listOf({ webhooks: [{ id: 1 }], ...sign(name) })]).toMatchObject([
        name,
        { complete: false },
      ]);
    }
  });

  it("of secrets", () => {
    const endings = namesBetween("or one that ends", "or a plural");
    expect(endings.length).toBeGreaterThan(5);
    for (const ending of endings.flatMap((one) => [`my_${one}`, `my_${one}s`])) {
      expect([ending, readable(keyOf({ apiKey: KEY, [ending]: OTHER })).otherSecrets]).toEqual([
        ending,
        true,
      ]);
    }
    for (const ending of namesBetween("names that end in", ".\n")) {
      expect([ending, readable(keyOf({ apiKey: KEY, [`my_${ending}`]: OTHER })).otherSecrets]).toEqual([
        ending,
        false,
      ]);
    }
  });
});
