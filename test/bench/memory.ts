/**
 * `npm run bench:memory` measures what each plugin takes to read a webhook list of the largest size, with the
 * heap that Node has on a machine with 4 GB. Needs /proc, so Linux. Exits with 1 if a body ends a plugin, or
 * if a plausible list is not read.
 *
 * --mib 8   the size of each body, in MiB
 */
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";

import { LARGE_BODIES } from "../support/large-bodies.ts";
import { startListing } from "../support/listing-plugin.ts";

const { values: options } = parseArgs({ options: { mib: { type: "string", default: "8" } } });
const SIZE = Number(options.mib) * 2 ** 20;
/** A quarter of the memory, twice for 64 bits (V8, `Heap::HeapSizeFromPhysicalMemory`). */
const HEAP = "--max-old-space-size=2048";

for (const host of ["native", "dynamic"] as const) {
  for (const [what, body] of Object.entries(LARGE_BODIES)) {
    // A little less, because a body ends after a whole value.
    const { plugin, list, close } = await startListing(host, Buffer.from(body((SIZE - 4096) / 2 ** 20)), [
      HEAP,
    ]);
    const startedAt = performance.now();
    const result = await list();
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
    const peak = peakOf(plugin);
    const isRead = peak !== null && (what !== "webhooks" || result.endsWith(" bytes"));
    if (!isRead) process.exitCode = 1;
    console.log(`${isRead ? "ok" : "!!"} ${host}, ${what}: ${peak ?? "killed"}, ${seconds} s, ${result}`);
    await close();
  }
}

/** Returns the most memory that a process had; `null` if it has ended. */
function peakOf(pid: number): string | null {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  const [, kilobytes] = /^VmHWM:\s+(\d+) kB/m.exec(status) ?? [];
  return kilobytes === undefined ? null : `${Math.round(Number(kilobytes) / 1024)} MiB`;
}
