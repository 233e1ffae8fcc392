import { expect, it } from "vitest";

import { keyInputsOf, readKeyArguments } from "../../../provider/src/keys/key-inputs.ts";
import { hintOf, NO_KEY, outputsOf, stateOf, type KeyState } from "../../../provider/src/keys/key-state.ts";
import { UNKNOWN } from "../../../provider/src/adapter/properties.ts";

it.each<[rotation: unknown, problem: RegExp | null]>([
  [undefined, null],
  [null, null],
  [UNKNOWN, null],
  [{}, null],
  [{ trigger: "2" }, null],
  [{ trigger: 20260219 }, null],
  [{ overlapDays: 0 }, null],
  [{ trigger: "", afterDays: 90, overlapDays: 89 }, null],
  [{ trigger: UNKNOWN, afterDays: UNKNOWN, overlapDays: UNKNOWN }, null],
  ["90", /^rotation must be an object/],
  [{ trigger: true }, /^rotation.trigger must be a string or a number/],
  [{ afterDays: 0, overlapDays: 0 }, /^rotation.afterDays must be a whole number of days from 1 to 36500/],
  [{ afterDays: 1.5, overlapDays: 0 }, /^rotation.afterDays must/],
  [{ afterDays: 90 }, /^rotation.afterDays needs rotation.overlapDays: /],
  [{ afterDays: 90, overlapDays: null }, /^rotation.afterDays needs rotation.overlapDays: /],
  [{ overlapDays: -1 }, /^rotation.overlapDays must be a whole number of days from 0 to 36500/],
  [{ overlapDays: 36_501 }, /^rotation.overlapDays must be a whole/],
  [{ afterDays: 7, overlapDays: 7 }, /^rotation.overlapDays must be less than rotation.afterDays/],
  [{ overlapDays: 0, secret: "4eC39HqLyjWD" }, /^rotation has no argument "secret"; valid/],
  [{ account: "eu", server: "", __urn: "" }, /^rotation has no argument "account", "server", "__urn"; valid/],
])("the argument rotation %j is read or refused", (rotation, problem) => {
  const { inputs, problems } = readKeyArguments({ rotation });
  expect(inputs).toEqual(rotation == null ? {} : { rotation });
  expect(problems).toEqual(problem === null ? [] : [expect.stringMatching(problem)]);
  expect(problems.join()).not.toContain("4eC39Hq");
});

it("what is invalid in the state is ignored", () => {
  const rotation = { trigger: null, afterDays: null, overlapDays: null };
  const inputs = keyInputsOf({ rotation: { trigger: "", afterDays: "x", overlapDays: [] } });
  expect(inputs).toEqual({ rotation, isUnknown: false });
});

it("the text of a number is the trigger", () => {
  expect(keyInputsOf({ rotation: { trigger: 20260219 } }).rotation.trigger).toBe("20260219");
});

it("a state survives its outputs, and anything else reads as no key", () => {
  const response = { body: "AAE=", encoding: "base64", isCutOff: true } as const;
  const key = { apiKey: "pk_live_4eC39HqLyjWD", createdAt: "2026-03-01T12:00:00.000Z", response };
  const state: KeyState = {
    current: key,
    previous: { ...key, apiKey: "pk_old", createdAt: null, response: null },
    rotatedAt: "2026-03-01T12:00:00.000Z",
    previousExpiresAt: "2026-03-08T12:00:00.000Z",
    trigger: "a",
    openCreation: { at: "2026-03-02T12:00:00.000Z", trigger: null, response },
  };
  const outputs = outputsOf(state);
  expect(stateOf(outputs)).toEqual(state);
  expect(outputs).toMatchObject({ hint: "yjWD", previousApiKey: "pk_old" });
  const wrong = [
    {},
    { apiKey: 7, internal: [], previousApiKey: {} },
    { internal: { openCreation: "x", rotatedAt: "x" } },
  ];
  for (const outputs of wrong) expect(stateOf(outputs)).toEqual(NO_KEY);
  expect(Object.values(outputsOf(NO_KEY)), "an output that is not set").not.toContain(undefined);
  expect([hintOf("x".repeat(19)), hintOf("x".repeat(20))]).toEqual([null, "xxxx"]);
});
