import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

import { page } from "./tables.ts";

const SOURCES = "provider/src";

/** Every name that begins with PARTNERS_ in the sources: variables and codes of errors. */
const used = new Set(
  readdirSync(join(import.meta.dirname, "../../..", SOURCES), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts"))
    .flatMap((file) => page(join(SOURCES, file)).match(/\bPARTNERS_[A-Z]+(_[A-Z]+)*\b/g) ?? []),
);
const variables = new Set(
  page("docs/configuration.md")
    .match(/`PARTNERS_\w+`/g)
    ?.map((name) => name.slice(1, -1)),
);
const codes = [...used].filter((name) => !variables.has(name));

it.each(codes)(
  "%s has a row that leads to its section, or is a variable of docs/configuration.md",
  (code) => {
    expect(page("docs/troubleshooting.md")).toMatch(new RegExp(`\\| \\[\`${code}\`\\]\\(#[a-z-]+\\) `));
  },
);

it("every code of the page is one that an error can have", () => {
  const rows = [...page("docs/troubleshooting.md").matchAll(/^\| \[`(PARTNERS_\w+)`\]/gm)].map(
    ([, code]) => code,
  );
  expect(rows.length).toBeGreaterThan(3);
  expect(rows.filter((code) => !used.has(code ?? ""))).toEqual([]);
});
