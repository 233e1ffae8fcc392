import type { Step } from "../case.ts";
import { floor, ours, under } from "../contenders/pulumi.ts";
import { measure } from "../measure.ts";
import type { Surroundings } from "../pulumi-subject.ts";
import { summarize } from "../summary.ts";

/** An operation with a setting of Pulumi or Node.js. */
export interface SettingsRow {
  readonly setting: string;
  readonly step: Step;
  readonly count: number;
  /** Milliseconds, by contender. */
  readonly ours: number;
  readonly floor: number;
}

type Setting = readonly [name: string, surroundings: Surroundings];

const NONE: Setting = ["none", {}];

/** Switches of the CLI that bear on how it writes the state. */
const WRITING: readonly Setting[] = [
  NONE,
  ...["PULUMI_SKIP_CHECKPOINTS", "PULUMI_DIY_BACKEND_DISABLE_CHECKPOINT_BACKUPS"].map((name): Setting => [
    `${name}=true`,
    { env: { [name]: "true" } },
  ]),
];

const OWN_PROCESS = { ownProcess: true };
/** How many webhooks, where it is the start that is measured. */
const START_COUNT = 200;

/** What the switches do, at some numbers of webhooks. @param cache A folder that the bench may fill. */
export async function measureSettings(
  counts: readonly number[],
  repetitions: number,
  cache: string,
  say: (line: string) => void,
): Promise<SettingsRow[]> {
  const rows: SettingsRow[] = [];
  // The larger ones take minutes each, and their noise is small beside them.
  for (const setting of WRITING)
    for (const count of counts) rows.push(await measureOne(setting, count, "up", 1, say));
  for (const setting of [
    ["none", OWN_PROCESS],
    ["NODE_COMPILE_CACHE", { ...OWN_PROCESS, env: { NODE_COMPILE_CACHE: cache } }],
  ] satisfies Setting[])
    rows.push(await measureOne(setting, START_COUNT, "unchanged up", repetitions, say));
  return rows;
}

async function measureOne(
  [setting, surroundings]: Setting,
  count: number,
  step: Step,
  repetitions: number,
  say: (line: string) => void,
): Promise<SettingsRow> {
  say(`${setting}, ${count} webhooks`);
  const contenders = [ours, floor].map((contender) => under(surroundings, contender));
  const situation = { kind: "webhooks", count, latency: 0, repetitions } as const;
  const steps: Step[] = step === "up" ? ["up"] : ["up", step];
  const found = summarize(await measure(situation, contenders, say, steps));
  const time = (name: string): number =>
    found.find((row) => row.contender === name && row.step === step)?.ms ?? NaN;
  return { setting, step, count, ours: time("ours"), floor: time("floor") };
}
