import { inspect } from "node:util";

/** How a word may stand out. */
export type Style = "green" | "yellow" | "red" | "bold" | "dim";

/** What is known of the stream that a text goes to. */
export type Output = Pick<NodeJS.WriteStream, "isTTY" | "hasColors">;

/** What a terminal would obey, what begins a line (as commands to a CI system do), and what changes the order of letters. */
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/** Makes a text of any origin, such as a name in a state, one line that is only read. */
export function printable(text: string): string {
  return text.replace(CONTROL, "?");
}

/** A value as indented JSON that is only read: `JSON.stringify` escapes no more than the first 32 characters. */
export function printableJson(value: unknown): string {
  return JSON.stringify(value, null, 2).replace(CONTROL, (character) =>
    character === "\n" ? character : `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** Makes a text stand out, on a terminal that has colours and unless `NO_COLOR` is set; anywhere else it stays as it is. */
export function paint(style: Style, text: string, output: Output = process.stdout): string {
  // Node's `hasColors` obeys NO_COLOR, FORCE_COLOR and TERM.
  if (!output.isTTY || !output.hasColors()) return text;
  const [open, close] = inspect.colors[style] ?? [0, 0];
  return `\u001b[${open}m${text}\u001b[${close}m`;
}

/**
 * Sets rows out in columns, two spaces apart. Without rules or a frame, so that `awk` and `cut` can take it apart.
 *
 * @param rows Texts, the first row being the heading; control characters in them are replaced.
 * @param indent What every line begins with.
 */
export function table(rows: readonly (readonly string[])[], indent = ""): string {
  const printed = rows.map((row) => row.map(printable));
  const widths: number[] = [];
  for (const row of printed) {
    for (const [column, cell] of row.entries()) widths[column] = Math.max(widths[column] ?? 0, cell.length);
  }
  const lines = printed.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("  "));
  return lines.map((line) => `${indent}${line.trimEnd()}\n`).join("");
}
