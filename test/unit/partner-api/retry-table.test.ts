/** What follows each attempt, as docs/configuration.md says it. */
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";

import type { Attempt, CutOff } from "../../../provider/src/partner-api/attempt.ts";
import { nextAfter, type Arrival, type Next } from "../../../provider/src/partner-api/retry-table.ts";

type Circumstances = Omit<Partial<Arrival>, "attempt">;

function returned(status: number, cutOff: CutOff | null = null): Attempt {
  return { kind: "response", status, headers: {}, body: Buffer.alloc(0), text: "", cutOff };
}

function lost(code: string, sent: boolean): Attempt {
  return { kind: "noResponse", sent, reason: "connection", code };
}

const [later, overlapped, isAlreadySo] = [{ retryAfter: 1_000 }, { overlapped: true }, { isAlreadySo: true }];
type Expected = [read: Next, change: Next, create: Next];
const NEVER: Expected = ["end", "end", "end"];
const ALWAYS: Expected = ["again", "again", "again"];

type Row = [what: string, attempt: Attempt, circumstances: Circumstances, ...Expected];
const refusals = (...statuses: number[]) =>
  statuses.map((status) => [`${status}`, returned(status)] as const);

it.each<Row>([
  ["a certificate", lost("CERT_HAS_EXPIRED", false), {}, ...NEVER],
  ["a proxy that refuses", lost("PROXY_403", false), {}, ...NEVER],
  ["a proxy that is busy", lost("PROXY_429", false), {}, ...ALWAYS],
  ["a proxy that timed out", lost("PROXY_408", false), {}, ...ALWAYS],
  ["no connection", lost("ECONNREFUSED", false), {}, ...ALWAYS],
  ["a lost response", lost("ECONNRESET", true), {}, "again", "again", "end"],
  ["what is not HTTP", lost("HPE_INVALID_HEADER_TOKEN", true), {}, ...NEVER],
  ["two lengths", lost("UND_ERR_RES_CONTENT_LENGTH_MISMATCH", true), {}, ...NEVER],
  ["200", returned(200), {}, ...NEVER],
  ["200, cut off", returned(200, "connection"), {}, "again", "end", "end"],
  ["200, timed out", returned(200, "timeout"), {}, "again", "end", "end"],
  ["200, too long", returned(200, "limit"), {}, ...NEVER],
  ["200 with a body that is not HTTP", returned(200, "malformed"), {}, ...NEVER],
  ["302", returned(302), later, ...NEVER],
  ...refusals(400, 401, 404, 410, 422, 451).map(([what, attempt]): Row => [
    what,
    attempt,
    { ...later, ...overlapped },
    ...NEVER,
  ]),
  ...refusals(403, 409, 423, 425).map(([what, attempt]): Row => [
    `${what} with Retry-After`,
    attempt,
    later,
    ...ALWAYS,
  ]),
  ["403", returned(403), overlapped, ...NEVER],
  ["409", returned(409), {}, ...NEVER],
  ["409 next to others", returned(409), overlapped, "end", "alone", "alone"],
  ["409 next to others that says it is so", returned(409), { ...overlapped, ...isAlreadySo }, ...NEVER],
  ["423", returned(423), {}, "end", "again", "end"],
  ["425", returned(425), {}, ...NEVER],
  ["429", returned(429), later, "together", "together", "together"],
  ...refusals(408, 502, 503, 504).map(([what, attempt]): Row => [
    what,
    attempt,
    later,
    "again",
    "again",
    "end",
  ]),
  ["500", returned(500), later, "again", "end", "end"],
  ["501", returned(501), later, ...NEVER],
])("after %s", (_what, attempt, circumstances, read, change, create) => {
  const arrival = { attempt, retryAfter: null, overlapped: false, isAlreadySo: false, ...circumstances };
  const next = (["read", "change", "create"] as const).map((kind) => nextAfter(kind, arrival));
  expect(next).toEqual([read, change, create]);
});

it("the table in docs/configuration.md says the same of each status", () => {
  const words = {
    again: "again",
    fails: "end",
    "all wait": "together",
    "once more, alone": "alone",
  } as const;
  const page = readFileSync(new URL("../../../docs/configuration.md", import.meta.url), "utf8");
  const rows = page.split("\n").map((line) => line.split("|").map((cell) => cell.trim()));
  const documented = rows.flatMap(([, what = "", ...cells]) =>
    (what.match(/\b[45]\d\d\b/g) ?? []).map((status) => ({ status: Number(status), what, cells })),
  );
  expect(documented).toHaveLength(13);
  for (const { status, what, cells } of documented) {
    const retryAfter = what.includes("Retry-After") ? 1_000 : null;
    const arrival = { retryAfter, overlapped: what.includes("while"), isAlreadySo: false };
    const next = (["read", "change", "create"] as const).map((kind) =>
      nextAfter(kind, { attempt: returned(status), ...arrival }),
    );
    const said = cells.slice(0, 3).map((cell) => words[cell as keyof typeof words]);
    expect([status, ...next]).toEqual([status, ...said]);
  }
});
