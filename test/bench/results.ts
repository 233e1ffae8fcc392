import { mkdir, readFile, writeFile } from "node:fs/promises";
import { cpus, totalmem, type } from "node:os";
import { dirname, join } from "node:path";

import { runProcess } from "../support/process.ts";
import { getPulumi } from "../support/pulumi-cli.ts";
import type { Goal } from "./goals.ts";
import type { Section } from "./options.ts";
import type { Comparison } from "./sections/compare.ts";
import type { GrowthRow } from "./sections/growth.ts";
import type { ListRow } from "./sections/list.ts";
import type { ParallelRow } from "./sections/parallel.ts";
import type { ProfileRow } from "./sections/profile.ts";
import type { SettingsRow } from "./sections/settings.ts";
import { versions, type StartRow } from "./sections/start.ts";
import type { Row } from "./summary.ts";

/** What the sections found. */
export interface Findings {
  readonly webhooks?: Comparison;
  readonly cli?: readonly Row[];
  readonly keys?: Comparison;
  readonly parallel?: readonly ParallelRow[];
  readonly growth?: readonly GrowthRow[];
  readonly profile?: readonly ProfileRow[];
  readonly settings?: readonly SettingsRow[];
  readonly list?: readonly ListRow[];
  readonly start?: readonly StartRow[];
}

/** Where and when a section was measured. */
export interface Provenance {
  /** The day, ISO 8601. */
  readonly date: string;
  readonly machine: string;
  readonly versions: Readonly<Record<string, string>>;
}

/** All that is known, from one run or from several. */
export interface Results {
  readonly findings: Findings;
  readonly provenance: Readonly<Partial<Record<Section, Provenance>>>;
  /** What became of the goals in the latest runs, the last one first. */
  readonly goals: readonly { readonly date: string; readonly goals: readonly Goal[] }[];
}

const FILE = join(import.meta.dirname, "..", "..", "docs", "performance", "results.json");

/** Reads what the page was made of; nothing where there is none yet. */
export async function readResults(): Promise<Results> {
  const text = await readFile(FILE, "utf8").catch(() => null);
  return text === null ? { findings: {}, provenance: {}, goals: [] } : (JSON.parse(text) as Results);
}

/** Keeps it. */
export async function writeResults(results: Results): Promise<void> {
  await mkdir(dirname(FILE), { recursive: true });
  await writeFile(FILE, `${JSON.stringify(results, null, 1)}\n`);
}

/** The machine and the versions of a run. */
export async function provenance(): Promise<Provenance> {
  const pulumi = await getPulumi();
  const { stdout } = await runProcess(pulumi.path, ["version"]);
  const [cpu] = cpus();
  return {
    date: new Date().toISOString().slice(0, 16).replace("T", " "),
    machine: `${cpus().length} × ${cpu?.model ?? "unknown processor"}, ${Math.round(totalmem() / 2 ** 30)} GiB, ${type()}`,
    versions: { pulumi: stdout.trim(), ...versions() },
  };
}
