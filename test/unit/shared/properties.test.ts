import { expect, it } from "vitest";

import { SIGNATURE, UNKNOWN, withoutSpecialValues } from "../../../provider/src/shared/properties.js";

it("a service's value loses what the engine or the SDK would take for a file, a secret, an output or an unknown", () => {
  const special = {
    [SIGNATURE]: "c44067f5952c0a294b673a41bacd8c17",
    __pulumiResource: true,
    path: "/etc/passwd",
  };
  expect(withoutSpecialValues([special, UNKNOWN])).toEqual([{ path: "/etc/passwd" }, null]);
});

it("a service's value keeps what the engine can decode: no half of a character, and at most 100 levels", () => {
  expect(withoutSpecialValues({ "a\ud800": ["\udfff", "😀"] })).toEqual({ "a\ufffd": ["\ufffd", "😀"] });
  const nested = (levels: number): unknown => JSON.parse(`${"[".repeat(levels)}${"]".repeat(levels)}`);
  expect(withoutSpecialValues(nested(100))).toEqual(nested(100));
  expect(JSON.stringify(withoutSpecialValues(nested(100_000)))).toBe(
    `${"[".repeat(100)}null${"]".repeat(100)}`,
  );
});

it("a service's value keeps 250,000 values, which is what a message to the engine has memory for", () => {
  const count = (value: unknown): number =>
    JSON.stringify(withoutSpecialValues(value)).match(/1/g)?.length ?? 0;
  const numbers = Array<number>(240_000).fill(1);
  expect(count({ events: numbers })).toBe(240_000);
  expect(count({ events: numbers, more: { numbers } })).toBe(249_996);
});
