import { describe, expect, it } from "vitest";

import { UNKNOWN, type Properties } from "../../../provider/src/shared/properties.js";
import { keyStateOf, NO_KEY, outputsOf, type KeyState } from "../../../provider/src/keys/key-state.js";
import { fingerprint } from "../../../provider/src/keys/key-name.js";
import type { StoredKey } from "../../../provider/src/keys/stored-key.js";
import type { Notice } from "../../../provider/src/shared/problems.js";
import type { KeyResponse } from "../../../provider/src/responses/creation-reader.js";
import { keyInputsOf, type RotationInputs } from "../../../provider/src/keys/key-inputs.js";
import {
  planRotation,
  rotationDisplayInputs,
  type RotationStep,
} from "../../../provider/src/keys/rotation-plan.js";

const NOON = Date.parse("2026-06-15T12:00:00.000Z");
const KEY = "pk_live_0123456789abcdef";
const OTHER = "pk_live_fedcba9876543210";
const PREVIOUS = "pk_live_previous_key_0001";

function kept(document: unknown): KeyResponse {
  return { body: JSON.stringify(document), encoding: "utf8", complete: true };
}

/** Returns a key. It is 14 calendar days old, but only 13 and a half times 24 hours. */
function stored(apiKey: string, changes: Partial<StoredKey> = {}): StoredKey {
  const createdAt = "2026-06-01T23:00:00.000Z";
  return { apiKey, response: null, createdAt, token: null, foundBy: null, ...changes };
}

/** Returns the state of {@link KEY}. */
function state(changes: Partial<KeyState> = {}): KeyState {
  return { ...NO_KEY, current: stored(KEY), ...changes };
}

const OVERLAP = {
  rotatedAt: "2026-06-10T00:00:00.000Z",
  previous: stored(PREVIOUS),
  previousExpiresAt: "2026-06-17T00:00:00.000Z",
  overlapDays: 7,
};
const ENDED = { ...OVERLAP, previousExpiresAt: new Date(NOON).toISOString() };
const UNREAD = {
  unread: {
    response: kept({}),
    createdAt: "2026-06-14T00:00:00.000Z",
    token: null,
    undecoded: null,
    trigger: null,
  },
};
const TRIGGER_A = { trigger: "a" };
const DUE = { afterDays: 14, overlapDays: 0 };

