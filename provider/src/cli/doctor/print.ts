import type { Explanation } from "../../api/responses.js";
import { paint, printable, table, type Style } from "../output.js";
import type { Check, Report, Status, WebhookReport } from "./report.js";

const STYLES: Readonly<Record<Status, Style>> = {
  ok: "green",
  warning: "yellow",
  failed: "red",
  skipped: "dim",
};
/** Columns of the status and of the name of a check. */
const STATUS_WIDTH = 9;
const NAME_WIDTH = 12;

/** One check, for people: a line, and one for each thing to do. */
export function printCheck({ check, status, detail, remedy }: Check): string {
  const head = paint(STYLES[status], status.padEnd(STATUS_WIDTH)) + check.padEnd(NAME_WIDTH);
  const indent = " ".repeat(STATUS_WIDTH + NAME_WIDTH);
  const lines = [head + printable(detail), ...remedy.map((line) => `${indent}> ${printable(line)}`)];
  return lines.map((line) => `${line}\n`).join("");
}

/** What comes behind the checks. */
export function printRest({ settings, shape, webhooks, key }: Report): string {
  const origins = settings.map(({ name, from, variable }) => [
    name,
    from === "environment" ? `${from} (${variable})` : from,
  ]);
  return [
    section("Settings", table([["NAME", "FROM"], ...origins], "  ")),
    structure(shape),
    structure(key?.explanation ?? null),
    webhooks === null || webhooks.length === 0 ? "" : section("Webhooks", webhookTable(webhooks)),
  ].join("");
}

function webhookTable(webhooks: readonly WebhookReport[]): string {
  const inStack = webhooks.some(({ declaredBy }) => declaredBy !== null);
  const rows = webhooks.map(({ webhookId, exists, state, declaredBy }) => [
    String(webhookId),
    exists ? (state ?? "unknown") : "missing",
    ...(inStack ? [declaredBy?.join(", ") || "-"] : []),
  ]);
  return table([["ID", "STATE", ...(inStack ? ["DECLARED BY"] : [])], ...rows], "  ");
}

/** What a person needs to find a pointer; nothing where none is needed. */
function structure(explanation: Explanation | null): string {
  if (!explanation?.missing) return "";
  const what = WHAT[explanation.missing.setting];
  return section(`Structure of ${what}`, explanation.structure.map((line) => `  ${line}\n`).join(""));
}

const WHAT = {
  apiKey: "the response with the key",
  apiKeyId: "the response with the key",
  webhooks: "the list's response",
  webhookId: "the first record of the list",
  webhookState: "a record whose state is unknown",
  active: "a record whose state is unknown",
} as const;

function section(title: string, text: string): string {
  return `\n${paint("bold", title)}\n${text}`;
}
