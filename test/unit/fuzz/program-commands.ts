import fc from "fast-check";

import type { Declared } from "../loss/stack-state.ts";
import { command, type Command } from "./commands.ts";
import { ACCOUNTS, NO_WEBHOOK, WEBHOOKS, type Model } from "./model.ts";

const KEYS = ["key1", "key2"];
const HOOKS = ["hook1", "hook2", "hook3"];

const accounts = fc.constantFrom(...ACCOUNTS);
const states = fc.constantFrom("active", "disabled");

const keys: fc.Arbitrary<Declared> = fc.record({
  kind: fc.constant("key"),
  account: accounts,
  args: fc.constant({}),
  deleteBeforeReplace: fc.boolean(),
});

const hooks: fc.Arbitrary<Declared> = fc.record({
  kind: fc.constant("webhook"),
  account: accounts,
  args: fc.record({
    webhookId: fc.oneof(
      { weight: 12, arbitrary: fc.constantFrom<number[]>(...WEBHOOKS) },
      { weight: 1, arbitrary: fc.constant(NO_WEBHOOK) },
    ),
    state: states,
    stateOnDestroy: fc.constantFrom("leave", "restore", "active", "disabled"),
  }),
  deleteBeforeReplace: fc.boolean(),
});

/** Any name of a resource. */
export const names = fc.constantFrom(...KEYS, ...HOOKS);

/** Somebody edits the program. */
export const programCommands: fc.Arbitrary<Command>[] = [
  fc.tuple(fc.constantFrom(...KEYS), keys).map(declare),
  fc.tuple(fc.constantFrom(...HOOKS), hooks).map(declare),
  fc
    .tuple(fc.constantFrom(...HOOKS), states)
    .map(([name, state]) => edit(`set ${name} to ${state}`, name, (args) => ({ ...args, state }))),
  fc
    .tuple(fc.constantFrom(...HOOKS), fc.constantFrom<number[]>(...WEBHOOKS))
    .map(([name, webhookId]) =>
      edit(`point ${name} to ${webhookId}`, name, (args) => ({ ...args, webhookId })),
    ),
  names.map((name) =>
    command(
      `remove ${name}`,
      ({ program }) => void program.delete(name),
      ({ program }) => program.has(name),
    ),
  ),
  fc.oneof(pairs(KEYS), pairs(HOOKS)).map(([from, to]) =>
    command(
      `rename ${from} to ${to}`,
      ({ program }) => {
        const declared = program.get(from);
        if (declared) program.set(to, declared);
        program.delete(from);
        return undefined;
      },
      ({ program }) => program.has(from) && !program.has(to),
    ),
  ),
];

function declare([name, declared]: [string, Declared]): Command {
  return command(
    `declare ${name} ${JSON.stringify(declared)}`,
    ({ program }) => void program.set(name, declared),
    (model) => model.allows(name, declared),
  );
}

function edit(label: string, name: string, change: (args: Declared["args"]) => Declared["args"]): Command {
  const edited = ({ program }: Model): Declared | undefined => {
    const declared = program.get(name);
    return declared && { ...declared, args: change(declared.args) };
  };
  return command(
    label,
    (model) => {
      const declared = edited(model);
      if (declared) model.program.set(name, declared);
      return undefined;
    },
    (model) => {
      const declared = edited(model);
      return declared !== undefined && model.allows(name, declared);
    },
  );
}

function pairs(all: readonly string[]): fc.Arbitrary<[string, string]> {
  return fc.tuple(fc.constantFrom(...all), fc.constantFrom(...all)).filter(([from, to]) => from !== to);
}
