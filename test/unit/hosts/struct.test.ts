import fc from "fast-check";
import { expect, it } from "vitest";

import { SIGNATURE } from "../../../provider/src/handlers/contract.js";
import { toStruct } from "../../../provider/src/hosts/struct.js";
import { runSeed } from "../../support/random.ts";

const plain = (properties: Record<string, unknown>, secrets: string[] = []): unknown =>
  toStruct(properties, secrets).toJavaScript();

it("any properties arrive as they were, and nothing is undefined", () => {
  const value = fc.jsonValue({ stringUnit: "grapheme" });
  fc.assert(
    fc.property(fc.dictionary(fc.string({ unit: "grapheme" }), value), (properties) => {
      const expected = JSON.parse(JSON.stringify(properties)) as unknown; // Without -0.
      expect(plain(properties)).toEqual(expected);
    }),
    { seed: runSeed() },
  );
  expect(plain({ a: undefined, b: [undefined, NaN] })).toEqual({ a: null, b: [null, null] });
});

it.each([63, 64, 65, 127, 128, 1023, 1024, 16_384, 1_100_000])(
  "a string of %i characters arrives",
  (length) => {
    const properties = {
      ascii: "a".repeat(length),
      wide: "é€😀".repeat(length / 3),
      list: [1, "b".repeat(length)],
    };
    expect(plain(properties)).toEqual(properties);
  },
);

it("a secret is marked, without levels that would overflow the stack of a decoder", () => {
  const nested = (levels: number): string => "[".repeat(levels) + "null" + "]".repeat(levels);
  const deep = JSON.parse(nested(5000)) as unknown;
  const marked = {
    [SIGNATURE]: "1b47061264138c4ac30d75fd1eb44270",
    value: JSON.parse(nested(100)) as unknown,
  };
  expect(JSON.stringify(plain({ response: deep }, ["response"]))).toBe(JSON.stringify({ response: marked }));
  expect(plain({ response: "\ud800" }, ["response"])).toMatchObject({ response: { value: "\ufffd" } });
});
