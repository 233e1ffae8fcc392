import fc from "fast-check";

import { assertState } from "./agreement.ts";
import { command, type Command } from "./commands.ts";
import { names } from "./programs.ts";
import { busyIn } from "./rotation-rules.ts";

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
      const busy = busyIn(world.engine.entries);
      const options = { refresh, parallel, replace: new Set(replace) };
      const { succeeded } = await world.run(() => world.engine.up(program, options), crashIn);
      if (!succeeded) return;
      assertState(program, world.engine);
      world.rotation.assertRotated(program, world.engine.entries, busy);
    },
  ),
);

const preview: fc.Arbitrary<Command> = fc.constant(
  command("preview", ({ program }, world) => world.run(() => world.engine.preview(program))),
);

const refresh: fc.Arbitrary<Command> = fc.constant(
  command("refresh", (_model, world) => world.run(() => world.engine.refresh())),
);

const destroy: fc.Arbitrary<Command> = fc.tuple(fc.boolean(), crashes).map(([parallel, crashIn]) =>
  command(`destroy ${JSON.stringify({ parallel, crashIn })}`, async (_model, world) => {
    const { succeeded } = await world.run(() => world.engine.destroy(parallel), crashIn);
    if (succeeded) assertState(new Map(), world.engine);
  }),
);

/** Somebody runs Pulumi; mostly updates. */
export const runs: fc.Arbitrary<Command> = fc.oneof(
  { weight: 8, arbitrary: up },
  { weight: 1, arbitrary: preview },
  { weight: 2, arbitrary: refresh },
  { weight: 1, arbitrary: destroy },
);
