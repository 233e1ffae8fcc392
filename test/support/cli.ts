import { join } from "node:path";

import type { Engine } from "./engine-env.ts";
import { type Ended, runProcess } from "./process.ts";

/** How a command of the real CLI, or of a shell, is run. */
export interface RunOptions {
  /** The project's folder: the one with Pulumi.yaml. */
  readonly cwd: string;
  /** From {@link Engine.env}. */
  readonly env: Engine["env"];
  /** @default 120000 */
  readonly timeoutMs?: number;
  /** Whether the output is also shown as it comes. @default false */
  readonly show?: boolean;
}

/**
 * Runs the real CLI on a real project, its program in a process of its own: `runPulumi(["up", "--yes"], …)`.
 *
 * @throws Only if it does not end in time. A failed operation is a result with a non-zero code.
 */
export async function runPulumi(args: readonly string[], options: RunOptions): Promise<Ended> {
  return runProcess("pulumi", [...args, "--non-interactive"], options);
}

const MAIN = join(import.meta.dirname, "../../provider/dist/cli/main.js");

/**
 * Put before blocks of the docs: `npx pulumi-partners` then runs what is built here. That a package brings the command along is
 * for the test of the README.
 */
export const NPX_RUNS_BUILD = `npx() { shift; node '${MAIN}' "$@"; }\n`;

/**
 * Runs a block of shell commands as a reader would, stopping at the first that fails. What it leaves running in the background
 * is stopped when it ends.
 */
export async function runShell(script: string, options: RunOptions): Promise<Ended> {
  return runProcess("bash", ["-euo", "pipefail", "-c", script], { ...options, ownGroup: true });
}
