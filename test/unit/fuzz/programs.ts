import fc from "fast-check";

import type { Declared } from "../loss/stack-state.ts";
import { ACCOUNTS, NO_WEBHOOK, WEBHOOKS } from "./model.ts";

export const KEYS = ["key1", "key2"];
export const HOOKS = ["hook1", "hook2", "hook3"];

const accounts = fc.constantFrom(...ACCOUNTS);
export const states = fc.constantFrom("active", "disabled");

export const triggers = fc.constantFrom("spring", "summer", "autumn");

const overlaps = fc.constantFrom(0, 1, 1, 2);

/** Not rotated, rotated by hand, and rotated by age; by replacement (no overlap), or in place. */
const rotations = fc.oneof(
  { weight: 1, arbitrary: fc.constant({}) },
  {
    weight: 4,
    arbitrary: fc.record({ rotation: fc.record({ trigger: triggers, overlapDays: overlaps }) }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      rotation: fc.record({
        afterDays: fc.constantFrom(2, 3),
        overlapDays: overlaps,
        trigger: fc.constantFrom(null, "spring"),
      }),
    }),
  },
);

export const keys: fc.Arbitrary<Declared> = fc.record({
  kind: fc.constant("key"),
  account: accounts,
  args: rotations,
  deleteBeforeReplace: fc.boolean(),
});

export const hooks: fc.Arbitrary<Declared> = fc.record({
  kind: fc.constant("webhook"),
  account: accounts,
  args: fc.record({
    webhookId: fc.oneof(
      { weight: 40, arbitrary: fc.constantFrom<number[]>(...WEBHOOKS) },
      { weight: 1, arbitrary: fc.constant(NO_WEBHOOK) },
    ),
    state: states,
    stateOnDestroy: fc.constantFrom("leave", "restore", "active", "disabled"),
  }),
  deleteBeforeReplace: fc.boolean(),
});

/** Any name of a resource. */
export const names = fc.constantFrom(...KEYS, ...HOOKS);

/** A program to begin with: most of what there can be. */
export const programs: fc.Arbitrary<readonly [string, Declared][]> = fc
  .tuple(
    fc.shuffledSubarray(KEYS, { minLength: 1 }),
    fc.array(keys, { minLength: KEYS.length }),
    fc.shuffledSubarray(HOOKS, { minLength: 1 }),
    fc.array(hooks, { minLength: HOOKS.length }),
  )
  .map(([keyNames, keyArgs, hookNames, hookArgs]) => [
    ...zip(keyNames, keyArgs),
    ...zip(hookNames, hookArgs),
  ]);

function zip(all: readonly string[], declared: readonly Declared[]): [string, Declared][] {
  return declared.slice(0, all.length).map((each, index) => [all[index] ?? "", each]);
}
