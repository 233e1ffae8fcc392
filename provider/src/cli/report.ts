import { styleText } from "node:util";

const COLORS = { ok: "green", warning: "yellow", failed: "red" } as const;

/** What the doctor reports of one thing. */
export interface Check {
  /** How it ended. Only `failed` makes the doctor fail. */
  readonly status: keyof typeof COLORS;
  /** What was checked, such as `service`. */
  readonly name: string;
  /** What was found, as a sentence. Never holds a secret. */
  readonly detail: string;
  /** What to do about it, and what helps to decide: sentences, commands and the rows of tables. */
  readonly lines: readonly string[];
}

/** Creates a {@link Check}. */
export function check(
  status: Check["status"],
  name: string,
  detail: string,
  ...lines: readonly string[]
): Check {
  return { status, name, detail, lines };
}

/** Renders a check, in colour where stdout shows colours. */
export function renderCheck({ status, name, detail, lines }: Check): string {
  const below = lines.map((line) => `${" ".repeat(9)}${printable(line)}\n`);
  return `${styleText(COLORS[status], status.padEnd(9))}${name.padEnd(12)}${printable(detail)}\n${below.join("")}`;
}

/** Characters that a terminal obeys, that begin a line (as commands to a CI system do), or that reorder text. */
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/** Makes any text, such as a resource name from the state, safe to print as part of one line. */
export function printable(text: string): string {
  return text.replace(CONTROL, "?");
}
