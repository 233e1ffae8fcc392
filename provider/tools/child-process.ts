/** Runs commands, for the tools and the tests. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";

/** Milliseconds for what takes long on a slow machine or network: 25 minutes. */
export const LONG_LIMIT = 25 * 60_000;

/** The result of a process. */
export interface Ended {
  /** The exit code, or 128 if a signal ended the process. */
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  /** Milliseconds between start and end. */
  readonly ms: number;
}

/** Options of {@link runProcess}. */
export interface ProcessOptions {
  /** @default the current folder */
  readonly cwd?: string;
  /** The complete environment. @default this process's environment */
  readonly env?: NodeJS.ProcessEnv;
  /** Milliseconds after which the process is killed and the call rejects. @default 120000 */
  readonly timeoutMs?: number;
  /** Kills the process on abort. @default none */
  readonly signal?: AbortSignal;
  /** Whether to run it in a new process group, and to kill the group when it ends. @default false */
  readonly ownGroup?: boolean;
}

/**
 * Runs a command without standard input and collects its output. Does not throw on a non-zero exit code.
 *
 * @throws if the command cannot be started or exceeds `timeoutMs`.
 */
export async function runProcess(
  command: string,
  args: readonly string[],
  { cwd, env, timeoutMs = 120_000, signal, ownGroup = false }: ProcessOptions = {},
): Promise<Ended> {
  const started = performance.now();
  const child = spawn(command, args, { cwd, env, detached: ownGroup, stdio: ["ignore", "pipe", "pipe"] });
  const kill = (): void => {
    if (ownGroup) killGroup(child.pid);
    else child.kill("SIGKILL");
  };
  child.once("exit", kill);
  const timeout = AbortSignal.timeout(timeoutMs);
  for (const end of [timeout, signal]) end?.addEventListener("abort", kill);
  const [[code], stdout, stderr] = await Promise.all([
    once(child, "close") as Promise<[number | null]>,
    text(child.stdout),
    text(child.stderr),
  ]);
  signal?.removeEventListener("abort", kill);
  if (timeout.aborted) {
    const line = [command, ...args].join(" ");
    throw new Error(`Stopped after ${timeoutMs / 1000} s: ${line}\n${stdout}\n${stderr}`);
  }
  return { code: code ?? 128, stdout, stderr, ms: Math.round(performance.now() - started) };
}

/**
 * Runs a shell script that stops at the first failing command. Kills the background processes that it leaves.
 */
export async function runShell(script: string, options: ProcessOptions): Promise<Ended> {
  return runProcess("bash", ["-euo", "pipefail", "-c", script], { ...options, ownGroup: true });
}

/**
 * Runs a shell script as {@link runShell} does. It must succeed.
 *
 * @returns Its stdout.
 * @throws {Error} with its stdout and stderr.
 */
export async function mustRunShell(script: string, options: ProcessOptions): Promise<string> {
  return mustRun("bash", ["-euo", "pipefail", "-c", script], { ...options, ownGroup: true });
}

/** Runs a command that must succeed. @returns Its stdout. @throws {Error} with its stdout and stderr. */
export async function mustRun(
  command: string,
  args: readonly string[],
  options?: ProcessOptions,
): Promise<string> {
  const { code, stdout, stderr } = await runProcess(command, args, options);
  if (code !== 0) throw new Error(`${[command, ...args].join(" ")}: exit code ${code}\n${stdout}${stderr}`);
  return stdout;
}

/** The variables of Pulumi, the provider and CI systems. */
const NOT_INHERITED = /^(PULUMI|PARTNERS|CI|GITHUB|GITLAB|RUNNER|ACTIONS)_|^(CI|GITLAB)$/;

/** Returns the environment of this process without the variables that would change what a test sees. */
export function inheritedEnv(): Record<string, string> {
  const kept = Object.entries(process.env).filter(([name]) => !NOT_INHERITED.test(name));
  return {
    // Every engine operation starts several Node processes that load the SDK.
    NODE_COMPILE_CACHE: join(tmpdir(), "pulumi-partners-compiled"),
    ...(Object.fromEntries(kept) as Record<string, string>),
  };
}

function killGroup(leader: number | undefined): void {
  try {
    if (leader !== undefined) process.kill(-leader, "SIGKILL");
  } catch {
    // The group is already empty.
  }
}
