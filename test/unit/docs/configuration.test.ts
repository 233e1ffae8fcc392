import { describe, expect, it } from "vitest";

import { SettingsError } from "../../../provider/src/api/errors.js";
import { accountName, readSettings } from "../../../provider/src/shared/settings.js";
import { EXPLICIT_KEY } from "../../../provider/src/setting-names.js";
import { page, tableWith } from "./tables.ts";

const REQUIRED = { "partners:baseUrl": "https://partners.example.com", "partners:accessToken": "token" };

/** Returns the settings that are rejected. */
function rejected(settings: object): string[] {
  try {
    readSettings(new Map(Object.entries({ ...REQUIRED, ...settings })), {});
    return [];
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    return error.problems.map((problem) => ("setting" in problem ? `partners:${problem.setting}` : ""));
  }
}

describe("docs/configuration.md", () => {
  const rows = tableWith(page("docs/configuration.md"), "environment variable");

  it("lists the settings that are read", () => {
    const keys = new Set<string>();
    const variables = new Set<string>();
    const config = { get: (key: string) => void keys.add(key) };
    const get = (_target: object, name: string | symbol) => void variables.add(String(name));
    expect(() => readSettings(config, new Proxy<NodeJS.ProcessEnv>({}, { get }))).toThrow();
    accountName(config);
    keys.delete(EXPLICIT_KEY);
    const column = (name: string): string[] => rows.map((row) => row[name] ?? "").sort();
    expect(column("stack configuration")).toEqual([...keys].sort());
    expect(column("environment variable").filter((name) => name !== "–")).toEqual([...variables].sort());
  });

  it("lists the defaults, and marks the required settings", () => {
    const written = rows.map((row) => [row["stack configuration"], row["default"]]);
    const { servers, ...settings } = readSettings(new Map(Object.entries(REQUIRED)), {});
    expect(servers).toHaveLength(1);
    expect(settings).toMatchObject({ requestsPerSecond: null, responses: {} });
    expect(Object.fromEntries(written)).toEqual({
      "partners:baseUrl": "required",
      "partners:accessToken": "required",
      "partners:previousBaseUrl": "none",
      "partners:allowTokenOverPlainHttp": "false",
      "partners:headers": Object.keys(settings.headers).length === 0 ? "none" : "",
      "partners:requestTimeout": String(settings.requestTimeout / 1000),
      "partners:operationTimeout": String(settings.operationTimeout / 1000),
      "partners:maxConnections": String(settings.maxConnections),
      "partners:requestsPerSecond": "no limit",
      "partners:refreshBeforeUpdate": String(settings.refreshBeforeUpdate),
      "partners:readWebhooks": String(settings.readWebhooks),
      "partners:responses": "recognized",
      "partners:account": accountName(new Map()),
    });
    const required = rows
      .filter((row) => row["default"] === "required")
      .map((row) => row["stack configuration"]);
    expect(required).toEqual(Object.keys(REQUIRED));
    for (const key of required) expect(rejected({ [key ?? ""]: "" })).toEqual([key]);
  });

  const limits = rows.flatMap(({ "stack configuration": key = "", values = "" }) => {
    const [, least, most] = /^([\d.]+) to (\d+)$/.exec(values) ?? [];
    return least === undefined ? [] : [[key, Number(least), Number(most)] as const];
  });
  it.each(limits)("states the limits of %s", (key, least, most) => {
    for (const valid of [least, most]) expect(rejected({ [key]: String(valid) }), `${valid}`).toEqual([]);
    for (const invalid of [least / 2, most + 1])
      expect(rejected({ [key]: String(invalid) }), `${invalid}`).toEqual([key]);
    expect(limits).toHaveLength(4);
  });
});
