import { READS, type Kind } from "../case.ts";
import type { Contender } from "../contender.ts";
import { engine, floor, ours, tutorial, under } from "../contenders/pulumi.ts";
import { GOAL_COUNT } from "../goals.ts";
import { terraform } from "../contenders/terraform.ts";
import { measure } from "../measure.ts";
import { summarize, type Row } from "../summary.ts";

/** Who takes part, and who does not and why. */
export interface Comparison {
  readonly rows: readonly Row[];
  readonly contenders: readonly { readonly name: string; readonly description: string }[];
  readonly skipped: readonly string[];
}

/** What is measured without latency is the goals' case and larger ones: of a few resources, it says little. */
const LEAST_WITHOUT_LATENCY = GOAL_COUNT;

/** The goals' cases, with programs that are processes of their own. */
export async function compareByCli(repetitions: number, say: (line: string) => void): Promise<Row[]> {
  const cases = [
    [0, [ours, engine, floor]],
    [50, [ours, tutorial]],
  ] as const;
  const rows: Row[] = [];
  for (const [latency, present] of cases) {
    const contenders = present.map((contender) => under({ ownProcess: true }, contender));
    say(`webhooks, ${GOAL_COUNT} of them, ${latency} ms latency, programs in processes of their own`);
    const situation = { kind: "webhooks", count: GOAL_COUNT, latency, repetitions } as const;
    rows.push(...summarize(await measure(situation, contenders, say)));
  }
  return rows;
}

/** All contenders in all cases. */
export async function compare(
  kind: Kind,
  counts: readonly number[],
  latencies: readonly number[],
  repetitions: number,
  say: (line: string) => void,
): Promise<Comparison> {
  const present: Contender[] = [];
  const skipped: string[] = [];
  for (const contender of [ours, engine, floor, tutorial, terraform]) {
    const reason = await contender.unavailable(kind);
    if (reason === null) present.push(contender);
    else skipped.push(`${contender.name}: ${reason}`);
  }
  for (const line of skipped) say(`  skipped ${line}`);
  const rows: Row[] = [];
  for (const latency of latencies) {
    for (const count of counts) {
      if (latency === 0 && count < LEAST_WITHOUT_LATENCY) continue;
      say(`${kind}, ${count} of them, ${latency} ms latency`);
      // What the engine alone takes has no latency, and to compare with another engine without one says little.
      const absent = latency === 0 ? terraform : engine;
      const contenders = present.filter((contender) => contender !== absent);
      const reads = latency === 0 ? READS : 1;
      const situation = { kind, count, latency, repetitions, reads };
      rows.push(...summarize(await measure(situation, contenders, say)));
    }
  }
  return { rows, contenders: present.map(({ name, description }) => ({ name, description })), skipped };
}

/** A comparison with what an earlier one has of other cases. */
export function merge(earlier: Comparison | undefined, latest: Comparison): Comparison {
  const caseOf = ({ situation }: Row): string => `${situation.latency} ${situation.count}`;
  const measured = new Set(latest.rows.map(caseOf));
  const kept = earlier?.rows.filter((row) => !measured.has(caseOf(row))) ?? [];
  const rows = [...kept, ...latest.rows].sort(
    ({ situation: one }, { situation: other }) => one.latency - other.latency || one.count - other.count,
  );
  const names = new Set(latest.contenders.map(({ name }) => name));
  const others = earlier?.contenders.filter(({ name }) => !names.has(name)) ?? [];
  const contenders = [...latest.contenders, ...others];
  const skipped = latest.skipped.filter((line) => !others.some(({ name }) => line.startsWith(`${name}:`)));
  return { rows, contenders, skipped };
}
