import { describe, expect, it } from "vitest";

import { NO_KEY, type KeyState, type UnfinishedCreation } from "../../../provider/src/keys/key-state.ts";
import {
  dueReason,
  overlapEnd,
  stepOf,
  type Rotation,
  type Step,
} from "../../../provider/src/keys/rotation.ts";

const NOW = Date.parse("2026-03-31T02:00:00Z");
const AT = "2026-03-01T12:00:00.000Z";
const key = { apiKey: "pk_live_4eC39HqLyjWDarjtT1", createdAt: AT, response: null };
const response = { body: "{}", encoding: "utf8", isCutOff: false } as const;

const HAS_KEY: Partial<KeyState> = { current: key, trigger: "a" };
const OVERLAPS = { ...HAS_KEY, previous: key, previousExpiresAt: "2026-04-01T00:00:00.000Z" };
const IS_OVER = { ...HAS_KEY, previous: key, previousExpiresAt: "2026-03-31T02:00:00.000Z" };
const unfinished = (facts: Partial<UnfinishedCreation>) => ({
  unfinished: { at: AT, trigger: "b", response: null, ...facts },
});
const LOST = unfinished({});
const UNREAD = unfinished({ response });
const NONE: Partial<Rotation> = {};

describe("the next step", () => {
  it.each<[what: string, state: Partial<KeyState>, rotation: Partial<Rotation>, step: Step]>([
    ["there is no key", {}, NONE, "create"],
    ["there is a key", HAS_KEY, NONE, "none"],
    ["the trigger is the one that was used", HAS_KEY, { trigger: "a", overlapDays: 7 }, "none"],
    ["the trigger is new", HAS_KEY, { trigger: "b", overlapDays: 7 }, "rotate"],
    ["the trigger is new, without overlap", HAS_KEY, { trigger: "b", overlapDays: 0 }, "replace"],
    ["the first trigger is set", { current: key }, { trigger: "a", overlapDays: 1 }, "rotate"],
    ["the trigger is removed", HAS_KEY, { afterDays: 90, overlapDays: 7 }, "none"],
    ["the key is one UTC day too young", HAS_KEY, { afterDays: 31, overlapDays: 7 }, "none"],
    ["the key has its age, counted in UTC days", HAS_KEY, { afterDays: 30, overlapDays: 7 }, "rotate"],
    ["the key has its age, without overlap", HAS_KEY, { afterDays: 30, overlapDays: 0 }, "replace"],
    [
      "the key is imported",
      { current: { ...key, createdAt: null } },
      { afterDays: 30, overlapDays: 7 },
      "rotate",
    ],
    ["the overlap is not over", OVERLAPS, { overlapDays: 7 }, "none"],
    ["the overlap is over", IS_OVER, { overlapDays: 7 }, "expire"],
    ["the overlap is over, and rotation is removed", IS_OVER, NONE, "expire"],
    ["the overlap is not over, and rotation is removed", OVERLAPS, NONE, "none"],
    ["overlapDays is now 0", OVERLAPS, { overlapDays: 0 }, "expire"],
    [
      "the end of the overlap is unknown",
      { ...OVERLAPS, previousExpiresAt: null },
      { overlapDays: 7 },
      "expire",
    ],
    ["the key has its age during the overlap", OVERLAPS, { afterDays: 30, overlapDays: 7 }, "none"],
    ["the trigger is new during the overlap", OVERLAPS, { trigger: "b", overlapDays: 7 }, "rotate"],
    ["the key has its age after the overlap", IS_OVER, { afterDays: 30, overlapDays: 7 }, "rotate"],

    ["the first creation is lost", LOST, NONE, "blocked"],
    ["it is lost, and the trigger is the same", LOST, { trigger: "b", overlapDays: 7 }, "blocked"],
    ["it is lost, and the trigger is new", LOST, { trigger: "c", overlapDays: 7 }, "create"],
    [
      "it is lost without a trigger",
      unfinished({ trigger: null }),
      { trigger: "a", overlapDays: 0 },
      "create",
    ],
    ["a rotation is lost", { ...HAS_KEY, ...LOST }, { trigger: "b", overlapDays: 7 }, "blocked"],
    ["it is lost, and rotation is removed", { ...HAS_KEY, ...LOST }, NONE, "none"],
    [
      "it is lost, and the trigger is set back",
      { ...HAS_KEY, ...LOST },
      { trigger: "a", overlapDays: 7 },
      "none",
    ],
    [
      "a rotation is lost, and the trigger is new",
      { ...HAS_KEY, ...LOST },
      { trigger: "c", overlapDays: 7 },
      "rotate",
    ],
    [
      "it is lost, and the new trigger has no overlap",
      { ...HAS_KEY, ...LOST },
      { trigger: "c", overlapDays: 0 },
      "replace",
    ],
    ["the first creation is unread", UNREAD, NONE, "read"],
    ["a rotation is unread", { ...HAS_KEY, ...UNREAD }, { trigger: "b", overlapDays: 7 }, "read"],
    ["it is unread, and rotation is removed", { ...HAS_KEY, ...UNREAD }, NONE, "read"],
    [
      "it is unread, and the trigger is new",
      { ...HAS_KEY, ...UNREAD },
      { trigger: "c", overlapDays: 7 },
      "rotate",
    ],
  ])("if %s", (_what, state, rotation, step) => {
    const full = { trigger: null, afterDays: null, overlapDays: null, ...rotation };
    expect(stepOf({ ...NO_KEY, ...state }, full, NOW)).toBe(step);
  });
});

it("a trigger is the reason before an age, and the overlap ends after whole days", () => {
  const rotation = { trigger: "b", afterDays: 30, overlapDays: 7 };
  const state = { ...NO_KEY, ...HAS_KEY };
  expect(dueReason(state, rotation, NOW)).toBe("trigger");
  expect(dueReason(state, { ...rotation, trigger: "a" }, NOW)).toBe("age");
  expect(overlapEnd(rotation, NOW)).toBe("2026-04-07T02:00:00.000Z");
});
