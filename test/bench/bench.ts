/**
 * `npm run bench` compares pulumi-partners with other ways to do the same. It prints medians and ratios and judges neither,
 * because they depend on the machine.
 *
 * --rounds 5          how often each case is measured
 * --only webhooks     or keys
 * --counts 1,50,200   how many resources
 * --latency 0,50      milliseconds that the service takes to answer
 * --contenders fleet  only these, by name
 * --quick             one round with few resources, to see that it works
 * --write             replaces docs/performance.md, its results and its chart by those of this run
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { parseArgs } from "node:util";
import { buildPlugin } from "../support/executable/build.ts";
import { startTime } from "../support/executable/start-time.ts";
import { mustRun } from "../support/process.ts";
import { startSandbox } from "../support/sandbox.ts";
import { findContenders, OPERATIONS } from "./contenders/contenders.ts";
import { type Case, nameOf, type Row, seconds, writePage } from "./page.ts";

const text = { type: "string" } as const;
const flag = { type: "boolean" } as const;
const { values: options } = parseArgs({
  options: {
    rounds: text,
    only: text,
    counts: text,
    latency: text,
    contenders: text,
    quick: flag,
    write: flag,
  },
});
const USUAL = { rounds: 5, webhooks: [1, 50, 200], keys: [1, 20], latencies: [0, 50] };
const QUICK = { rounds: 1, webhooks: [1, 20], keys: [1], latencies: [50] };
const defaults = options.quick ? QUICK : USUAL;
const rounds = numbers(options.rounds)?.[0] ?? defaults.rounds;
const cases = chosenCases();
if (cases.length === 0 || rounds === 0) throw new Error("These options leave nothing to measure.");
const folder = await mkdtemp(join(tmpdir(), "partners-bench-"));
const { path } = await buildPlugin(folder);
await mustRun("tar", ["-xzf", basename(path)], { cwd: folder });
const only = options.contenders?.split(",");
const contenders = (await findContenders(folder)).filter(({ name }) => only?.includes(name) ?? true);
const startMs = await startTime(join(folder, "pulumi-resource-partners"), 30);
console.log(`The native plugin starts in ${startMs.toFixed(0)} ms.`);

// The first commands read from disk what later ones find in memory.
await measure({ kind: "webhooks", count: 1, latency: 0 }, 1);
const rows: Row[] = [];
for (const one of cases) {
  const measured = await measure(one, rounds);
  print(one, measured);
  rows.push(...measured);
}
if (options.write) await writePage(rows, contenders, rounds, startMs);
await rm(folder, { recursive: true });

function chosenCases(): Case[] {
  const kinds = (["webhooks", "keys"] as const).filter((kind) => (options.only ?? kind) === kind);
  const counts = numbers(options.counts);
  return (numbers(options.latency) ?? defaults.latencies).flatMap((latency) =>
    kinds.flatMap((kind) => (counts ?? defaults[kind]).map((count) => ({ kind, count, latency }))),
  );
}

function numbers(list: string | undefined): number[] | undefined {
  if (list !== undefined && !/^\d+(,\d+)*$/.test(list)) throw new Error(`Not a list of numbers: ${list}`);
  return list?.split(",").map(Number);
}

/**
 * Runs all operations so many times. The contenders take turns at each operation, and each time another one begins, so that
 * whatever disturbs the machine disturbs all of them.
 */
async function measure(one: Case, times: number): Promise<Row[]> {
  const { kind, count, latency } = one;
  const ids = Array.from({ length: kind === "webhooks" ? count : 0 }, (_, index) => index + 1);
  const webhooks = ids.map((webhookId) => ({ webhookId, state: "disabled" as const }));
  const present = contenders.filter(({ kinds }) => kinds.includes(kind));
  const results = present.map(({ name }) => {
    return {
      contender: name,
      samples: OPERATIONS.map((): number[] => []),
      requests: OPERATIONS.map(() => ""),
    };
  });
  for (let round = 0; round < times; round += 1) {
    const subjects = [];
    for (const [index, contender] of present.entries()) {
      const sandbox = await startSandbox({ webhooks, latency });
      const declared = await contender.declare(kind, count, sandbox);
      subjects.push({ sandbox, declared, result: results[index] });
    }
    for (const [index, operation] of OPERATIONS.entries()) {
      const first = (round + index) % subjects.length;
      for (const { sandbox, declared, result } of [...subjects.slice(first), ...subjects.slice(0, first)]) {
        sandbox.clearRequests();
        result?.samples[index]?.push(await declared.run(operation));
        result?.requests.splice(index, 1, countText(sandbox.requests));
      }
    }
    for (const { sandbox, declared } of subjects) {
      await declared.dispose();
      await sandbox.close();
    }
  }
  return results.map(({ samples, ...rest }) => ({ ...one, ...rest, ms: samples.map(median) }));
}

/** `1 GET + 50 PATCH`. */
function countText(requests: readonly { readonly method: string }[]): string {
  const byMethod = Object.entries(Object.groupBy(requests, ({ method }) => method)).sort();
  return byMethod.map(([method, sent = []]) => `${sent.length} ${method}`).join(" + ");
}

function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? NaN;
}

/** Prints seconds, and in parentheses how many times as long the first contender takes. */
function print(one: Case, measured: readonly Row[]): void {
  console.log(`\n${nameOf(one)}, ${one.latency} ms latency`);
  const cells = measured.map(({ contender, ms }) => {
    const texts = ms.map((value, index) => {
      const ratio = (measured[0]?.ms[index] ?? NaN) / value;
      return [OPERATIONS[index], `${seconds(value)} (${ratio.toFixed(2)})`];
    });
    return [contender, Object.fromEntries(texts)] as const;
  });
  console.table(Object.fromEntries(cells));
}
