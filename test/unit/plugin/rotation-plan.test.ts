import { describe, expect, it } from "vitest";

import { keyProblems } from "../../../provider/src/plugin/key-inputs.js";
import { outputsOf, NO_KEY, type KeyState } from "../../../provider/src/plugin/key-state.js";
import { stamps } from "../../../provider/src/plugin/key-stamps.js";
import { dayOf } from "../../../provider/src/plugin/rotation-days.js";
import { planFor, type RotationStep } from "../../../provider/src/plugin/rotation-plan.js";
import { UNKNOWN } from "../../../provider/src/plugin/wire.js";

const NOW = Date.parse("2026-06-15T12:00:00.000Z");
const KEY = "pk_live_0123456789abcdef";

function state(changes: Partial<KeyState> = {}, memory: Partial<KeyState["memory"]> = {}): KeyState {
  const createdAt = "2026-06-01T23:00:00.000Z";
  return { ...NO_KEY, apiKey: KEY, createdAt, ...changes, memory: { ...NO_KEY.memory, ...memory } };
}

const inOverlap = {
  rotatedAt: "2026-06-10T00:00:00.000Z",
  previousApiKey: "pk_live_previous_key",
  previousExpiresAt: "2026-06-17T00:00:00.000Z",
};

describe("the next step for a key", () => {
  it.each<[string, KeyState, Record<string, unknown>, RotationStep]>([
    ["that nobody wants rotated", state(), {}, "none"],
    ["whose creation is unread", state({ apiKey: null, response: "{}" }), { existingApiKey: "x" }, "find"],
    [
      "whose rotation is unread, due or not",
      state({}, { unread: { response: "{}", createdAt: "2026-06-14T00:00:00.000Z" } }),
      { rotation: { trigger: "b", afterDays: 1, overlapDays: 0 } },
      "find",
    ],
    ["without a trigger that gets one", state(), { rotation: { trigger: "a" } }, "replace"],
    [
      "whose trigger changes, with overlap",
      state({}, { trigger: "a" }),
      { rotation: { trigger: "b", overlapDays: 1 } },
      "rotate",
    ],
    ["whose trigger stays", state({}, { trigger: "a" }), { rotation: { trigger: "a" } }, "none"],
    ["whose trigger is removed", state({}, { trigger: "a" }), { rotation: { overlapDays: 1 } }, "none"],
    [
      "whose trigger is not known yet",
      state({}, { trigger: "a" }),
      { rotation: { trigger: UNKNOWN } },
      "replace",
    ],
    [
      "of 14 days by the calendar, 13 and a half by the clock",
      state(),
      { rotation: { afterDays: 14, overlapDays: 0 } },
      "replace",
    ],
    ["a day too young", state(), { rotation: { afterDays: 15, overlapDays: 0 } }, "none"],
    ["old enough, with overlap", state(), { rotation: { afterDays: 14, overlapDays: 2 } }, "rotate"],
    [
      "whose age counts from its rotation",
      state(inOverlap),
      { rotation: { afterDays: 6, overlapDays: 6 } },
      "none",
    ],
    [
      "of unknown age",
      state({ createdAt: null }),
      { rotation: { afterDays: 14, overlapDays: 0 } },
      "replace",
    ],
    ["named as existing and due", state(), { existingApiKey: KEY, rotation: { trigger: "a" } }, "rotate"],
    ["named as existing", state(), { existingApiKey: KEY }, "none"],
    ["that another is to follow", state(), { existingApiKey: "pk_live_another_key" }, "adopt"],
    [
      "rotated since it was adopted",
      state({}, { adopted: "pk_live_first" }),
      { existingApiKey: "pk_live_first" },
      "none",
    ],
    ["in the time of overlap", state(inOverlap), { rotation: { overlapDays: 7 } }, "none"],
    ["in the time of overlap, rotation removed", state(inOverlap), {}, "none"],
    [
      "after the overlap",
      state({ ...inOverlap, previousExpiresAt: "2026-06-15T12:00:00.000Z" }),
      {},
      "expire",
    ],
    ["whose overlap is cut to 0", state(inOverlap), { rotation: { overlapDays: 0 } }, "expire"],
    ["whose overlap is cut, not to now", state(inOverlap), { rotation: { overlapDays: 6 } }, "none"],
    [
      "whose overlap is raised later",
      state({ ...inOverlap, previousExpiresAt: "2026-06-15T00:00:00.000Z" }),
      { rotation: { overlapDays: 99 } },
      "expire",
    ],
  ])("%s", (_what, olds, news, step) => {
    expect(planFor(outputsOf(olds, {}), news, NOW).step).toBe(step);
  });

  it("tells since when a rotation is due, and what becomes of the old key, without the key", () => {
    const { notice } = planFor(outputsOf(state(), {}), { rotation: { afterDays: 10, overlapDays: 2 } }, NOW);
    expect(notice).toMatch(
      /^key sha256:[0-9a-f]{16} has been due for rotation since 2026-06-11 \(in use since 2026-06-01, afterDays: 10\); once there is a new key, it stays valid as previousApiKey until 2026-06-17T12:00Z, /,
    );
    expect(notice).not.toContain(KEY);
  });

  it("reads the outputs of versions that knew nothing of rotation", () => {
    expect(planFor({ apiKey: KEY, createdAt: "2026-06-14T00:00:00Z" }, {}, NOW)).toEqual({
      step: "none",
      notice: null,
    });
  });
});

