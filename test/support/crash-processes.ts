import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

/** Whether this system tells about processes in a way that we can read: only Linux has /proc. */
export const CAN_FIND_PROCESSES = process.platform === "linux";

/** A process that runs below another one. */
export interface Descendant {
  readonly pid: number;
  /** Its arguments, the program first. */
  readonly command: readonly string[];
}

/** All processes below one, found by parentage and never by name: other tests run the same programs. */
export function descendantsOf(ancestor: number): Descendant[] {
  const children = new Map<number, number[]>();
  for (const entry of readdirSync("/proc")) {
    const parent = /^\d+$/.test(entry) ? parentOf(Number(entry)) : null;
    if (parent !== null) children.set(parent, [...(children.get(parent) ?? []), Number(entry)]);
  }
  const below = (pid: number): number[] =>
    (children.get(pid) ?? []).flatMap((child) => [child, ...below(child)]);
  return below(ancestor).map((pid) => ({ pid, command: commandOf(pid) }));
}

/** Whether a process runs; one that has ended and was not yet reaped by its parent does not. */
export function isRunning(pid: number): boolean {
  return (statOf(pid)?.[0] ?? "Z") !== "Z";
}

/** `kill -9`, for a process that may have ended meanwhile. */
export function killAtOnce(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has ended.
  }
}

/** Waits until a process has ended. @returns the milliseconds that took. @throws if it runs longer than `patience` ms. */
export async function ended(pid: number, patience: number): Promise<number> {
  const startedAt = performance.now();
  while (isRunning(pid)) {
    if (performance.now() - startedAt > patience)
      throw new Error(`Process ${pid} still runs after ${patience} ms`);
    await sleep(10);
  }
  return performance.now() - startedAt;
}

function parentOf(pid: number): number | null {
  const parent = statOf(pid)?.[1];
  return parent === undefined ? null : Number(parent);
}

/** State, parent and so on of a process; the command's name before them is in brackets and may hold anything. */
function statOf(pid: number): string[] | null {
  const stat = read(`/proc/${pid}/stat`);
  return stat === "" ? null : stat.slice(stat.lastIndexOf(")") + 2).split(" ");
}

function commandOf(pid: number): string[] {
  return read(`/proc/${pid}/cmdline`).split("\0").slice(0, -1);
}

function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return ""; // The process has ended since it was listed.
  }
}
