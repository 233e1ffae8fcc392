import { describe, expect, it } from "vitest";

import type { Misfit } from "../../../provider/src/responses/key-form.js";
import { K, TOKEN, readKey } from "./support.ts";

const read = (body: unknown, apiKey?: string) => readKey(JSON.stringify(body), { apiKey });

/** Whether recognition alone is against the value, so that a pointer to it helps. */
const ROWS: readonly [value: unknown, misfit: Misfit, isPossible: boolean][] = [
  [7, "number", false],
  ["sent by mail 24", "characters", false],
  ["pk_live_ü42424242", "characters", false],
  ["k".repeat(4097), "long", false],
  ["pk_live_************p7dc", "masked", false],
  ["pk_live_4eC3...p7dc", "masked", false],
  ["pk_live_••••p7dc", "masked", false],
  [TOKEN, "accessToken", false],
  [`Bearer ${TOKEN}`, "accessToken", false],
  ["abc1234", "short", true],
  ["https://a.example/1a2b3c4d", "address", true],
  ["/api-key/1a2b3c4d", "address", true],
  ["partner-main-2024", "label", true],
];

describe("a refusal says why a value is not the key", () => {
  it.each(ROWS)("%j is %s", (value, kind, isPossible) => {
    const candidates = isPossible ? ["/data/apiKey"] : [];
    const named = { kind: "refused", reason: "none", candidates, misfit: { pointer: "/data/apiKey", kind } };
    expect(read({ data: { apiKey: value, n: 1 } })).toEqual(named);
    const atPointer = { kind: "refused", reason: "pointer", misfit: { pointer: null, kind } };
    const expected = isPossible ? { kind: "found", apiKey: value } : atPointer;
    expect(read({ ref: value }, "/ref")).toMatchObject(expected);
  });

  it.each<[value: unknown, kind: Misfit]>([
    [null, "notText"],
    [true, "notText"],
    [{ key: K }, "notText"],
    ["", "empty"],
  ])("%j at the pointer", (value, kind) => {
    const misfit = { pointer: null, kind };
    expect(read({ ref: value, grant: K }, "/ref")).toMatchObject({ reason: "pointer", misfit });
    expect(read({ apiKey: value })).not.toHaveProperty("misfit");
  });

  it("unless nothing is at the pointer, or several values are named like the key", () => {
    expect(read({ key: K }, "/ref")).toEqual({ kind: "refused", reason: "pointer", candidates: ["/key"] });
    const several = { kind: "refused", reason: "none", candidates: [] };
    expect(read({ key: 7, token: "abc" })).toEqual(several);
  });

  it("and never shows a name that may be data", () => {
    expect(read({ "jane@example.com": { apiKey: 7 } })).toMatchObject({ misfit: { pointer: "/*/apiKey" } });
  });
});
