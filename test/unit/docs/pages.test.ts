import { existsSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { describe, expect, it } from "vitest";

import { ROOT } from "../../../provider/tools/checkout.ts";
import { FILES, page, PAGES } from "./pages.ts";

const PICTURES = FILES.filter((file) => file.endsWith(".svg"));
const DOCS = [...PAGES.filter((file) => file.startsWith("docs/")), ...PICTURES];

/** Returns the anchors that GitHub creates: lowercase, without punctuation, with hyphens for spaces. */
function anchorsOf(markdown: string): string[] {
  const headings = markdown.replaceAll(/^```.*?^```/gms, "").match(/(?<=^#+ ).*$/gm) ?? [];
  const words = headings.map((heading) => heading.toLowerCase().replaceAll(/[^\w\- ]/g, ""));
  return words.map((text) => text.replaceAll(" ", "-"));
}

/** Returns the relative links of a page, as a path from the root and an anchor. */
function linksOf(file: string): { readonly path: string; readonly anchor: string | undefined }[] {
  return [...page(file).matchAll(/\]\((?!https?:)([^)\s#]*)(?:#([^)\s]+))?\)/g)].map(
    ([, path = "", anchor]) => ({ path: path === "" ? file : normalize(join(dirname(file), path)), anchor }),
  );
}

describe.each(PAGES)("%s", (file) => {
  it("has no dead links", () => {
    const dead = linksOf(file).filter(
      ({ path, anchor }) =>
        !existsSync(join(ROOT, path)) || (anchor !== undefined && !anchorsOf(page(path)).includes(anchor)),
    );
    expect(dead).toEqual([]);
  });

  it("names only existing files", () => {
    const text = page(file).replaceAll(/https?:\S+/g, "");
    const paths = text.match(/(?<=[` ])(?:provider|test|docs|examples|\.github|\.ci)\/[\w./-]*\w/g) ?? [];
    const sources = paths.filter((path) => !path.startsWith("provider/dist"));
    expect(sources.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  });
});

it.each(PICTURES)("%s has a title, a dark form and its indents", (file) => {
  const picture = page(file);
  expect(picture).toMatch(/^<svg [^>]*role="img">\s*<title>\w[^<]+<\/title>/);
  expect(picture).toContain("@media (prefers-color-scheme: dark)");
  // Browsers collapse spaces in a text, whatever xml:space says on a group around it.
  if (/<text[^>]*>\s/.test(picture)) expect(picture).toContain("text { white-space: pre }");
});

it("every page and picture of docs/ is reached from the README", () => {
  const reached = new Set<string>(["README.md"]);
  for (const file of reached)
    for (const { path } of linksOf(file)) if ([...PAGES, ...PICTURES].includes(path)) reached.add(path);
  expect(DOCS.length).toBeGreaterThan(10);
  expect(DOCS.filter((file) => !reached.has(file))).toEqual([]);
});

it("ARCHITECTURE.md names only files of provider/src that exist", () => {
  const sources = FILES.filter((file) => file.startsWith("provider/src/"));
  const named = page("ARCHITECTURE.md").match(/(?<=`)[\w/-]+\.ts(?=`)/g) ?? [];
  expect(named.length).toBeGreaterThan(20);
  expect(named.filter((file) => !sources.some((source) => source.endsWith(`/${file}`)))).toEqual([]);
});
