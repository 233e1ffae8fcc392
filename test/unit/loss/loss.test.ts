import fc from "fast-check";
import { expect, it } from "vitest";

import { runSeed } from "../../support/random.ts";
import { scaled } from "../../support/random.ts";
import { startInProcess } from "./in-process.ts";
import { play, scenarios, type Counts } from "./scenario.ts";

const SCENARIOS = scaled(2_000);

it(
  `loses no key and makes none twice in ${SCENARIOS} scenarios of faults`,
  { timeout: 600_000 },
  async () => {
    const runs: Counts[] = [];
    const started = performance.now();
    await fc.assert(
      fc.asyncProperty(scenarios, async (scenario) => {
        runs.push(await play(scenario, startInProcess));
      }),
      { seed: runSeed(), numRuns: SCENARIOS },
    );
    const sum = (name: keyof Counts): number => runs.reduce((total, run) => total + run[name], 0);
    console.log(
      `loss run: ${runs.length} scenarios, ${sum("calls")} calls of handlers, ${sum("requests")} requests, ${sum("posts")} POSTs; ` +
        `${sum("leaked")} keys left behind, ${sum("alarms")} errors said so; ${Math.round(performance.now() - started) / 1000} s`,
    );
    expect(runs).toHaveLength(SCENARIOS);
    expect(sum("leaked")).toBeLessThanOrEqual(sum("alarms"));
  },
);
