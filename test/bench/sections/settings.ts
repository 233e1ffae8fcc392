import { floor, ours, under } from "../contenders/pulumi.ts";
import { measure } from "../measure.ts";
import { summarize } from "../summary.ts";

/** An `up` of webhooks that all differ, with a setting of the engine. */
export interface SettingsRow {
  readonly setting: string;
  readonly count: number;
  /** Milliseconds, by contender. */
  readonly ours: number;
  readonly floor: number;
}

/** Switches of the CLI that bear on how it writes the state, and the usual. */
const SETTINGS: readonly (readonly [name: string, env: Readonly<Record<string, string>>])[] = [
  ["none", {}],
  ["PULUMI_SKIP_CHECKPOINTS", { PULUMI_SKIP_CHECKPOINTS: "true" }],
  [
    "PULUMI_DIY_BACKEND_DISABLE_CHECKPOINT_BACKUPS",
    { PULUMI_DIY_BACKEND_DISABLE_CHECKPOINT_BACKUPS: "true" },
  ],
];

/** What the engine's switches do, at some numbers of webhooks. */
export async function measureSettings(
  counts: readonly number[],
  repetitions: number,
  say: (line: string) => void,
): Promise<SettingsRow[]> {
  const rows: SettingsRow[] = [];
  for (const [setting, env] of SETTINGS) {
    for (const count of counts) {
      say(`${setting}, ${count} webhooks`);
      const contenders = [ours, floor].map((contender) => under({ env }, contender));
      const situation = { kind: "webhooks", count, latency: 0, repetitions } as const;
      const found = summarize(await measure(situation, contenders, say, ["up"]));
      const time = (name: string): number => found.find(({ contender }) => contender === name)?.ms ?? NaN;
      rows.push({ setting, count, ours: time("ours"), floor: time("floor") });
    }
  }
  return rows;
}
