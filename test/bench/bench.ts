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
import { type Contender, findContenders, OPERATIONS } from "./contenders/contenders.ts";
import { type Case, nameOf, type Row, seconds, writePage } from "./page.ts";

const text = { type: "string" } as const;
const flag = { type: "boolean", default: false } as const;
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
const names = options.contenders?.split(",");
const contenders = (await findContenders(folder)).filter(({ name }) => names?.includes(name) ?? true);
const startMs = await startTime(join(folder, "pulumi-resource-partners"), 30);
console.log(`The native plugin starts in ${startMs.toFixed(0)} ms.`);

// The first commands read from disk what later ones find in memory.
await measureRound({ kind: "webhooks", count: 1, latency: 0 }, contenders, 0);
const rows: Row[] = [];
for (const one of cases) {
  const measured = await measure(one);
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

async function measure(one: Case): Promise<Row[]> {
  const present = contenders.filter(({ kinds }) => kinds.includes(one.kind));
  const samples: Awaited<ReturnType<typeof measureRound>> = [];
  for (let round = 0; round < rounds; round += 1) samples.push(...(await measureRound(one, present, round)));
  return present.map(({ name }) => {
    const own = samples.filter(({ contender }) => contender === name);
    const byOperation = OPERATIONS.map((operation) => own.filter((sample) => sample.operation === operation));
    return {
      ...one,
      contender: name,
      ms: byOperation.map((found) => median(found.map(({ ms }) => ms))),
      requests: byOperation.map((found) => found.at(-1)?.requests ?? ""),
    };
  });
}

/**
 * Runs all operations once. The contenders take turns at each operation, and each time another one begins, so that whatever
 * disturbs the machine disturbs all of them.
 */
async function measureRound({ kind, count, latency }: Case, present: readonly Contender[], round: number) {
  const webhooks = Array.from({ length: kind === "webhooks" ? count : 0 }, (_, index) => {
    return { webhookId: index + 1, state: "disabled" as const };
  });
  const subjects = [];
  for (const contender of present) {
    const sandbox = await startSandbox({ webhooks, latency });
    subjects.push({ contender, sandbox, declared: await contender.declare(kind, count, sandbox) });
  }
  const samples = [];
  for (const [index, operation] of OPERATIONS.entries()) {
    const first = (round + index) % subjects.length;
    for (const { contender, sandbox, declared } of [...subjects.slice(first), ...subjects.slice(0, first)]) {
      const before = sandbox.requests.length;
      const ms = await declared.run(operation);
      const requests = countText(sandbox.requests.slice(before));
      samples.push({ contender: contender.name, operation, ms, requests });
    }
  }
  for (const { sandbox, declared } of subjects) {
    await declared.dispose();
    await sandbox.close();
  }
  return samples;
}

/** `1 GET + 50 PATCH`. */
function countText(requests: readonly { readonly method: string }[]): string {
  const byMethod = Object.entries(Object.groupBy(requests, ({ method }) => method)).sort();
  return byMethod.map(([method, sent = []]) => `${sent.length} ${method}`).join(" + ");
}

function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? NaN;
}

function print(one: Case, measured: readonly Row[]): void {
  console.log(
    `\n${nameOf(one)}, ${one.latency} ms latency: seconds (${measured[0]?.contender ?? ""} × this)`,
  );
  const cells = measured.map(({ contender, ms }) => {
    const ratios = ms.map((value, index) => ((measured[0]?.ms[index] ?? NaN) / value).toFixed(2));
    const texts = ms.map((value, index) => [OPERATIONS[index], `${seconds(value)} (${ratios[index] ?? ""})`]);
    return [contender, Object.fromEntries(texts)] as const;
  });
  console.table(Object.fromEntries(cells));
}
