import fc from "fast-check";

import type { Declared } from "../loss/stack-state.ts";
import { command, type Command } from "./commands.ts";
import { WEBHOOKS, type Model } from "./model.ts";
import { HOOKS, hooks, KEYS, keys, names, states, triggers } from "./programs.ts";

const declarations = fc.oneof(
  fc.tuple(fc.constantFrom(...KEYS), keys).map(declare),
  fc.tuple(fc.constantFrom(...HOOKS), hooks).map(declare),
);

const settings = fc
  .tuple(fc.constantFrom(...HOOKS), states)
  .map(([name, state]) => edit(`set ${name} to ${state}`, name, (args) => ({ ...args, state })));

const pointings = fc
  .tuple(fc.constantFrom(...HOOKS), fc.constantFrom<number[]>(...WEBHOOKS))
  .map(([name, webhookId]) =>
    edit(`point ${name} to ${webhookId}`, name, (args) => ({ ...args, webhookId })),
  );

const triggerings = fc.tuple(fc.constantFrom(...KEYS), triggers).map(([name, trigger]) =>
  edit(`trigger a rotation of ${name} by ${trigger}`, name, ({ rotation }) => ({
    rotation: { ...(rotation as object | undefined), trigger },
  })),
);

const removals = names.map((name) =>
  command(
    `remove ${name}`,
    ({ program }) => void program.delete(name),
    ({ program }) => program.has(name),
  ),
);

const renamings = fc.oneof(pairs(KEYS), pairs(HOOKS)).map(([from, to]) =>
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
);

/** Somebody edits the program. */
export const edits: fc.Arbitrary<Command> = fc.oneof(
  { weight: 3, arbitrary: declarations },
  { weight: 4, arbitrary: settings },
  { weight: 1, arbitrary: pointings },
  { weight: 6, arbitrary: triggerings },
  { weight: 1, arbitrary: removals },
  { weight: 1, arbitrary: renamings },
);

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
