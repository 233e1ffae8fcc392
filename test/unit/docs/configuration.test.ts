import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

import { accountName, EXPLICIT_KEY } from "../../../provider/src/plugin/setting-lookup.js";
import { readSettings } from "../../../provider/src/plugin/settings.js";
import { page, tableWith } from "./tables.ts";

const REQUIRED = { "partners:baseUrl": "https://partners.example.com", "partners:accessToken": "token" };
const NONE = new Map<string, string>();

/** What is asked for while settings are read. */
function asked(): { keys: string[]; variables: string[] } {
  const keys = new Set<string>();
  const variables = new Set<string>();
  const config = { get: (key: string) => void keys.add(key) };
  const env = new Proxy<NodeJS.ProcessEnv>({}, { get: (_target, name) => void variables.add(String(name)) });
  expect(() => readSettings(config, env)).toThrow();
  accountName(config);
  keys.delete(EXPLICIT_KEY);
  return { keys: [...keys], variables: [...variables] };
}

/** The settings with one more set. */
function withSetting(key: string, value: string): ReturnType<typeof readSettings> {
  const config = new Map<string, string>(Object.entries({ ...REQUIRED, [key]: value }));
  return readSettings(config, {});
}

/** Defaults as the tables write them. */
function defaults(): Record<string, string> {
  const settings = readSettings(new Map(Object.entries(REQUIRED)), {});
  const { requestTimeout, operationTimeout, maxConnections, requestsPerSecond, responses } = settings;
  return {
    "partners:requestTimeout": String(requestTimeout / 1000),
    "partners:operationTimeout": String(operationTimeout / 1000),
    "partners:maxConnections": String(maxConnections),
    "partners:requestsPerSecond": requestsPerSecond === null ? "no limit" : String(requestsPerSecond),
    "partners:responses": Object.keys(responses).length === 0 ? "recognised" : "set",
    "partners:account": accountName(NONE),
  };
}

describe.each(["README.md", "docs/configuration.md"])("the settings in %s", (path) => {
  const rows = tableWith(page(path), "stack configuration");
  const column = (name: string): string[] => rows.map((row) => row[name] ?? "");

  it("are those that are read, by the same names", () => {
    const { keys, variables } = asked();
    expect(column("stack configuration").sort()).toEqual(keys.sort());
    expect(
      column("environment variable")
        .filter((name) => name !== "–")
        .sort(),
    ).toEqual(variables.sort());
  });

  it("have the defaults that are used, and are required where nothing goes without them", () => {
    const written = rows.map((row) => [row["stack configuration"], row["default"]]);
    const required = Object.keys(REQUIRED).map((key) => [key, path === "README.md" ? "required" : "–"]);
    expect(Object.fromEntries(written)).toEqual({ ...Object.fromEntries(required), ...defaults() });
    for (const key of Object.keys(REQUIRED)) {
      const others = new Map(Object.entries(REQUIRED).filter(([name]) => name !== key));
      expect(() => readSettings(others, {})).toThrow(key);
    }
  });
});

describe("docs/configuration.md", () => {
  const rows = tableWith(page("docs/configuration.md"), "required");

  it("says of each setting whether it is required", () => {
    const required = rows.filter((row) => row["required"] === "yes").map((row) => row["stack configuration"]);
    expect(required).toEqual(Object.keys(REQUIRED));
    expect(rows.every((row) => /^(yes|no)$/.test(row["required"] ?? ""))).toBe(true);
  });

  const limits = rows.flatMap(({ "stack configuration": key = "", values = "" }) => {
    const [, most] = /^above 0, up to (\d+)/.exec(values) ?? [];
    return most === undefined ? [] : [[key, Number(most)] as const];
  });
  it.each(limits)("gives the limits of %s", (key, most) => {
    withSetting(key, String(most));
    withSetting(key, "0.001");
    for (const wrong of [most + 1, 0, -1]) expect(() => withSetting(key, String(wrong))).toThrow(key);
  });
  it("gives the limits of every number", () => {
    expect(limits).toHaveLength(4);
  });

  it("names every other variable that the package reads", () => {
    const source = join(import.meta.dirname, "../../../provider/src");
    const files = readdirSync(source, { recursive: true, encoding: "utf8" }).filter((file) =>
      file.endsWith(".ts"),
    );
    const read = files.flatMap((file) =>
      [...page(join("provider/src", file)).matchAll(/\benv(?:\.|\[")(PARTNERS_\w+)/g)].map(
        ([, name]) => name,
      ),
    );
    expect(read).toContain("PARTNERS_DEBUG");
    for (const name of read) expect(page("docs/configuration.md")).toContain(`\`${String(name)}\``);
  });
});
