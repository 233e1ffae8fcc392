import type { ListRow } from "./sections/list.ts";
import { DEFAULT_CONNECTIONS, type ParallelRow } from "./sections/parallel.ts";
import { OWNERS, ownMs, type ProfileRow } from "./sections/profile.ts";
import type { StartRow } from "./sections/start.ts";
import { table, timesText } from "./table.ts";

/** How the creation of keys follows `--parallel`. */
export function parallelText(rows: readonly ParallelRow[] = []): string {
  if (rows.length === 0) return "";
  const head = [
    "--parallel",
    "maxConnections",
    "bound, s",
    "up, s",
    "up without latency, s",
    "above the bound, s",
  ];
  const cells = rows.map(({ parallel, maxConnections, bound, ms, instant }) => [
    String(parallel),
    String(maxConnections),
    ...[bound, ms, instant, ms - bound].map((value) => (value / 1000).toFixed(2)),
  ]);
  return `${rows[0]?.keys ?? 0} keys, of which each takes the service ${rows[0]?.latency ?? 0} ms. The bound is what the
waiting alone takes if so many creations are under way at a time as the lesser of the two allows. ${
    rows.every(({ bound, ms, instant }) => ms - bound <= instant)
      ? "What is above it is no more than the same update takes\nwithout latency, so the provider adds no waiting of its own. "
      : ""
  }The engine's default is four for each core, so
with more than ${DEFAULT_CONNECTIONS / 4} cores the default of \`maxConnections\`, ${DEFAULT_CONNECTIONS}, is less.

${table(head, cells, 0)}`;
}

/** The share of our code in what the plugin does. */
export function profileText(rows: readonly ProfileRow[] = []): string {
  if (rows.length === 0) return "";
  const cells = rows.map(({ step, ms, busy }) => [
    step,
    ms.toFixed(0),
    ...OWNERS.map((owner) => busy[owner].toFixed(0)),
  ]);
  return `Milliseconds that the plugin of 200 webhooks spent in JavaScript, by whose code it was, from V8's sampling profiler, ${timesText(rows)}. What
Node.js does for one of the others is that one's, loading a module for whoever asked for it; collecting garbage is Node.js's. Native
code is not seen. The first column is the wall time of the operation, which the profiler makes longer.

${table(["operation", "wall time", ...OWNERS], cells)}

So what an unchanged \`up\`, a preview and a refresh cost above the floor is not in our hands for the most: our code and undici take
${ownShare(rows, "unchanged up")} of the first, ${ownShare(rows, "preview")} of the second and ${ownShare(rows, "refresh")} of the third, there for one request and for the loading of undici.`;
}

function ownShare(rows: readonly ProfileRow[], step: ProfileRow["step"]): string {
  return `${ownMs(rows, step)?.toFixed(0) ?? "?"} ms`;
}

/** The reading of lists. */
export function listText(rows: readonly ListRow[] = []): string {
  if (rows.length === 0) return "";
  const cells = rows.map(({ webhooks, bytes, ms, memory }) => [
    String(webhooks),
    (bytes / 2 ** 20).toFixed(1),
    ms.toFixed(0),
    memory.toFixed(0),
  ]);
  return `The first read of a webhook in a plugin process whose code is loaded, without an engine; the transfer of the list included. The memory is
the peak of the whole process, of which the SDK's host takes what stands in the first line.

${table(["webhooks", "list, MiB", "time, ms", "plugin, MiB"], cells, 0)}`;
}

/** The loading of code. */
export function startText(rows: readonly StartRow[] = []): string {
  if (rows.length === 0) return "";
  const cells = rows.map(({ part, ms, modules }) => [part, ms.toFixed(0), String(modules)]);
  return `Loading of modules in a fresh process, compiled before (\`NODE_COMPILE_CACHE\`). undici is loaded at the first request, so an unchanged
update does without it. The sandbox and the command line are never loaded.

${table(["part", "ms", "modules"], cells)}`;
}
