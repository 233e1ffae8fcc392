import { styleText } from "node:util";

/** How a check ended. Only `failed` makes the doctor fail. */
export type Status = "ok" | "warning" | "failed";

/** One line of the doctor's report. */
export interface Check {
  /** What was checked, such as `service`. */
  readonly name: string;
  readonly status: Status;
  /** What was found, as a sentence. Never holds a secret. */
  readonly detail: string;
  /** What to do about it: sentences or commands. Empty if there is nothing to do. */
  readonly remedies: readonly string[];
}

/** A check that passed, or does not apply here. */
export function ok(name: string, detail: string): Check {
  return { name, status: "ok", detail, remedies: [] };
}

/** Something that works but may not be what the user wants. */
export function warning(name: string, detail: string, ...remedies: readonly string[]): Check {
  return { name, status: "warning", detail, remedies };
}

/** Something that does not work. */
export function failed(name: string, detail: string, ...remedies: readonly string[]): Check {
  return { name, status: "failed", detail, remedies };
}

const COLORS = { ok: "green", warning: "yellow", failed: "red" } as const;

/** Renders a check as one line, in colour where stdout shows colours. */
export function renderCheck({ name, status, detail }: Check): string {
  return `${styleText(COLORS[status], status.padEnd(9))}${name.padEnd(12)}${printable(detail)}\n`;
}

/** Renders lines under a title. */
export function renderSection(title: string, lines: readonly string[]): string {
  return `\n${styleText("bold", title)}\n${lines.map((line) => `  ${printable(line)}\n`).join("")}`;
}

/** Aligns rows in columns, two spaces apart. */
export function alignColumns(rows: readonly (readonly string[])[]): string[] {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [column, cell] of row.entries()) widths[column] = Math.max(widths[column] ?? 0, cell.length);
  }
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd(),
  );
}

/** Characters that a terminal obeys, that begin a line (as commands to a CI system do), or that reorder text. */
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/** Makes any text, such as a resource name from the state, safe to print as part of one line. */
export function printable(text: string): string {
  return text.replace(CONTROL, "?");
}
