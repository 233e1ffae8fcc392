import { describe, expect, it } from "vitest";

import { RequestError, type ErrorCode } from "../../../provider/src/api/errors.js";
import type { Attempt } from "../../../provider/src/api/http.js";
import { OPERATIONS, type Operation } from "../../../provider/src/api/operations.js";
import { RateLimiter } from "../../../provider/src/api/rate-limiter.js";
import { withRetry } from "../../../provider/src/api/retry.js";
import { renderError } from "../../../provider/src/messages/error-messages.js";
import { InstantClock } from "../api/support.ts";
import { page, tableWith } from "./tables.ts";

const PAGE = page("docs/troubleshooting.md");
const ROWS = tableWith(PAGE, "did anything change?").map((row) => ({
  codes: (row["code"] ?? "").split(", "),
  statuses: row["status"] ?? "",
  methods: (row["request"] ?? "").split(", "),
  changed: row["did anything change?"] ?? "",
  again: row["may the job be run again?"] ?? "",
}));

const UNSUCCESSFUL = [
  ...[300, 301, 302, 303, 307, 308, 400, 401, 403, 404, 405, 408, 409, 410, 412, 422, 423, 425, 429, 451],
  ...[500, 501, 502, 503, 504, 520, 599],
];
/** A missing key is not a failed request: the page has a section about it. */
const MISSING = new Set([404, 410]);

/** Whether a cell such as `408, 500–599` names a status. `specific`: without the rest, `other`. */
function names(cell: string, status: number): boolean {
  return cell.split(", ").some((part) => {
    const [least = NaN, most = least] = part.split("–").map(Number);
    return status >= least && status <= most;
  });
}

/** Returns the row about a request that failed: the one that names its status, or else the one for others. */
function rowFor(operation: Operation, status: number) {
  const { method } = OPERATIONS[operation];
  const rows = ROWS.filter(
    ({ statuses, methods }) =>
      (methods.includes(method) || methods.includes("any")) && names(statuses, status),
  );
  const specific = rows.filter(({ statuses }) => !statuses.endsWith("other"));
  expect(specific.length, `${operation} ${status}: ${JSON.stringify(rows)}`).toBeLessThan(2);
  return specific[0] ?? rows[0] ?? expect.fail(`The table has no row for ${operation} and ${status}.`);
}

/** Lets every attempt of an operation end in the same way. @returns Its error, and the facts about it. */
async function ended(operation: Operation, attempt: Attempt) {
  const clock = new InstantClock();
  const limiter = new RateLimiter(clock, 1, null);
  const options = { clock, limiter, operationTimeout: 120_000 };
  const { cause, effect, attempts } = await withRetry(operation, options, () => Promise.resolve(attempt));
  if (cause === null) throw new Error("The operation succeeded.");
  const webhookId = OPERATIONS[operation].method === "PATCH" ? 101 : null;
  const request = { operation, webhookId, server: "https://partners.example.com", mayUseProxy: false };
  const end = { failedAt: "2026-06-15T12:00:00.000Z", requestId: null, serverMessage: null };
  const error = new RequestError({ ...request, ...end, cause, effect, attempts });
  return { error, code: error.code, effect };
}

function expectTrue(
  { codes, changed, again }: (typeof ROWS)[number],
  operation: Operation,
  {
    error,
    code,
    effect,
  }: { readonly error: RequestError; readonly code: ErrorCode; readonly effect: string },
): void {
  expect(codes).toContain(code);
  const mayBeKey = effect === "possible" && OPERATIONS[operation].kind === "create";
  const maybe = mayBeKey ? "maybe: a key" : "maybe";
  expect(changed).toBe(effect === "none" ? "no" : maybe);
  expect(again.includes("first look for the key")).toBe(mayBeKey);
  expectAnswer(renderError(error), mayBeKey, effect);
}

/** A message says once whether the operation may be run again: in its remedy, or in its last words. */
function expectAnswer(text: string, mayBeKey: boolean, effect: string): void {
  const count = (pattern: RegExp): number => text.match(pattern)?.length ?? 0;
  expect(count(/Before you run this again, look at the service/g), text).toBe(mayBeKey ? 1 : 0);
  expect(count(/ Nothing was changed\. \[/g), text).toBe(effect === "none" ? 1 : 0);
  const repeats = count(/Run (?:this|"pulumi up") again|It is safe to run this again\./g);
  if (effect === "possible") expect(repeats, text).toBe(mayBeKey ? 0 : 1);
  else expect(repeats, text).toBeLessThan(2);
  if (/returned (?:405|501)/.test(text)) expect(text).not.toContain("again later");
}

describe("the table of docs/troubleshooting.md and the message say what may have changed", () => {
  const operations = Object.keys(OPERATIONS) as Operation[];

  it.each(operations)("after each status of %s", async (operation) => {
    for (const status of UNSUCCESSFUL) {
      if (operation === "deleteApiKey" && MISSING.has(status)) continue;
      const response = {
        kind: "response",
        status,
        headers: {},
        body: Buffer.from(""),
        cutOff: null,
      } as const;
      const result = await ended(operation, { ...response, complete: true, undecoded: null });
      expectTrue(rowFor(operation, status), operation, result);
    }
  });

  it.each(operations)("after %s without a response", async (operation) => {
    const row = ROWS.find(
      ({ codes, methods }) =>
        codes.includes("PARTNERS_TIMEOUT") && methods.includes(OPERATIONS[operation].method),
    );
    for (const reason of ["timeout", "connection"] as const) {
      const attempt = { kind: "noResponse", reason, code: "ECONNRESET", sent: true } as const;
      expectTrue(row ?? expect.fail("no row"), operation, await ended(operation, attempt));
    }
  });
});

it("docs/troubleshooting.md has a row in its table for each code, and no section for another", () => {
  const codes = page("test/unit/messages/messages.txt").match(/(?<=\[)PARTNERS_\w+(?=\]$)/gm);
  const all = [...new Set(codes), "PARTNERS_BUG"].sort();
  const inTable = ROWS.flatMap(({ codes }) => codes).filter((code) => code.startsWith("PARTNERS_"));
  expect([...new Set(inTable)].sort()).toEqual(all);
  const sections = PAGE.match(/(?<=^## )PARTNERS_\w+$/gm) ?? [];
  expect(all).toEqual(expect.arrayContaining(sections));
});
