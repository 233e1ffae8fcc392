import { readFileSync } from "node:fs";
import { join } from "node:path";

import { ROOT } from "../../../provider/tools/checkout.ts";

/** Reads a file of the repository. */
export function page(path: string): string {
  return readFileSync(join(ROOT, path), "utf8");
}

/** Returns the rows of the first table with this column: cells by column name, without backticks. */
export function tableWith(markdown: string, column: string): Partial<Record<string, string>>[] {
  const tables = markdown.match(/(^\|.*\|\n)+/gm) ?? [];
  const [header = [], , ...rows] =
    tables.map((table) => table.trim().split("\n").map(cells)).find(([first]) => first?.includes(column)) ??
    [];
  return rows.map((row) => Object.fromEntries(header.map((name, index) => [name, row[index] ?? ""])));
}

function cells(line: string): string[] {
  return line
    .slice(1, -1)
    .split(/(?<!\\)\|/)
    .map((cell) => cell.replaceAll("`", "").trim());
}
