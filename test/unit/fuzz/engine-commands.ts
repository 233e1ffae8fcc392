import fc from "fast-check";

import { command, type Command } from "./commands.ts";
import { names } from "./program-commands.ts";

const crashes = fc.oneof(
  { weight: 6, arbitrary: fc.constant(null) },
  { weight: 1, arbitrary: fc.nat({ max: 3 }) },
);

const updates = fc.record({
  preview: fc.boolean(),
  refresh: fc.boolean(),
  parallel: fc.boolean(),
  replace: fc.oneof(
    { weight: 4, arbitrary: fc.constant([]) },
    { weight: 1, arbitrary: fc.uniqueArray(names, { maxLength: 2 }) },
  ),
  crashIn: crashes,
});

const up: fc.Arbitrary<Command> = updates.map(({ preview, refresh, parallel, replace, crashIn }) =>
  command(
    `up ${JSON.stringify({ preview, refresh, parallel, replace, crashIn })}`,
    async ({ program }, world) => {
      if (preview && !(await world.run(() => world.engine.preview(program))).succeeded) return;
      const options = { refresh, parallel, replace: new Set(replace) };
      await world.run(() => world.engine.up(program, options), crashIn);
    },
  ),
);

const preview: fc.Arbitrary<Command> = fc.constant(
  command("preview", ({ program }, world) => world.run(() => world.engine.preview(program))),
);

const refresh: fc.Arbitrary<Command> = fc.constant(
  command("refresh", (_model, world) => world.run(() => world.engine.refresh())),
);

const destroy: fc.Arbitrary<Command> = fc
  .tuple(fc.boolean(), crashes)
  .map(([parallel, crashIn]) =>
    command(`destroy ${JSON.stringify({ parallel, crashIn })}`, (_model, world) =>
      world.run(() => world.engine.destroy(parallel), crashIn),
    ),
  );

/** Somebody runs Pulumi; mostly updates. */
export const engineCommands: fc.Arbitrary<Command>[] = [up, up, up, up, preview, refresh, destroy];
