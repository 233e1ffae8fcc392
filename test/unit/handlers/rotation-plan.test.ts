import { describe, expect, it } from "vitest";

import { UNKNOWN, type Properties } from "../../../provider/src/handlers/contract.js";
import {
  fingerprint,
  keyStateOf,
  NO_KEY,
  outputsOf,
  type KeyState,
} from "../../../provider/src/handlers/key-state.js";
import type { Notice } from "../../../provider/src/handlers/problems.js";
import {
  planRotation,
  rotationProblems,
  rotationDisplayInputs,
  type RotationInputs,
  type RotationStep,
} from "../../../provider/src/handlers/rotation.js";
import { NOON } from "./support.ts";

const KEY = "pk_live_0123456789abcdef";
const OTHER = "pk_live_fedcba9876543210";
const PREVIOUS = "pk_live_previous_key_0001";
const own = fingerprint(KEY);

function kept(document: unknown): NonNullable<KeyState["response"]> {
  return { body: JSON.stringify(document), encoding: "utf8", complete: true };
}

function state(changes: Partial<KeyState> = {}, internal: Partial<KeyState["internal"]> = {}): KeyState {
  const createdAt = "2026-06-01T23:00:00.000Z";
  return { ...NO_KEY, apiKey: KEY, createdAt, ...changes, internal: { ...NO_KEY.internal, ...internal } };
}

const OVERLAP = {
  rotatedAt: "2026-06-10T00:00:00.000Z",
  previousApiKey: PREVIOUS,
  previousExpiresAt: "2026-06-17T00:00:00.000Z",
};
const ENDED = { ...OVERLAP, previousExpiresAt: new Date(NOON).toISOString() };
const UNREAD = { unread: { response: kept({}), createdAt: "2026-06-14T00:00:00.000Z" } };
const TRIGGER_A = { trigger: "a" };
/** The key of {@link state} is 14 days old by the calendar, 13 and a half by the clock. */
const DUE = { afterDays: 14, overlapDays: 0 };

describe("the next step for a key", () => {
  it.each<[string, KeyState, RotationInputs, RotationStep]>([
    ["that is not to be rotated", state(), {}, "none"],
    ["that was not found yet", state({ apiKey: null, response: kept({}) }), { trigger: "a" }, "read"],
    ["whose successor was not found yet, due or not", state({}, UNREAD), DUE, "read"],
    ["that gets its first trigger", state(), { trigger: "a" }, "replace"],
    ["whose trigger changes, with overlap", state({}, TRIGGER_A), { trigger: "b", overlapDays: 1 }, "rotate"],
    ["whose trigger stays", state({}, TRIGGER_A), { trigger: "a" }, "none"],
    ["whose trigger is removed", state({}, TRIGGER_A), { overlapDays: 1 }, "none"],
    ["whose trigger is not known yet", state({}, TRIGGER_A), { trigger: UNKNOWN }, "replace"],
    ["old enough by the calendar", state(), DUE, "replace"],
    ["a day too young", state(), { afterDays: 15, overlapDays: 0 }, "none"],
    ["old enough, with overlap", state(), { afterDays: 14, overlapDays: 2 }, "rotate"],
    ["whose age counts from its rotation", state(OVERLAP), { afterDays: 6, overlapDays: 6 }, "none"],
    ["of unknown age", state({ createdAt: null }), DUE, "replace"],
    ["of an age that is not a date", state({ createdAt: "soon" }), DUE, "replace"],
    ["from the future, as a clock is wrong", state({ createdAt: "2027-01-01T00:00:00Z" }), DUE, "none"],
    ["during the overlap", state(OVERLAP), { overlapDays: 7 }, "none"],
    ["during the overlap, rotation removed", state(OVERLAP), {}, "none"],
    ["at the end of the overlap", state(ENDED), {}, "expire"],
    ["whose overlap is over and then raised", state(ENDED), { overlapDays: 99 }, "expire"],
    ["whose overlap is cut to 0", state(OVERLAP), { overlapDays: 0 }, "expire"],
    ["whose overlap is cut, not to now", state(OVERLAP), { overlapDays: 6 }, "none"],
    ["with a previous key that has no date", state({ ...OVERLAP, previousExpiresAt: null }), {}, "expire"],
  ])("%s", (_what, olds, rotation, step) => {
    // By way of the outputs, as a state file has them.
    expect(planRotation(keyStateOf(outputsOf(olds, "default")), rotation, {}, NOON).step).toBe(step);
  });

  const response = kept({ data: { right: OTHER, wrong: KEY } });
  const cutOff = { ...response, body: "{", complete: false };
  const rotated = state(OVERLAP, { previousResponse: response });
  it.each<[string, KeyState, string, RotationStep, Notice["kind"] | null]>([
    ["a pointer that finds another key", state({ response }), "/data/right", "read", "reread"],
    ["a pointer that finds the same key", state({ response }), "/data/wrong", "none", null],
    ["a pointer that finds nothing", state({ response }), "/data/nothing", "none", "pointerFindsNothing"],
    ["a pointer for a key without a response", state(), "/data/right", "none", null],
    ["one that finds another previous key", rotated, "/data/right", "read", null],
    ["one into a cut response", state({ response: cutOff }), "/data/right", "none", "pointerFindsNothing"],
  ])("with %s", (_what, olds, apiKey, step, notice) => {
    const plan = planRotation(olds, {}, { apiKey }, NOON);
    expect([plan.step, plan.notices[0]?.kind ?? null]).toEqual([step, notice]);
  });

  const age = { kind: "age", since: "2026-06-01", due: "2026-06-11", afterDays: 10 };
  it.each<[string, KeyState, RotationInputs, object, string | null]>([
    ["by its age, in place", state(), { afterDays: 10, overlapDays: 2 }, age, "2026-06-17T12:00Z"],
    ["by its trigger, by a replacement", state(), TRIGGER_A, { kind: "trigger" }, null],
    ["as its age is not known", state({ createdAt: null }), DUE, { kind: "unknownAge" }, null],
  ])("is announced: %s", (_how, olds, rotation, why, validUntil) => {
    const notice = { kind: "rotation", fingerprint: own, why, validUntil };
    expect(planRotation(olds, rotation, {}, NOON).notices).toEqual([notice]);
  });

  const next = { trigger: "b", overlapDays: 7 };
  it.each<[string, typeof OVERLAP, RotationInputs]>([
    ["as it has expired", ENDED, {}],
    ["as overlapDays is smaller now", OVERLAP, { overlapDays: 3 }],
    ["as the next rotation comes before its end", OVERLAP, next],
    ["as the next rotation replaces both", OVERLAP, { trigger: "b" }],
    ["as it has expired when the next rotation comes", ENDED, next],
  ])("deletes the previous key, which is announced with its date: %s", (_why, olds, rotation) => {
    const { previousExpiresAt: validUntil } = olds;
    const notice = {
      kind: "previousKeyEnds",
      fingerprint: fingerprint(PREVIOUS),
      validUntil,
      early: olds === OVERLAP,
    };
    expect(planRotation(state(olds), rotation, {}, NOON).notices.at(-1)).toEqual(notice);
  });
});

