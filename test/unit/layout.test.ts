import { readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { expect, it } from "vitest";

const SOURCES = join(import.meta.dirname, "../../provider/src");

// An entry point of the package is an index.ts; any other name says what is inside, so it is there once.
it("no two files of the provider have the same name", () => {
  const names = readdirSync(SOURCES, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".ts"))
    .map((path) => basename(path))
    .filter((name) => name !== "index.ts");
  expect(names.length).toBeGreaterThan(20);
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
});
