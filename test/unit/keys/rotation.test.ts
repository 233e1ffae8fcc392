import { expect, it } from "vitest";

import { NO_KEY, type KeyState } from "../../../provider/src/keys/key-state.ts";
import {
  dueOf,
  stepOf,
  withOverlapOf,
  type Due,
  type Rotation,
  type Step,
} from "../../../provider/src/keys/rotation.ts";

const NOW = Date.parse("2026-03-31T02:00:00Z");
const AT = "2026-03-01T12:00:00.000Z";
const key = { apiKey: "pk_live_4eC39HqLyjWDarjtT1", createdAt: AT, response: null };

const KEY = { current: key, trigger: "a" };
const IMPORTED = { current: { ...key, createdAt: null } };
const OVERLAPS = { ...KEY, previous: key, previousExpiresAt: "2026-04-01T00:00:00.000Z" };
const IS_OVER = { ...OVERLAPS, previousExpiresAt: "2026-03-31T02:00:00.000Z" };
const LOST = { openCreation: { at: AT, trigger: "b", response: null } };
const LOST_FIRST = { openCreation: { ...LOST.openCreation, trigger: null } };
const response = { body: "{}", encoding: "utf8", isCutOff: false } as const;
const PROPOSABLE = { openCreation: { ...LOST.openCreation, response } };

const NONE = { trigger: null, afterDays: null, overlapDays: null };
const by = (trigger: string | null, overlapDays = 7) => ({ ...NONE, trigger, overlapDays });
const after = (afterDays: number) => ({ ...by(null), afterDays });

it.each<[what: string, state: Partial<KeyState>, rotation: Rotation, step: Step]>([
  ["there is no key", {}, NONE, "create"],
  ["there is a key", KEY, NONE, "none"],
  ["the trigger is the one that was used", KEY, by("a"), "none"],
  ["the trigger is new", KEY, by("b"), "rotate"],
  ["the trigger is new, without overlap", KEY, by("b", 0), "replace"],
  ["the first trigger is set", { current: key }, by("a", 1), "rotate"],
  ["the key is one UTC day too young", KEY, after(31), "none"],
  ["the key has its age, counted in UTC days", KEY, after(30), "rotate"],
  ["the key is imported, so that its age is unknown", IMPORTED, after(30), "rotate"],
  ["the overlap is not over", OVERLAPS, by("a"), "none"],
  ["the overlap is over", IS_OVER, by("a"), "expire"],
  ["the overlap is not over, and rotation is removed", OVERLAPS, NONE, "none"],
  ["the end of the overlap is unknown", { ...OVERLAPS, previousExpiresAt: null }, by("a"), "expire"],
  ["the key has its age during the overlap", OVERLAPS, after(30), "none"],
  ["the key has its age after the overlap", IS_OVER, after(30), "rotate"],

  ["the first creation is lost", LOST, NONE, "blocked"],
  ["it is lost, and the trigger is new", LOST, by("c"), "create"],
  ["it is lost without a trigger", LOST_FIRST, by("a", 0), "create"],
  ["a rotation is lost", { ...KEY, ...LOST }, by("b"), "blocked"],
  ["it is lost, and rotation is removed", { ...KEY, ...LOST }, NONE, "none"],
  ["it is lost, and the trigger is set back", { ...KEY, ...LOST }, by("a"), "none"],
  ["it is lost, and the trigger is new again", { ...KEY, ...LOST }, by("c"), "rotate"],
])("the next step if %s", (_what, state, rotation, step) => {
  const outcome = state.openCreation ? "lost" : "settled";
  expect(stepOf({ ...NO_KEY, ...state }, rotation, NOW, outcome)).toBe(step);
});

it.each<[what: string, state: Partial<KeyState>, rotation: Rotation, step: Step]>([
  ["there is no key", PROPOSABLE, NONE, "blocked"],
  ["a key is due", { ...KEY, ...PROPOSABLE }, by("b"), "blocked"],
  ["rotation is removed", { ...KEY, ...PROPOSABLE }, NONE, "blocked"],
  ["the overlap is over", { ...IS_OVER, ...PROPOSABLE }, by("b"), "blocked"],
  ["the trigger is set back", { ...KEY, ...PROPOSABLE }, by("a"), "none"],
  ["the trigger is new", { ...KEY, ...PROPOSABLE }, by("c"), "rotate"],
])("the next step if a setting may read the created key, and %s", (_what, state, rotation, step) => {
  const steps = (["proposable", "known"] as const).map((outcome) =>
    stepOf({ ...NO_KEY, ...state }, rotation, NOW, outcome),
  );
  expect(steps).toEqual([step, step]);
});

it("a key that can be read by now is read, whatever the trigger", () => {
  const steps = [NONE, by("b"), by("c")].map((rotation) =>
    stepOf({ ...NO_KEY, ...KEY, ...PROPOSABLE }, rotation, NOW, "readable"),
  );
  expect(steps).toEqual(["read", "read", "read"]);
});

it.each<[what: string, overlapDays: number | null, end: string]>([
  ["raised", 14, "2026-03-15T12:00:00.000Z"],
  ["lowered", 2, "2026-03-03T12:00:00.000Z"],
  ["0", 0, AT],
  ["left out", null, "2026-03-08T12:00:00.000Z"],
])("the overlap ends as it is declared today: overlapDays is %s", (_what, overlapDays, end) => {
  const overlaps = { ...NO_KEY, ...KEY, previous: key, rotatedAt: AT };
  const stored = { ...overlaps, previousExpiresAt: "2026-03-08T12:00:00.000Z" };
  expect(withOverlapOf(stored, { ...NONE, overlapDays })).toEqual({
    ...stored,
    previousExpiresAt: end,
  });
});

it.each<[what: string, state: Partial<KeyState>, rotation: Rotation, due: Due | null]>([
  ["by its trigger before its age", KEY, { ...after(30), trigger: "b" }, "trigger"],
  ["by its age", KEY, { ...after(30), trigger: "a" }, "age"],
  ["by its age after an overlap", IS_OVER, after(30), "age"],
  ["by its age, and waits for the end of an overlap", OVERLAPS, after(30), "waiting"],
  ["by its trigger, which waits for nothing", OVERLAPS, { ...after(30), trigger: "b" }, "trigger"],
  ["for no reason if it is too young", OVERLAPS, after(31), null],
  ["for no reason if there is none", {}, by("b"), null],
])("a key is due %s", (_what, state, rotation, due) => {
  expect(dueOf({ ...NO_KEY, ...state }, rotation, NOW)).toBe(due);
});
