import { READS } from "./case.ts";
import type { GrowthRow } from "./sections/growth.ts";
import type { SettingsRow } from "./sections/settings.ts";
import { table, timesText } from "./table.ts";

/** Cost per resource. */
export function growthText(rows: readonly GrowthRow[] = []): string {
  if (rows.length === 0) return "";
  const [stepwise, once] = [
    rows.filter(({ writing }) => writing === "at each step"),
    rows.filter(({ writing }) => writing === "once"),
  ];
  return `Milliseconds of the first \`up\` for each webhook, all differing, no latency, ${timesText(stepwise)}. "Of this the engine" are resources that
register and look in state like ours, with handlers that do nothing. "Plugin CPU, ours" is the processor time of our plugin process
above that of the one that does nothing. Where "the rest" is below nothing, it is less than what the machine's speed changes by.

${growthTable(stepwise)}

The engine's part grows with the number of resources because on a \`file://\` backend it writes the whole state after every step: N
resources cost N writes of up to N resources each, so the bytes of one resource in state count quadratically. That is why a short
\`__provider\` pays. The same with \`PULUMI_SKIP_CHECKPOINTS\`, which writes it once, ${timesText(once)}:

${growthTable(once)}

${slopeText(once)}`;
}

/** What one more webhook costs, without the start of the processes that the first of them pays. */
function slopeText(rows: readonly GrowthRow[]): string {
  const steps = rows.slice(1).flatMap((row, index) => {
    const before = rows[index];
    if (!before) return [];
    const slope = (of: "ours" | "engine"): string =>
      ((row[of] * row.count - before[of] * before.count) / (row.count - before.count)).toFixed(2);
    return `${slope("ours")} ms between ${before.count} and ${row.count}, ${slope("engine")} of them the engine's`;
  });
  return `The start of the processes is shared by more webhooks here. What each one more adds: ${steps.join("; ")}.`;
}

function growthTable(rows: readonly GrowthRow[]): string {
  const head = [
    "webhooks",
    "ours",
    "of this the engine",
    "the rest",
    "floor",
    "plugin CPU, ours",
    "plugin, MiB",
  ];
  const cells = rows.map(({ count, ours, engine, floor, pluginCpu, memory }) => [
    String(count),
    ...[ours, engine, ours - engine, floor, pluginCpu].map((value) => value?.toFixed(2) ?? "–"),
    memory.toFixed(0),
  ]);
  return table(head, cells, 0);
}

/** What switches do. */
export function settingsText(rows: readonly SettingsRow[] = []): string {
  if (rows.length === 0) return "";
  const [writing, starting] = [
    rows.filter(({ step }) => step === "up"),
    rows.filter(({ step }) => step !== "up"),
  ];
  return `Seconds of the first \`up\` of our webhooks, all differing, no latency, ${timesText(writing)}:

${settingsTable(writing)}

\`PULUMI_SKIP_CHECKPOINTS\` writes the state once, at the end, and so takes the quadratic part away; if the CLI is killed in mid-update,
nothing of the update is in the state, and the keys that it made are lost. It suits stacks that hold webhooks only. The service backends of
Pulumi send entries of a journal, not the whole state (CLI 3.259, \`backend/httpstate\`); they cannot be measured here.

Seconds of an unchanged \`up\` by the CLI, where it is the start of the processes that takes the time, ${timesText(starting)}, ${READS} times in each:

${settingsTable(starting)}

\`NODE_COMPILE_CACHE\` is a folder where Node.js keeps compiled code, for pipelines that keep folders from one run to the next.`;
}

function settingsTable(rows: readonly SettingsRow[]): string {
  const counts = [...new Set(rows.map(({ count }) => count))];
  const cells = [...new Set(rows.map(({ setting }) => setting))].map((setting) => [
    setting,
    ...counts.map((count) => {
      const row = rows.find((one) => one.setting === setting && one.count === count);
      return row ? (row.ms / 1000).toFixed(2) : "";
    }),
  ]);
  return table(["setting", ...counts.map((count) => `${count} webhooks`)], cells);
}
