import { execFileSync } from "node:child_process";
import { expect, it } from "vitest";

import { ROOT } from "../../../provider/tools/checkout.ts";
import { page } from "./tables.ts";

/** What we publish or print: pages, sources, examples, workflows and the rendered messages. Not the tests. */
const TEXTS = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard"], {
  cwd: ROOT,
  encoding: "utf8",
})
  .split("\n")
  .filter((file) => /\.(md|ts|cjs|sh|ya?ml|py|go|txt|json|svg)$/.test(file))
  .filter((file) => !/^test\/(?!unit\/messages\/messages\.txt)|package-lock\.json$/.test(file));

/** Returns the lines with a match, as `file: line`. */
function linesWith(pattern: RegExp): string[] {
  return TEXTS.flatMap((file) =>
    page(file)
      .split("\n")
      .filter((line) => pattern.test(line))
      .map((line) => `${file}: ${line.trim()}`),
  );
}

it("every command with npx fails where the package is not installed, instead of running a stranger's", () => {
  expect(TEXTS.length).toBeGreaterThan(100);
  for (const text of [
    "test/unit/messages/messages.txt",
    "provider/schema.json",
    "docs/resources/partner-api-key.md",
    "examples/README.md",
    "examples/pipeline/ci/interrupted.ts",
  ])
    expect(TEXTS).toContain(text);
  const uses = /\bnpx (?!--no )(?:-\S+ )*pulumi-partners/;
  expect(uses.test("npx pulumi-partners doctor")).toBe(true);
  expect(linesWith(uses)).toEqual([]);
});

it.each(TEXTS.filter((file) => file.endsWith(".svg")))("%s is visible without a style sheet", (file) => {
  const plain = page(file).replace(/<style>.*<\/style>/s, "");
  const shapes = plain.match(/<(?:rect|g|tspan class="color)[^>]*>/g) ?? [];
  expect(shapes.length).toBeGreaterThan(1);
  for (const shape of shapes) expect(shape).toMatch(/ (fill|stroke)="#[0-9a-f]{3,6}"/);
});

it("no text has a placeholder for something to be filled in later", () => {
  const placeholder = /@[A-Z]{3,}@|\b(?:TODO|FIXME|TBD|XXX|lorem ipsum)\b/;
  expect(placeholder.test("takes @MEASURED@ s")).toBe(true);
  expect(linesWith(placeholder)).toEqual([]);
});
