import { engine, floor, ours, under } from "../contenders/pulumi.ts";
import { measure } from "../measure.ts";
import type { Surroundings } from "../pulumi-subject.ts";
import { summarize } from "../summary.ts";

/** When the engine writes the state. */
export type Writing = "at each step" | "once";

/** What one resource costs at some number of resources, of an `up` in which all differ. */
export interface GrowthRow {
  readonly writing: Writing;
  readonly count: number;
  /** How many times `up` was measured; the rest are medians of them. */
  readonly rounds: number;
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

interface Setting {
  readonly writing: Writing;
  readonly surroundings: Surroundings;
  /** The most rounds; writing at each step, they take minutes each. */
  readonly rounds: number;
  /** Up to which number of resources the floor takes part: beyond it, it takes as long as all else together. */
  readonly mostOfFloor: number;
}

const SETTINGS: readonly Setting[] = [
  { writing: "at each step", surroundings: {}, rounds: 1, mostOfFloor: 1000 },
  {
    writing: "once",
    surroundings: { env: { PULUMI_SKIP_CHECKPOINTS: "true" } },
    rounds: 3,
    mostOfFloor: Infinity,
  },
];

/** Cost per resource over the number of resources. */
export async function measureGrowth(
  counts: readonly number[],
  repetitions: number,
  say: (line: string) => void,
): Promise<GrowthRow[]> {
  const rows: GrowthRow[] = [];
  for (const setting of SETTINGS) {
    for (const count of counts) rows.push(await measureOne(setting, count, repetitions, say));
  }
  return rows;
}

async function measureOne(
  { writing, surroundings, rounds, mostOfFloor }: Setting,
  count: number,
  repetitions: number,
  say: (line: string) => void,
): Promise<GrowthRow> {
  say(`growth, ${count} webhooks, state written ${writing}`);
  const situation = {
    kind: "webhooks",
    count,
    latency: 0,
    repetitions: Math.min(rounds, repetitions),
  } as const;
  const present = count > mostOfFloor ? [ours, engine] : [ours, engine, floor];
  const contenders = present.map((contender) => under(surroundings, contender));
  const found = summarize(await measure(situation, contenders, say, ["up"]));
  const [own, bare, dynamic] = [ours, engine, floor].map(({ name }) =>
    found.find(({ contender }) => contender === name),
  );
  if (!own || !bare) throw new Error("A contender has not been measured.");
  return {
    writing,
    count,
    rounds: situation.repetitions,
    ours: own.ms / count,
    engine: bare.ms / count,
    floor: dynamic ? dynamic.ms / count : null,
    pluginCpu: ((own.cpu ?? NaN) - (bare.cpu ?? NaN)) / count,
    memory: own.memory ?? NaN,
  };
}
