/** `npm run bench`: measures, judges, and writes docs/performance.md. */
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { floor, ours, tutorial } from "./contenders/pulumi.ts";
import { GOAL_COUNT, judge, type Goal } from "./goals.ts";
import { readOptions, type BenchOptions, type Section } from "./options.ts";
import { measure } from "./measure.ts";
import { goalsTable, writePage } from "./page.ts";
import { provenance, readResults, writeResults, type Findings } from "./results.ts";
import { compare, compareByCli, merge, type Comparison } from "./sections/compare.ts";
import { measureGrowth } from "./sections/growth.ts";
import { measureList } from "./sections/list.ts";
import { measureParallel } from "./sections/parallel.ts";
import { measureSettings } from "./sections/settings.ts";
import { measureProfile } from "./sections/profile.ts";
import { measureStart } from "./sections/start.ts";

/** Runs whose goals the page shows: enough to see how far they differ. */
const GOAL_RUNS = 4;

const options = readOptions(process.argv.slice(2));
const startedAt = Date.now();
const say = (line: string): void => {
  console.log(line);
};

const MEASURE: Readonly<Record<Section, (options: BenchOptions) => Promise<Findings>>> = {
  webhooks: async ({ webhooks, latencies, repetitions }) => ({
    webhooks: await compare("webhooks", webhooks, latencies, repetitions, say),
  }),
  cli: async ({ repetitions }) => ({ cli: await compareByCli(repetitions, say) }),
  keys: async ({ keys, latencies, repetitions }) => ({
    keys: await compare("keys", keys, latencies, repetitions, say),
  }),
  parallel: async ({ repetitions }) => ({ parallel: await measureParallel(Math.min(3, repetitions), say) }),
  growth: async ({ growth, repetitions }) => ({ growth: await measureGrowth(growth, repetitions, say) }),
  settings: async ({ growth, repetitions }) => {
    const cache = await mkdtemp(join(tmpdir(), "partners-bench-"));
    const settings = await measureSettings(growth.slice(0, 2), repetitions, cache, say);
    await rm(cache, { recursive: true });
    return { settings };
  },
  profile: async ({ repetitions }) => ({ profile: await measureProfile(repetitions, say) }),
  list: async ({ repetitions }) => ({ list: await measureList(repetitions, say) }),
  start: async ({ repetitions }) => ({ start: await measureStart(repetitions, say) }),
};

// The projects lie beside their packages, as a user's do: the state holds paths from the one to the other.
process.env["TMPDIR"] = join(import.meta.dirname, "..", "..", "node_modules", ".bench");
await mkdir(process.env["TMPDIR"], { recursive: true });

// The first run reads from the disk what the later ones find in memory.
for (const contender of [ours, floor, tutorial]) {
  await measure({ kind: "webhooks", count: 1, latency: 0, repetitions: 1 }, [contender], () => undefined, [
    "up",
  ]);
}

for (const section of options.sections) {
  const found = await MEASURE[section](options);
  const goals = hasGoals(found) ? judge(found.webhooks.rows) : [];
  if (options.write) await keep(section, found, goals);
  if (goals.length > 0) say(`\n${goalsTable([{ date: "now", goals }])}\n`);
  if (goals.some(({ met }) => met === false)) process.exitCode = 1;
}
if (options.write) say("Written: docs/performance.md");
say(`${((Date.now() - startedAt) / 60_000).toFixed(1)} minutes`);

/** Brings the page up to date after each section, as the next one may take long. */
async function keep(section: Section, found: Findings, goals: readonly Goal[]): Promise<void> {
  const before = await readResults();
  const here = await provenance();
  const results = {
    findings: {
      ...before.findings,
      ...found,
      ...(found.webhooks && { webhooks: merge(before.findings.webhooks, found.webhooks) }),
      ...(found.keys && { keys: merge(before.findings.keys, found.keys) }),
    },
    provenance: { ...before.provenance, [section]: here },
    goals:
      goals.length > 0 ? [{ date: here.date, goals }, ...before.goals].slice(0, GOAL_RUNS) : before.goals,
  };
  await writeResults(results);
  await writePage(results);
}

function hasGoals(found: Findings): found is Findings & { webhooks: Comparison } {
  return found.webhooks?.rows.some(({ situation }) => situation.count === GOAL_COUNT) ?? false;
}