describe("the next step for a key", () => {
  it.each<[string, KeyState, RotationInputs, RotationStep]>([
    ["without a rotation", state(), {}, "none"],
    ["that has not been found", state({ current: null, ...UNREAD }), { trigger: "a" }, "read"],
    ["whose successor has not been found, even if due", state(UNREAD), DUE, "read"],
    ["whose trigger changes, with overlap", state(TRIGGER_A), { trigger: "b", overlapDays: 1 }, "rotate"],
    ["whose trigger stays", state(TRIGGER_A), { trigger: "a" }, "none"],
    ["whose trigger is removed", state(TRIGGER_A), { overlapDays: 1 }, "none"],
    ["whose trigger is unknown", state(TRIGGER_A), { trigger: UNKNOWN }, "replace"],
    ["old enough in calendar days", state(), DUE, "replace"],
    ["whose age is unknown", state({ current: stored(KEY, { createdAt: null }) }), DUE, "replace"],
    ["a day too young", state(), { afterDays: 15, overlapDays: 0 }, "none"],
    ["whose age counts from its rotation", state(OVERLAP), { afterDays: 6, overlapDays: 6 }, "none"],
    ["during the overlap, without a rotation", state(OVERLAP), {}, "none"],
    ["whose overlap is extended after its end", state(ENDED), { overlapDays: 99 }, "expire"],
    ["whose overlap is shortened to 0", state(OVERLAP), { overlapDays: 0 }, "expire"],
    ["whose overlap is shortened, but not over", state(OVERLAP), { overlapDays: 6 }, "none"],
    ["whose previous key has no expiry date", state({ ...OVERLAP, previousExpiresAt: null }), {}, "expire"],
  ])("%s", (_what, olds, rotation, step) => {
    // The state file holds the outputs.
    expect(
      planRotation(
        keyStateOf(outputsOf(olds)),
        rotation,
        { responses: {}, accessToken: "", headers: {} },
        NOON,
      ).step,
    ).toBe(step);
  });

  const response = kept({ data: { right: OTHER, wrong: KEY } });
  const found = state({ current: stored(KEY, { response }) });
  const cut = { ...response, body: "{", complete: false };
  const cutOff = state({ current: stored(KEY, { response: cut }) });
  const rotated = state({ ...OVERLAP, previous: stored(PREVIOUS, { response }) });
  const twice = kept({ a: "short", b: "short" });
  const short = state({ current: stored("short", { response: twice, foundBy: "/a" }) });
  it.each<[string, KeyState, string | null, RotationStep, Notice["kind"] | null]>([
    ["a pointer that finds a different key", found, "/data/right", "read", "reread"],
    ["a pointer that finds the same key", found, "/data/wrong", "none", null],
    ["another pointer to the same key, which does not look like one", short, "/b", "none", null],
    ["a pointer that finds nothing", found, "/data/nothing", "none", "pointerFindsNothing"],
    ["no pointer, and a response with two candidates", found, null, "none", null],
    ["a pointer for a key without a response", state(), "/data/right", "none", null],
    ["a pointer that finds a different previous key", rotated, "/data/right", "read", null],
    ["a pointer into a response that was cut off", cutOff, "/data/right", "none", "pointerFindsNothing"],
  ])("with %s", (_what, olds, apiKey, step, notice) => {
    const responses = apiKey === null ? {} : { apiKey };
    const plan = planRotation(olds, {}, { responses, accessToken: "", headers: {} }, NOON);
    expect([plan.step, plan.notices[0]?.kind ?? null]).toEqual([step, notice]);
  });

  const rotates = (why: object, validUntil: string | null = null) => {
    return { kind: "rotation", fingerprint: fingerprint(KEY), why, validUntil };
  };
  const ends = (early: boolean, replaced: boolean) => {
    return { kind: "previousKeyEnds", fingerprint: fingerprint(PREVIOUS), early, replaced };
  };
  const age = { kind: "age", since: "2026-06-01", due: "2026-06-11" };
  const trigger = rotates({ kind: "trigger" });
  it.each<[string, KeyState, RotationInputs, object[]]>([
    ["is old", state(), { afterDays: 10, overlapDays: 2 }, [rotates(age, "2026-06-17T12:00:00.000Z")]],
    ["has its first trigger", state(), TRIGGER_A, [trigger]],
    [
      "has an unknown age",
      state({ current: stored(KEY, { createdAt: null }) }),
      DUE,
      [rotates({ kind: "unknownAge" })],
    ],
    ["is replaced during an overlap", state(OVERLAP), { trigger: "b" }, [trigger, ends(true, true)]],
    ["is replaced after an overlap", state(ENDED), { trigger: "b" }, [trigger, ends(false, true)]],
    ["shortens its overlap", state(OVERLAP), { overlapDays: 0 }, [ends(true, false)]],
    ["has ended its overlap", state(ENDED), {}, [ends(false, false)]],
  ])("is announced if the key %s", (_why, olds, rotation, notices) => {
    expect(
      planRotation(olds, rotation, { responses: {}, accessToken: "", headers: {} }, NOON).notices,
    ).toEqual(notices);
  });
});

describe("the inputs that check adds for display", () => {
  const rotation = { afterDays: 10, overlapDays: 1 };
  const old = (changes: object): Properties => ({ account: "default", ...changes });
  const young = { keySince: "2026-06-06", rotationDue: "2026-06-16" };
  const fresh = { keySince: "2026-06-15", rotationDue: "2026-06-25" };
  const triggered = old({ ...young, rotation: TRIGGER_A });
  it.each<[string, Properties, Properties, object]>([
    ["a new key", {}, { rotation }, fresh],
    ["a new key without afterDays", {}, {}, { keySince: "2026-06-15" }],
    ["a young key", old({ keySince: "2026-06-06" }), { rotation }, young],
    ["a due key", old({ keySince: "2026-06-05" }), { rotation }, fresh],
    ["a new trigger", triggered, { rotation: { trigger: "b" } }, { keySince: "2026-06-15" }],
    ["an unknown age", old({}), { rotation }, {}],
  ])("for %s", (_what, olds, news, inputs) => {
    expect(rotationDisplayInputs(keyInputsOf(olds), keyInputsOf(news), NOON)).toEqual(inputs);
  });
});