describe("inputs that make no sense", () => {
  it.each<[string, Record<string, unknown>, RegExp]>([
    ["afterDays alone", { rotation: { afterDays: 90 } }, /needs overlapDays beside it, because/],
    [
      "an overlap longer than the age",
      { rotation: { afterDays: 2, overlapDays: 3 } },
      /must not exceed afterDays/,
    ],
    [
      "no days",
      { rotation: { afterDays: 0, overlapDays: 0 } },
      /afterDays must be a whole number of days, 1/,
    ],
    ["half days", { rotation: { overlapDays: 0.5 } }, /overlapDays must be a whole number of days, 0/],
    ["days before now", { rotation: { overlapDays: -1 } }, /overlapDays/],
    ["days as a text", { rotation: { overlapDays: "7" } }, /overlapDays/],
    ["a trigger that is a number", { rotation: { trigger: 7 } }, /trigger must be a string/],
    ["rotation as a word", { rotation: "monthly" }, /rotation must be an object/],
    ["an empty key", { existingApiKey: "" }, /existingApiKey must be the whole key/],
    ["a masked key", { existingApiKey: "pk_live_****abcd" }, /not a masked form/],
    ["a key with a line break", { existingApiKey: "pk_live_abcd\n" }, /visible ASCII/],
  ])("%s", (_what, news, problem) => {
    const problems = keyProblems(news);
    expect(problems.join("\n")).toMatch(problem);
    for (const value of Object.values(news)) {
      if (typeof value === "string" && value !== "") expect(problems.join("\n")).not.toContain(value);
    }
  });

  it.each([
    [{}],
    [{ rotation: UNKNOWN, existingApiKey: UNKNOWN }],
    [{ rotation: { trigger: UNKNOWN, afterDays: UNKNOWN, overlapDays: UNKNOWN } }],
    [{ rotation: { afterDays: 1, overlapDays: 1 } }],
    [{ rotation: { overlapDays: 0, trigger: "" } }],
  ])("are not %j", (news) => {
    expect(keyProblems(news)).toEqual([]);
  });
});

describe("what check stamps", () => {
  const rotation = { afterDays: 10, overlapDays: 1 };
  const today = dayOf(NOW);

  it.each<[string, Record<string, unknown>, Record<string, unknown>, object]>([
    ["a new key", {}, { rotation }, { keySince: "2026-06-15", rotationDue: "2026-06-25" }],
    ["a new key without an age limit", {}, {}, { keySince: "2026-06-15" }],
    [
      "a young key",
      { account: "default", keySince: "2026-06-06" },
      { rotation },
      { keySince: "2026-06-06", rotationDue: "2026-06-16" },
    ],
    [
      "a key that is due",
      { account: "default", keySince: "2026-06-05" },
      { rotation },
      { keySince: "2026-06-15", rotationDue: "2026-06-25" },
    ],
    [
      "a trigger that changed",
      { account: "default", keySince: "2026-06-06", rotation: { trigger: "a" } },
      { rotation: { trigger: "b" } },
      { keySince: "2026-06-15" },
    ],
    ["nothing for a key of an older version", { account: "default" }, { rotation }, {}],
  ])("%s", (_what, olds, news, wanted) => {
    expect(stamps(olds, news, today)).toEqual(wanted);
  });
});