describe("rotation", () => {
  it.each<[string, unknown, RegExp]>([
    ["afterDays alone", { afterDays: 90 }, /^rotation.afterDays needs overlapDays/],
    ["an overlap longer than the age", { afterDays: 2, overlapDays: 3 }, /must not exceed afterDays/],
    ["no days", { afterDays: 0, overlapDays: 0 }, /afterDays must be a whole number of days, 1 to 36500/],
    ["half days", { overlapDays: 0.5 }, /overlapDays must be a whole number of days, 0 to 36500/],
    ["a trigger that is a number", { trigger: 7 }, /trigger must be a string/],
    ["a word", "monthly", /^rotation must be an object/],
    ["an unknown property", { SECRET: 1 }, /^rotation has an unknown property\. Valid/],
  ])("must not be %s", (_what, rotation, problem) => {
    const problems = rotationProblems(rotation);
    expect(problems).toEqual([expect.stringMatching(problem)]);
    expect(problems.join()).not.toMatch(/SECRET|monthly/);
  });

  it.each([
    undefined,
    UNKNOWN,
    { trigger: UNKNOWN, afterDays: UNKNOWN, overlapDays: UNKNOWN },
    { afterDays: 1, overlapDays: 1, trigger: null },
  ])("may be %j", (rotation) => {
    expect(rotationProblems(rotation)).toEqual([]);
  });
});

describe("what check adds so that a preview can show it", () => {
  const rotation = { afterDays: 10, overlapDays: 1 };
  const old = (changes: object): Properties => ({ account: "default", ...changes });
  const young = { keySince: "2026-06-06", rotationDue: "2026-06-16" };
  const fresh = { keySince: "2026-06-15", rotationDue: "2026-06-25" };
  const triggered = old({ ...young, rotation: TRIGGER_A });
  it.each<[string, Properties, Properties, object]>([
    ["a new key", {}, { rotation }, fresh],
    ["a new key without an age limit", {}, {}, { keySince: "2026-06-15" }],
    ["a young key", old({ keySince: "2026-06-06" }), { rotation }, young],
    ["a key that is due", old({ keySince: "2026-06-05" }), { rotation }, fresh],
    ["a new trigger", triggered, { rotation: { trigger: "b" } }, { keySince: "2026-06-15" }],
    ["an age that is not known", old({}), { rotation }, {}],
  ])("%s", (_what, olds, news, stamps) => {
    expect(rotationDisplayInputs(olds, news, NOON)).toEqual(stamps);
  });
});

it("a fingerprint and a hint tell keys apart, and are withheld where they would tell too much", () => {
  const shown = (apiKey: string) => {
    const { fingerprint: print, hint } = outputsOf({ ...NO_KEY, apiKey }, "default");
    return [print, hint];
  };
  expect(shown("abcdefghijklmnop")).toEqual(["sha256:f39dac6cbaba535e", null]); // printf abcdefghijklmnop | sha256sum
  expect(shown("abcdefghijklmno")).toEqual([null, null]);
  expect(shown("0123456789abcdefghij")[1]).toBe("ghij");
});
