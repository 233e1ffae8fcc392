import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { crash, crashCases, inevitableCost } from "../support/crash-case.ts";
import { CAN_FIND_PROCESSES, ended, killAtOnce } from "../support/crash-processes.ts";
import { STEPS } from "../support/crash-scenario.ts";
import { startSweep, type Sweep } from "../support/crash-sweep.ts";

/** Milliseconds. The plugin looks for the engine every 3 s. */
const ORPHAN_ENDS_WITHIN = 10_000;

describe.skipIf(!CAN_FIND_PROCESSES)("after kill -9 of the CLI", () => {
  let sweep: Sweep;
  beforeAll(async () => {
    sweep = await startSweep();
  });
  afterAll(() => sweep.dispose());

  describe("`pulumi cancel` and the same operation again converge", () => {
    it.each(crashCases("cli", "before"))("$title", async ({ crashCase }) => {
      expect(await crash(sweep, crashCase)).toEqual(inevitableCost(crashCase));
    });
  });

  it.each(STEPS.slice(0, 1))("the plugin ends by itself, though nobody reads what it says", async (step) => {
    await sweep.begin(step);
    const held = sweep.gate.hold(step.requests.indexOf("GET") + 1, "before");
    const operation = sweep.run(step).catch(() => null);
    expect(await Promise.race([held.reached, operation])).toBe("GET");
    const { cli, plugin } = sweep.processes();
    killAtOnce(cli);
    await operation;
    await ended(plugin, ORPHAN_ENDS_WITHIN).finally(() => {
      killAtOnce(plugin);
    });
  });
});
