import fc from "fast-check";
import { expect, it } from "vitest";

import { runSeed } from "../support/random.ts";
import { scaled } from "../support/random.ts";
import { startPlugin, type Plugin } from "../support/plugin-process.ts";
import { play, scenarios, type Counts, type Scenario } from "../unit/loss/scenario.ts";

const SCENARIOS = scaled(100);
/** Scenarios at a time: most of their time is spent waiting for the next attempt. */
const AT_A_TIME = 8;
/**
 * Seconds. Waits are real here, so that few of them fit in; but an answer that a busy machine brings too late would be asked for
 * again, which looks like a deletion that is repeated.
 */
const TIMES = { "partners:requestTimeout": "5", "partners:operationTimeout": "6" };

it(
  `the real plugin process loses no key and makes none twice in ${SCENARIOS} scenarios of faults`,
  { timeout: 900_000 },
  async () => {
    const waiting = fc.sample(scenarios, { seed: runSeed(), numRuns: SCENARIOS });
    const runs: Counts[] = [];
    const started = performance.now();
    const work = async (): Promise<void> => {
      for (let scenario = waiting.pop(); scenario; scenario = waiting.pop()) runs.push(await run(scenario));
    };
    await Promise.all(Array.from({ length: AT_A_TIME }, work));
    const sum = (name: keyof Counts): number => runs.reduce((total, counts) => total + counts[name], 0);
    console.log(
      `loss run, real process: ${runs.length} scenarios, ${sum("calls")} calls of handlers, ${sum("requests")} requests; ` +
        `${sum("leaked")} keys left behind, ${sum("alarms")} errors said so; ${Math.round(performance.now() - started) / 1000} s`,
    );
    expect(runs).toHaveLength(SCENARIOS);
  },
);

/** Whether a process may have been told to wait, and would still do so when the service is well again. */
function isThrottling({ making, renewing, deleting }: Scenario): boolean {
  return [...making, ...renewing, ...deleting].some(
    (fault) => fault.kind === "rateLimit" || (fault.kind === "status" && fault.status === 429),
  );
}

/** Runs a scenario, in one process for each configuration that it uses as far as possible: starting one takes longest. */
async function run(scenario: Scenario): Promise<Counts> {
  const throttling = isThrottling(scenario);
  const plugins = new Map<string, Promise<Plugin>>();
  try {
    return await play(scenario, async (config, jitter) => {
      const settings = { ...config, ...TIMES };
      const key = JSON.stringify([settings, throttling && jitter]);
      const plugin = plugins.get(key) ?? startPlugin({ config: settings });
      plugins.set(key, plugin);
      return { ...(await plugin), close: () => Promise.resolve() };
    });
  } catch (error) {
    throw new Error(`Violated by ${JSON.stringify(scenario)}`, { cause: error });
  } finally {
    for (const plugin of plugins.values()) await (await plugin).close();
  }
}
