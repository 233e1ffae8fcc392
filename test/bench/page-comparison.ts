import { requestText, type Row } from "./summary.ts";
import type { Comparison } from "./sections/compare.ts";
import { table } from "./table.ts";

/** What the contenders took, by latency. */
export function comparisonText(kind: "webhooks" | "keys", found: Comparison | undefined): string {
  if (!found) return "";
  const pictures = kind === "webhooks" ? `${CHARTS}\n\n` : "";
  return pictures + tablesByLatency(kind, found.rows);
}

function tablesByLatency(kind: "webhooks" | "keys", all: readonly Row[]): string {
  const latencies = [...new Set(all.map(({ situation }) => situation.latency))];
  const tables = latencies.map((latency) => {
    const rows = all.filter(({ situation }) => situation.latency === latency);
    return `${latency === 0 ? "Without latency" : `With ${latency} ms latency`}, medians of ${roundsText(rows)}${readsText(rows)}:\n\n${rowsTable(kind, rows)}`;
  });
  return tables.join("\n\n");
}

/** `5`, or `5 (at 500, of 3)` where a number of resources was measured less often. */
function roundsText(rows: readonly Row[]): string {
  const rounds = new Map(rows.map(({ situation }) => [situation.count, situation.repetitions]));
  const most = Math.max(...rounds.values());
  const fewer = [...rounds].filter(([, repetitions]) => repetitions < most);
  return `${most}${fewer.map(([count, repetitions]) => ` (at ${count}, of ${repetitions})`).join("")}`;
}

/** Where they run several times a round, as the medians are of so many more. */
function readsText(rows: readonly Row[]): string {
  const reads = rows[0]?.situation.reads ?? 1;
  return reads === 1 ? "" : ` rounds, in each of which what changes no resource runs ${reads} times`;
}

/** The same by the CLI. */
export function cliText(rows: readonly Row[] = []): string {
  if (rows.length === 0) return "";
  return `The same with programs that the engine starts as processes of their own at each operation, as \`pulumi up\` does in a folder. What is
added is the start of Node.js and of the SDK, and the first and slow runs of their code.

${tablesByLatency("webhooks", rows)}`;
}

const CHARTS = `![Time of the first up over the number of webhooks](performance/time.svg)

![Requests of up, unchanged up, preview and refresh together, over the number of webhooks](performance/requests.svg)`;

function rowsTable(kind: string, rows: readonly Row[]): string {
  const head = [
    kind,
    "",
    "operation",
    "requests",
    "time, s",
    "from – to",
    "plugin, MiB",
    "state, KB",
    "list, KB",
  ];
  const cells = rows.map(
    ({ situation, contender, step, requests, ms, range, memory, stateBytes, listBytes }) => [
      String(situation.count),
      contender,
      step,
      requestText(requests),
      seconds(ms),
      range.map(seconds).join(" – "),
      memory?.toFixed(0) ?? "–",
      (stateBytes / 1000).toFixed(1),
      requests["GET"] === undefined ? "–" : (listBytes / 1000).toFixed(1),
    ],
  );
  return table(head, cells, 4);
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(2);
}
