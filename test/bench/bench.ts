/**
 * `npm run bench` compares pulumi-partners with other ways to manage webhooks. It prints medians and asserts
 * nothing, because they depend on the machine.
 *
 * --rounds 5          measurements of each case --counts 1,50,200   numbers of webhooks --latency 0,50
 * milliseconds that the service takes to respond --paged 2000        webhooks of a fleet whose list has
 * pages of 50, or 0 for none
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { parseArgs } from "node:util";
import { ROOT } from "../../provider/tools/checkout.ts";
import { buildPlugin } from "../../provider/tools/release/executable/plugin-tarball.ts";
import { startTime } from "../../provider/tools/release/executable/start-time.ts";
import { mustRun } from "../../provider/tools/child-process.ts";
import { startSandbox } from "../support/sandbox.ts";
import { findContenders, OPERATIONS, type Declare } from "./contenders.ts";

/** The measurements of a contender in one case. The arrays follow the order of {@link OPERATIONS}. */
interface Row {
  readonly contender: string;
  /** The number of webhooks. */
  readonly count: number;
  /** Median wall times in milliseconds. */
  readonly ms: readonly number[];
  /** The requests of the last round, such as `1 GET + 50 PATCH`. */
  readonly requests: readonly string[];
}

const { values: options } = parseArgs({
  options: {
    rounds: { type: "string", default: "5" },
    counts: { type: "string", default: "1,50,200" },
    latency: { type: "string", default: "0,50" },
    paged: { type: "string", default: "2000" },
  },
});
const [rounds = 0] = numbers(options.rounds);
const [paged = 0] = numbers(options.paged);
const PAGES = { pageSize: 50, pageStyle: "cursor" } as const;
/** The maximum number of measurements of the fleet over pages: 2,000 changes take long. */
const PAGED_ROUNDS = 3;
const folder = await mkdtemp(join(tmpdir(), "partners-bench-"));
const { path } = await buildPlugin(folder);
await mustRun("tar", ["-xzf", basename(path)], { cwd: folder });
const contenders = await findContenders(folder);
const startMs = await startTime([join(folder, "pulumi-resource-partners")], 30);
const sources = join(ROOT, "provider/plugin");
await mustRun("npm", ["install", "--loglevel=error"], { cwd: sources });
const launcher = join(sources, "node_modules/@pulumi/pulumi/cmd/run-plugin");
const sourceStartMs = await startTime([process.execPath, launcher, sources], 10);
console.log(
  `The native plugin starts in ${startMs.toFixed(0)} ms, from its sources in ${sourceStartMs.toFixed(0)} ms.`,
);

// Warm the file cache, so that the first commands do not read from disk.
await measure(1, 0, 1);
for (const latency of numbers(options.latency)) {
  const rows: Row[] = [];
  for (const count of numbers(options.counts)) rows.push(...(await measure(count, latency, rounds)));
  if (paged > 0) {
    const times = Math.min(rounds, PAGED_ROUNDS);
    const [row] = await measure(paged, latency, times, { fleet: contenders.fleet }, PAGES);
    if (row !== undefined) rows.push({ ...row, contender: `fleet, list in pages of ${PAGES.pageSize}` });
  }
  console.log(`\nSeconds at ${latency} ms latency:\n${table(rows)}\n\nRequests:\n${requestsText(rows)}`);
}
await rm(folder, { recursive: true });

function numbers(list: string): number[] {
  if (!/^\d+(,\d+)*$/.test(list)) throw new Error(`Not a list of numbers: ${list}`);
  return list.split(",").map(Number);
}

/**
 * Runs all operations of a case. The contenders take turns, so that a disturbance of the machine affects them
 * all.
 */
async function measure(
  count: number,
  latency: number,
  times: number,
  of: Readonly<Record<string, Declare>> = contenders,
  pages: Partial<typeof PAGES> = {},
): Promise<Row[]> {
  const webhooks = Array.from({ length: count }, (_, index) => {
    return { webhookId: index + 1, state: "disabled" as const };
  });
  const results = Object.entries(of).map(([contender, declare]) => {
    const samples = OPERATIONS.map((): number[] => []);
    return { contender, declare, samples, requests: OPERATIONS.map(() => "") };
  });
  for (let round = 0; round < times; round += 1) {
    const runs = [];
    for (const result of results) {
      const sandbox = await startSandbox({ webhooks, delay: latency, ...pages });
      runs.push({ sandbox, project: await result.declare(count, sandbox), result });
    }
    for (const [index, operation] of OPERATIONS.entries()) {
      const first = (round + index) % runs.length;
      for (const { sandbox, project, result } of [...runs.slice(first), ...runs.slice(0, first)]) {
        sandbox.clearRequests();
        result.samples[index]?.push(await project.run(operation));
        result.requests.splice(index, 1, summarizeRequests(sandbox.requests));
      }
    }
    for (const { sandbox, project } of runs) {
      await project.dispose();
      await sandbox.close();
    }
  }
  return results.map(({ contender, samples, requests }) => {
    return { contender, count, requests, ms: samples.map(median) };
  });
}

function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? NaN;
}

/** Counts requests by method, such as `1 GET + 50 PATCH`. */
function summarizeRequests(requests: readonly { readonly method: string }[]): string {
  const byMethod = Object.entries(Object.groupBy(requests, ({ method }) => method)).sort();
  return byMethod.map(([method, sent = []]) => `${sent.length} ${method}`).join(" + ");
}

/** Returns the measurements as the table of docs/versions.md. */
function table(rows: readonly Row[]): string {
  const lines = rows.map(({ count, contender, ms }) => {
    return [count, contender, ...ms.map((time) => (time / 1000).toFixed(2))];
  });
  const header = ["webhooks", "", ...OPERATIONS];
  const rule = ["--:", "---", ...OPERATIONS.map(() => "--:")];
  return [header, rule, ...lines].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

/** Returns the requests of the first `up` and of the refresh, one line for each contender and count. */
function requestsText(rows: readonly Row[]): string {
  const lines = rows.map(({ count, contender, requests: [up, , , refresh] }) => {
    return `${contender}, ${count}: ${up || "none"} for up, ${refresh || "none"} for refresh`;
  });
  return lines.join("\n");
}
