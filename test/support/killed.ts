import { execFileSync } from "node:child_process";

import type { Answers, PartnerApiServer } from "./partner-api-server.ts";
import { holdAnswer } from "./sandbox.ts";

/**
 * Kills the CLI that a command starts, with all its plugins, after a request has taken effect and before its
 * response arrives.
 *
 * @param start Starts the command in a process below this one.
 * @returns The time when the request arrived, milliseconds since 1970.
 */
export async function killed(
  api: PartnerApiServer,
  request: keyof Answers,
  start: () => Promise<unknown>,
): Promise<number> {
  const held = holdAnswer(api, request);
  // An event log may be cut off in the middle of a line.
  const interrupted = start().catch(() => null);
  await Promise.race([held.reached, interrupted]);
  const arrived = Date.now();
  for (const pid of enginesBelow(process.pid)) kill(pid);
  await interrupted;
  held.release();
  return arrived;
}

/** Kills a process, unless it has ended by now. */
function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

/**
 * Finds the CLIs that a process started, with all their descendants. Other tests run the same programs, so
 * names alone cannot tell.
 */
function enginesBelow(ancestor: number): number[] {
  const table = execFileSync("ps", ["-A", "-o", "pid=,ppid=,comm="], { encoding: "utf8" });
  const processes = [...table.matchAll(/^ *(\d+) +(\d+) +(.*)$/gm)].map(([, pid, parent, command]) => {
    return { pid: Number(pid), parent: Number(parent), command };
  });
  const below = (top: number): typeof processes =>
    processes.filter(({ parent }) => parent === top).flatMap((child) => [child, ...below(child.pid)]);
  const engines = below(ancestor).filter(({ command = "" }) => /\bpulumi$/.test(command));
  return engines.flatMap(({ pid }) => [pid, ...below(pid).map((child) => child.pid)]);
}
