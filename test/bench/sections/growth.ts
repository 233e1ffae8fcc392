import { engine, floor, ours } from "../contenders/pulumi.ts";
import { measure } from "../measure.ts";
import { summarize } from "../summary.ts";

/** What one more resource costs at some number of resources, of an `up` in which all differ. */
export interface GrowthRow {
  readonly count: number;
  /** Milliseconds for one resource. */
  readonly ours: number;
  /** The same, of the resources that do nothing and look like ours: the engine's part of `ours`. */
  readonly engine: number;
  /** `null` where it was not measured. */
  readonly floor: number | null;
  /** Processor time of our plugin for one resource above that of the plugin that does nothing, in milliseconds. */
  readonly pluginCpu: number;
  /** The most memory that our plugin had, in MiB. */
  readonly memory: number;
}

/** Beyond this number, the floor takes as long as all else together. */
const MOST_OF_FLOOR = 1000;

/** Cost per resource over the number of resources. */
export async function measureGrowth(
  counts: readonly number[],
  repetitions: number,
  say: (line: string) => void,
): Promise<GrowthRow[]> {
  const rows: GrowthRow[] = [];
  for (const count of counts) {
    say(`growth, ${count} webhooks`);
    const situation = { kind: "webhooks", count, latency: 0, repetitions } as const;
    const contenders = count > MOST_OF_FLOOR ? [ours, engine] : [ours, engine, floor];
    const found = summarize(await measure(situation, contenders, say, ["up"]));
    const [own, bare, dynamic] = [ours, engine, floor].map(({ name }) =>
      found.find(({ contender }) => contender === name),
    );
    if (!own || !bare) throw new Error("A contender has not been measured.");
    rows.push({
      count,
      ours: own.ms / count,
      engine: bare.ms / count,
      floor: dynamic ? dynamic.ms / count : null,
      pluginCpu: ((own.cpu ?? NaN) - (bare.cpu ?? NaN)) / count,
      memory: own.memory ?? NaN,
    });
  }
  return rows;
}
