import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { STEPS, type Step } from "../case.ts";
import { ours, under } from "../contenders/pulumi.ts";
import { measureRound } from "../measure.ts";
import { median } from "../statistics.ts";

/** Where code of the plugin process comes from. */
export const OWNERS = ["Node.js", "SDK", "undici", "pulumi-partners"] as const;

/** One of {@link OWNERS}. */
export type Owner = (typeof OWNERS)[number];

/** How the plugin process spends its time in one operation, in milliseconds. */
export interface ProfileRow {
  readonly step: Step;
  /** How many rounds; the rest are medians of them. */
  readonly rounds: number;
  /** Wall time of the operation, which the profiler makes longer. */
  readonly ms: number;
  readonly busy: Readonly<Record<Owner, number>>;
}

/** The parts of a V8 CPU profile that are read here (Chrome DevTools Protocol, `Profiler.Profile`). */
interface CpuProfile {
  readonly nodes: readonly {
    readonly id: number;
    readonly callFrame: { readonly functionName: string; readonly url: string };
    readonly children?: readonly number[];
  }[];
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

const COUNT = 200;

/** What has no code on the stack to count it to: waiting, and V8's own work (13 to 127 ms of an operation, measured). */
const NOT_COUNTED = ["(idle)", "(program)"];

/** Whose code is in a file. What Node.js does for one of them is that one's. */
const FILES: readonly (readonly [Owner, RegExp])[] = [
  ["pulumi-partners", /[\\/]provider[\\/]dist[\\/]/],
  ["undici", /[\\/]node_modules[\\/]undici[\\/]/],
  ["SDK", /[\\/]node_modules[\\/]/],
];

/** Profiles our plugin in each operation. */
export async function measureProfile(
  repetitions: number,
  say: (line: string) => void,
): Promise<ProfileRow[]> {
  const folder = await mkdtemp(join(tmpdir(), "partners-bench-"));
  const file = join(folder, "plugin.cpuprofile");
  const contender = under({ env: { BENCH_PROFILE_FILE: file } }, ours);
  const situation = { kind: "webhooks", count: COUNT, latency: 0, repetitions: 1 } as const;
  const found: Omit<ProfileRow, "rounds">[] = [];
  for (let round = 0; round < repetitions; round += 1) {
    await measureRound(situation, [contender], STEPS, async (_contender, step, { ms }) => {
      const busy = addUp(JSON.parse(await readFile(file, "utf8")) as CpuProfile);
      await rm(file);
      found.push({ step, ms, busy });
      say(`profile ${step}: ${OWNERS.map((owner) => `${owner} ${busy[owner].toFixed(0)} ms`).join(", ")}`);
    });
  }
  await rm(folder, { recursive: true });
  return STEPS.map((step) => {
    const rows = found.filter((row) => row.step === step);
    const busy = byOwner((owner) => median(rows.map((row) => row.busy[owner])));
    return { step, rounds: repetitions, ms: median(rows.map(({ ms }) => ms)), busy };
  });
}

/** Milliseconds of our code and of undici in an operation; `null` if it was not profiled. */
export function ownMs(rows: readonly ProfileRow[], step: Step): number | null {
  const busy = rows.find((row) => row.step === step)?.busy;
  return busy ? busy.undici + busy["pulumi-partners"] : null;
}

function addUp({ nodes, samples, timeDeltas }: CpuProfile): Readonly<Record<Owner, number>> {
  const owners = new Map<number, Owner | null>();
  const parents = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id])));
  // A profile lists every node before its children.
  for (const { id, callFrame } of nodes) {
    const above = owners.get(parents.get(id) ?? NaN);
    const owner = FILES.find(([, pattern]) => pattern.test(callFrame.url))?.[0] ?? above ?? "Node.js";
    owners.set(id, NOT_COUNTED.includes(callFrame.functionName) ? null : owner);
  }
  const busy = byOwner(() => 0);
  samples.forEach((id, index) => {
    const owner = owners.get(id);
    if (owner) busy[owner] += (timeDeltas[index] ?? 0) / 1000;
  });
  return busy;
}

function byOwner(value: (owner: Owner) => number): Record<Owner, number> {
  return Object.fromEntries(OWNERS.map((owner) => [owner, value(owner)])) as Record<Owner, number>;
}
