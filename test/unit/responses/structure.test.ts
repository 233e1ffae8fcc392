import { expect, it } from "vitest";

import { describeStructure } from "../../../provider/src/api/responses/structure.js";

/** An object with so many members on so many levels. */
function wide(width: number, depth: number): unknown {
  if (depth === 0) return 1;
  const member = wide(width, depth - 1); // One object in many places: as many lines, and little memory.
  return Object.fromEntries(
    Array.from({ length: width }, (_, index) => [
      `m${"abcdefghij"[index % 10] ?? ""}${"x".repeat(index / 10)}`,
      member,
    ]),
  );
}

it("a document of millions of members is described in 200 lines, at once", () => {
  const lines = describeStructure(wide(40, 6)); // 40 ** 6 are 4,096,000,000.
  expect(lines).toHaveLength(201);
  expect(lines.slice(0, 2)).toEqual(["object", "  ma: object"]);
  expect(lines.at(-1)).toBe("and more");
});

it.each([
  ["a value", null, ["null"]],
  ["members", { a: "x", b: [] }, ["object", "  a: string", "  b: array of 0"]],
  ["an array", [{ id: 7 }, 8], ["array of 2", "  (first): object", "    id: number"]],
])("%s is described whole", (_what, value, lines) => {
  expect(describeStructure(value)).toEqual(lines);
});

it("of an object, 40 members are named", () => {
  const lines = describeStructure(wide(43, 1));
  expect(lines).toHaveLength(42);
  expect(lines.at(-1)).toBe("  and 3 more");
});
