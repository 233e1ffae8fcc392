import { describe, expect, it } from "vitest";

import { rotationProblems } from "../../../provider/src/keys/key-inputs.js";
import type { InputProblem } from "../../../provider/src/shared/problems.js";
import { UNKNOWN } from "../../../provider/src/shared/properties.js";

describe("rotation", () => {
  const days = (argument: "afterDays" | "overlapDays", min: number): InputProblem => {
    return { kind: "invalidDays", argument, min, max: 36_500 };
  };
  const known = ["trigger", "afterDays", "overlapDays"];
  it.each<[string, unknown, InputProblem]>([
    ["afterDays alone", { afterDays: 90 }, { kind: "overlapMissing" }],
    ["a trigger alone", { trigger: "a" }, { kind: "overlapMissing" }],
    ["empty", {}, { kind: "overlapMissing" }],
    ["an overlap of null", { trigger: "a", overlapDays: null }, { kind: "overlapMissing" }],
    ["an overlap longer than the age", { afterDays: 2, overlapDays: 3 }, { kind: "overlapTooLong" }],
    ["0 days", { afterDays: 0, overlapDays: 0 }, days("afterDays", 1)],
    ["half a day", { overlapDays: 0.5 }, days("overlapDays", 0)],
    ["days in quotes", { overlapDays: "7" }, days("overlapDays", 0)],
    [
      "a trigger that is a number",
      { trigger: 7, overlapDays: 0 },
      { kind: "invalidArgument", argument: "rotation.trigger" },
    ],
    ["a string", "monthly", { kind: "invalidArgument", argument: "rotation" }],
    [
      "an unknown argument",
      { after_dayz: 1, overlapDays: 0 },
      { kind: "unknownArgument", of: "rotation", name: '"after_dayz"', known },
    ],
  ])("must not be %s", (_what, rotation, problem) => {
    expect(rotationProblems(rotation)).toEqual([problem]);
  });

  it.each([
    undefined,
    UNKNOWN,
    { trigger: UNKNOWN, afterDays: UNKNOWN, overlapDays: UNKNOWN },
    { afterDays: 1, overlapDays: 1, trigger: null },
    { trigger: "a", overlapDays: 0 },
  ])("may be %j", (rotation) => {
    expect(rotationProblems(rotation)).toEqual([]);
  });
});
