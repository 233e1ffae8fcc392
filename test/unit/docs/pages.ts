import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { ROOT } from "../../../provider/tools/checkout.ts";

/** The files that Git holds or would add. Folders of dependencies and builds are not among them. */
export const FILES = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard"], {
  cwd: ROOT,
  encoding: "utf8",
})
  .split("\n")
  .filter((file) => file !== "" && existsSync(join(ROOT, file)));

/** The pages that people read. The notes are parts of other pages, and the Registry renders its own page. */
export const PAGES = FILES.filter((file) => /\.md$/.test(file) && !/(resource-notes|_index)\.md$/.test(file));

/** Reads a file of the repository. */
export function page(path: string): string {
  return readFileSync(join(ROOT, path), "utf8");
}

/** Returns the section under a heading, without the sections below it. */
export function sectionOf(markdown: string, heading: string): string {
  return (markdown.split(`\n${heading}\n`)[1] ?? "").split(/^#/m)[0] ?? "";
}

/** Returns the rows of the first table with this column: cells by column name, without backticks. */
export function tableWith(markdown: string, column: string): Partial<Record<string, string>>[] {
  const tables = (markdown.match(/(^\|.*\|\n)+/gm) ?? []).map((table) =>
    table
      .trim()
      .split("\n")
      .map((line) => line.slice(1, -1).split(/(?<!\\)\|/))
      .map((cells) => cells.map((cell) => cell.replaceAll("`", "").trim())),
  );
  const [header = [], , ...rows] = tables.find(([first]) => first?.includes(column)) ?? [];
  return rows.map((row) => Object.fromEntries(header.map((name, index) => [name, row[index] ?? ""])));
}
