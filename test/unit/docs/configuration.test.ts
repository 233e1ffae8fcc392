import { expect, it } from "vitest";

import { PartnerError } from "../../../provider/src/partner-api/errors.js";
import { SettingsReader } from "../../../provider/src/account/settings.js";
import { NAMESPACE, SETTING_NAMES, SETTINGS, variableOf } from "../../../provider/src/setting-names.js";
import { page, sectionOf, tableWith } from "./pages.ts";

const REQUIRED = { "partners:baseUrl": "https://partners.example.com", "partners:accessToken": "token" };
const ROWS = tableWith(page("docs/configuration.md"), "environment variable");

function read(settings: Readonly<Record<string, string>>) {
  const reader = new SettingsReader(new Map(Object.entries({ ...REQUIRED, ...settings })), {});
  return { ...reader.read(), account: reader.account };
}

function columns(...names: readonly string[]): Record<string, string> {
  return Object.fromEntries(ROWS.map((row) => names.map((name) => row[name]) as [string, string]));
}

it("docs/configuration.md lists the settings and their environment variables", () => {
  const variables = SETTINGS.map((name) => [
    NAMESPACE + name,
    (SETTING_NAMES as readonly string[]).includes(name) ? variableOf(name) : "–",
  ]);
  expect(columns("stack configuration", "environment variable")).toEqual(Object.fromEntries(variables));
});

it("docs/configuration.md lists the defaults, and marks the required settings", () => {
  const { headers, requestTimeout, responses, servers, account } = read({});
  expect([headers, responses, servers]).toEqual([{}, {}, ["https://partners.example.com"]]);
  expect(columns("stack configuration", "default")).toEqual({
    "partners:baseUrl": "required",
    "partners:accessToken": "required",
    "partners:previousBaseUrl": "none",
    "partners:headers": "none",
    "partners:requestTimeout": String(requestTimeout / 1000),
    "partners:responses": "recognized",
    "partners:account": account,
  });
  for (const key of Object.keys(REQUIRED)) expect(() => read({ [key]: "" }), key).toThrow(key);
});

it("docs/configuration.md states the limits of the timeout", () => {
  const limits = columns("stack configuration", "values")["partners:requestTimeout"];
  const [least = NaN, most = NaN] = limits?.split(" to ").map(Number) ?? [];
  for (const valid of [least, most]) read({ "partners:requestTimeout": String(valid) });
  for (const wrong of [least / 2, most + 1])
    expect(() => read({ "partners:requestTimeout": String(wrong) })).toThrow(PartnerError);
});

it("docs/responses.md and the page about Provider list the members of responses", () => {
  const cells = tableWith(page("docs/responses.md"), "member").map((row) => row["member"] ?? "");
  const members = cells.flatMap((cell) => cell.split(", ")).sort();
  expect(() => read({ "partners:responses": '{"x":1}' })).toThrow("responses: it has an unknown member");
  const values: object = { active: ["a"], disabled: ["b"], complete: true };
  const mapping = { ...Object.fromEntries(members.map((member) => [member, "/a"])), ...values };
  expect(read({ "partners:responses": JSON.stringify(mapping) }).responses).toEqual(mapping);
  const section = sectionOf(page("docs/resources/provider.md"), "### ResponseMapping");
  expect([...section.matchAll(/^- `(\w+)`/gm)].map(([, name]) => name).sort()).toEqual(members);
});
