import { styleText } from "node:util";

import { CONTROL_CHARACTERS } from "../api/redact.js";

const COLORS = { ok: "green", warning: "yellow", failed: "red" } as const;

/** The result of one check by the doctor. */
export interface Check {
  /** The outcome. Only `failed` makes the doctor fail. */
  readonly status: keyof typeof COLORS;
  /** The subject of the check, such as `service`. */
  readonly name: string;
  /** The finding, in sentences. Never contains a secret. */
  readonly detail: string;
  /** The lines below it: what to do, commands to run, and table rows. */
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

/** Renders a check, in color if stdout supports it. */
export function renderCheck({ status, name, detail, lines }: Check): string {
  const below = lines.map((line) => `${" ".repeat(9)}${printable(line)}\n`);
  return `${styleText(COLORS[status], status.padEnd(9))}${name.padEnd(12)}${printable(detail)}\n${below.join("")}`;
}

/** Makes untrusted text, such as a resource name from the state, safe to print within a line. */
export function printable(text: string): string {
  return text.replace(CONTROL_CHARACTERS, "?");
}
