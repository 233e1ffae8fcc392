import { READS, type Step } from "../case.ts";
import { ours, under } from "../contenders/pulumi.ts";
import { measure } from "../measure.ts";
import type { Surroundings } from "../pulumi-subject.ts";
import { summarize } from "../summary.ts";

/** An operation with a setting of Pulumi or Node.js. */
export interface SettingsRow {
  readonly setting: string;
  readonly step: Step;
  readonly count: number;
  /** How many rounds; what changes no resource runs {@link READS} times in each. */
  readonly rounds: number;
  /** The median of them, in milliseconds. */
  readonly ms: number;
}

interface Setting {
  readonly name: string;
  readonly surroundings: Surroundings;
}

/** Switches of the CLI that bear on how it writes the state. */
const WRITING: readonly Setting[] = [
  { name: "none", surroundings: {} },
  ...["PULUMI_SKIP_CHECKPOINTS", "PULUMI_DIY_BACKEND_DISABLE_CHECKPOINT_BACKUPS"].map((name) => {
    return { name: `${name}=true`, surroundings: { env: { [name]: "true" } } };
  }),
];
/** How many webhooks, where it is the start that is measured. */
const START_COUNT = 200;
/** Rounds of what is slow, and whose differences are large. */
const WRITING_ROUNDS = 3;

/** What the switches do, at some numbers of webhooks. @param cache A folder that the bench may fill. */
export async function measureSettings(
  counts: readonly number[],
  repetitions: number,
  cache: string,
  say: (line: string) => void,
): Promise<SettingsRow[]> {
  const starting: readonly Setting[] = [
    { name: "none", surroundings: { ownProcess: true } },
    {
      name: "NODE_COMPILE_CACHE",
      surroundings: { ownProcess: true, env: { NODE_COMPILE_CACHE: cache } },
    },
  ];
  const rows: SettingsRow[] = [];
  for (const count of counts) {
    rows.push(...(await measureAll(WRITING, count, "up", Math.min(WRITING_ROUNDS, repetitions), say)));
  }
  return [...rows, ...(await measureAll(starting, START_COUNT, "unchanged up", repetitions, say))];
}

/** The settings take turns, as contenders do. */
async function measureAll(
  settings: readonly Setting[],
  count: number,
  step: Step,
  repetitions: number,
  say: (line: string) => void,
): Promise<SettingsRow[]> {
  say(`settings, ${step} of ${count} webhooks`);
  const contenders = settings.map(({ name, surroundings }) => ({ ...under(surroundings, ours), name }));
  const situation = { kind: "webhooks", count, latency: 0, repetitions, reads: READS } as const;
  const steps: Step[] = step === "up" ? ["up"] : ["up", step];
  const found = summarize(await measure(situation, contenders, say, steps));
  return found
    .filter((row) => row.step === step)
    .map(({ contender, ms }) => ({ setting: contender, step, count, rounds: repetitions, ms }));
}
