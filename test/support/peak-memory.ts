import { readFileSync } from "node:fs";

/** The most memory that a process has had so far, in MiB; `null` where the system does not tell. @throws if there is no such process. */
export function peakMemory(pid: number | string): number | null {
  if (process.platform !== "linux") return null;
  const [, kib] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
  return kib === undefined ? null : Number(kib) / 1024;
}
