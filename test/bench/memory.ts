/**
 * `npm run bench:memory` measures how much memory the native plugin takes to read a large webhook list, as a
 * multiple of its size. Needs /proc, so Linux. Exits with 1 if a body takes more than 12 times its size, or
 * 200,000 webhooks more than 3 seconds.
 *
 * --mib 64   the size of each body, in MiB
 */
import { readFileSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";

import { LARGE_BODIES, webhookRecord } from "../support/large-bodies.ts";
import { startListing } from "../support/listing-plugin.ts";

const { values: options } = parseArgs({ options: { mib: { type: "string", default: "63" } } });
const COUNT = 200_000;
const SECONDS = 3;
const MULTIPLE = 12;

const list = (): string =>
  `[${Array.from({ length: COUNT }, (_, index) => webhookRecord(index + 1)).join(",")}]`;
let isExceeded = false;
for (const [what, body] of [...Object.entries(LARGE_BODIES), [`${COUNT} webhooks`, list] as const]) {
  const bytes = Buffer.from(body(Number(options.mib)));
  const { plugin, list: listWebhooks, close } = await startListing(bytes);
  const before = memoryOf(plugin, "VmRSS");
  writeFileSync(`/proc/${plugin}/clear_refs`, "5"); // Resets VmHWM.
  const startedAt = performance.now();
  const result = await listWebhooks();
  const seconds = (performance.now() - startedAt) / 1000;
  const multiple = (memoryOf(plugin, "VmHWM") - before) / bytes.length;
  const tooMuch = multiple > MULTIPLE || (body === list && seconds > SECONDS);
  isExceeded ||= tooMuch;
  const size = `${(bytes.length / 2 ** 20).toFixed(0)} MiB`;
  console.log(
    `${tooMuch ? "!!" : "ok"} ${what}, ${size}: × ${multiple.toFixed(1)}, ${seconds.toFixed(1)} s, ${result}`,
  );
  await close();
}
process.exitCode = isExceeded ? 1 : 0;

/** Returns a number of bytes from the status of a process. */
function memoryOf(pid: number, field: "VmRSS" | "VmHWM"): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return Number(new RegExp(`^${field}:\\s+(\\d+) kB`, "m").exec(status)?.[1]) * 1024;
}
