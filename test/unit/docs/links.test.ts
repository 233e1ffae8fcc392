import { execFileSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { describe, expect, it } from "vitest";

import { ROOT } from "../../../provider/tools/checkout.ts";
import { withAbsoluteLinks } from "../../../provider/tools/release/prepack.ts";
import { page } from "./tables.ts";

const PAGES = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard", "*.md"], {
  cwd: ROOT,
  encoding: "utf8",
})
  .split("\n")
  // The links of the notes are those of the pages that include them.
  .filter((file) => file !== "" && !file.endsWith("resource-notes.md") && existsSync(join(ROOT, file)));

/**
 * Returns the anchors that GitHub creates from headings: lowercase, without punctuation, with hyphens for
 * spaces.
 */
function anchorsOf(markdown: string): Set<string> {
  const text = markdown.replaceAll(/^```.*?^```/gms, "");
  const headings = [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading = ""]) => heading);
  const anchor = (heading: string): string =>
    heading
      .toLowerCase()
      .replaceAll(/[^\w\- ]/g, "")
      .replaceAll(" ", "-");
  return new Set(headings.map(anchor));
}

describe.each(PAGES)("%s", (file) => {
  const text = page(file);

  it("has no dead links", () => {
    const links = [...text.matchAll(/\]\((?!https?:)([^)\s]+)\)/g)].map(([, link = ""]) => link);
    const dead = links.filter((link) => {
      const [path = "", anchor] = link.split("#");
      const target = path === "" ? file : normalize(join(dirname(file), path));
      if (!existsSync(join(ROOT, target))) return true;
      return anchor !== undefined && !anchorsOf(page(target)).has(anchor);
    });
    expect(dead).toEqual([]);
  });

  it("names only existing files", () => {
    const paths = [...text.matchAll(/(?<=[` ])(?:provider|test|docs|examples|\.github|\.ci)\/[\w./-]*\w/g)];
    expect(paths.map(([path]) => path).filter((path) => !exists(path))).toEqual([]);
  });
});

it("ARCHITECTURE.md names only existing files of provider/src", () => {
  const files = [...page("ARCHITECTURE.md").matchAll(/`((?:\w+\/)?[\w-]+\.ts)`/g)];
  const named = files.map(([, file = ""]) => `provider/src/${file}`);
  expect(named.length).toBeGreaterThan(20);
  expect(named.filter((file) => !exists(file))).toEqual([]);
});

/** Whether a file exists. For tests, the start of a name is enough, as in the filters of vitest. */
function exists(path: string): boolean {
  if (path.startsWith("provider/dist") || existsSync(join(ROOT, path))) return true;
  const files = execFileSync("git", ["ls-files", `${path}*`], { cwd: ROOT, encoding: "utf8" });
  return path.startsWith("test/") && files !== "";
}

it("nothing installs pulumi-partners from a registry, where someone else may own the name", () => {
  const commands = PAGES.flatMap(
    (file) => page(file).match(/\b(?:npm|pnpm|yarn|bun) (?:i|install|add) .*/g) ?? [],
  );
  expect(commands.filter((command) => /(?<![\w./-])pulumi-partners(?![\w-])/.test(command))).toEqual([]);
  const examples = readdirSync(join(ROOT, "examples"))
    .map((name) => `examples/${name}/package.json`)
    .filter((file) => existsSync(join(ROOT, file)));
  expect(examples.length).toBeGreaterThan(5);
  expect(examples.filter((file) => page(file).includes('"pulumi-partners"'))).toEqual([]);
});

it("every page of docs/ is reached from the README", () => {
  const reached = new Set<string>(["README.md"]);
  for (const file of reached)
    for (const [, link = ""] of page(file).matchAll(/\]\((?!https?:)([^)#\s]+\.md)/g))
      reached.add(normalize(join(dirname(file), link)));
  const pages = PAGES.filter((file) => file.startsWith("docs/"));
  expect(pages.length).toBeGreaterThan(10);
  expect(pages.filter((file) => !reached.has(file))).toEqual([]);
});

const REPOSITORY = { version: "1.2.3", repository: { url: "git+https://github.com/someone/thing.git" } };

const FILES = "https://github.com/someone/thing/blob/v1.2.3";
const IMAGES = "https://raw.githubusercontent.com/someone/thing/v1.2.3";

it.each([
  ["[a](docs/a.md#b)", `[a](${FILES}/docs/a.md#b)`],
  ["[![a](a.svg)](a.svg)", `[![a](${IMAGES}/a.svg)](${FILES}/a.svg)`],
  ["[a](https://example.com) [a](#b)", "[a](https://example.com) [a](#b)"],
])("packing changes the link %s of the README to %s", (link, absolute) => {
  expect(withAbsoluteLinks(link, REPOSITORY)).toBe(absolute);
});
