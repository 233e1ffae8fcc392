import { readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { expect, it } from "vitest";

const SOURCES = join(import.meta.dirname, "../../provider/src");

// A file name describes its content, so it is unique. Only entry points have the name index.ts.
it("file names are unique in the provider", () => {
  const names = readdirSync(SOURCES, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".ts"))
    .map((path) => basename(path))
    .filter((name) => name !== "index.ts");
  expect(names.length).toBeGreaterThan(20);
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
});
