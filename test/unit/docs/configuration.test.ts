import { describe, expect, it } from "vitest";

import { page, tableWith } from "./tables.ts";

/** From the comments in the sources: `npm run docs:check` holds that they are the same. */
const ARGUMENTS = tableWith(page("docs/reference.md").split("#### ProviderArgs\n")[1] ?? "", "default");

/** As in `PARTNERS_BASE_URL` for `baseUrl`; the name of the account is the program's, and not the environment's. */
function variableOf(name: string): string {
  return name === "account" ? "–" : `PARTNERS_${name.replaceAll(/[A-Z]/g, "_$&").toUpperCase()}`;
}

describe.each(["README.md", "docs/configuration.md"])("the settings in %s", (path) => {
  const rows = tableWith(page(path), "stack configuration");

  it("are the arguments of a Provider, by the names of stack configuration and of the environment", () => {
    const names = ARGUMENTS.map(({ name = "" }) => name);
    expect(names).toContain("baseUrl");
    const wanted = names.map((name) => [`partners:${name}`, variableOf(name)]);
    const written = rows.map((row) => [row["stack configuration"], row["environment variable"]]);
    expect(written.sort()).toEqual(wanted.sort());
  });

  it("have the same defaults", () => {
    const numbers = ARGUMENTS.filter((row) => /^\d+$/.test(row["default"] ?? ""));
    expect(numbers.length).toBeGreaterThan(2);
    for (const { name = "", default: value } of numbers)
      expect(rows.find((row) => row["stack configuration"] === `partners:${name}`)?.["default"]).toBe(value);
  });
});
