import { spawn } from "node:child_process";
import { once } from "node:events";
import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
import { text } from "node:stream/consumers";

/** How a process ended. */
export interface Ended {
  /** The exit code, or 128 where a signal ended it. */
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  /** Milliseconds from start to end. */
  readonly ms: number;
}

/** Where and for how long a process runs. */
export interface ProcessOptions {
  /** @default the current folder */
  readonly cwd?: string;
  /** The whole environment. @default this process's environment */
  readonly env?: NodeJS.ProcessEnv;
  /** Milliseconds after which the process is killed and the call rejects. @default 120000 */
  readonly timeoutMs?: number;
  /** Kills the process. @default nothing does */
  readonly signal?: AbortSignal;
  /** Whether the process leads a group of its own, and whatever it leaves running is killed with it. @default false */
  readonly ownGroup?: boolean;
  /** Whether its output is also shown here, as it comes. @default false */
  readonly show?: boolean;
}

/**
 * Runs a command with a closed standard input and collects its output. A non-zero exit code is a result.
 *
 * @throws If the command cannot be started or takes longer than `timeoutMs`.
 */
export async function runProcess(
  command: string,
  args: readonly string[],
  { cwd, env, timeoutMs = 120_000, signal, ownGroup = false, show = false }: ProcessOptions = {},
): Promise<Ended> {
  const started = performance.now();
  const child = spawn(command, args, { cwd, env, detached: ownGroup, stdio: ["ignore", "pipe", "pipe"] });
  if (show) {
    child.stdout.pipe(process.stdout, { end: false });
    child.stderr.pipe(process.stderr, { end: false });
  }
  const kill = (): void => {
    if (ownGroup) killGroup(child.pid);
    else child.kill("SIGKILL");
  };
  child.once("exit", kill);
  const limit = AbortSignal.timeout(timeoutMs);
  for (const end of [limit, signal]) end?.addEventListener("abort", kill);
  const [[code], stdout, stderr] = await Promise.all([
    once(child, "close") as Promise<[number | null]>,
    text(child.stdout),
    text(child.stderr),
  ]);
  signal?.removeEventListener("abort", kill);
  if (limit.aborted) {
    const line = [command, ...args].join(" ");
    throw new Error(`Stopped after ${timeoutMs / 1000} s: ${line}\n${stdout}\n${stderr}`);
  }
  return { code: code ?? 128, stdout, stderr, ms: Math.round(performance.now() - started) };
}

/** Runs a block of shell commands, stopping at the first that fails. What it leaves in the background ends with it. */
export async function runShell(script: string, options: ProcessOptions): Promise<Ended> {
  return runProcess("bash", ["-euo", "pipefail", "-c", script], { ...options, ownGroup: true });
}

/** {@link runProcess} for a step that has to succeed. @returns what it printed on stdout. @throws with all it printed. */
export async function mustRun(
  command: string,
  args: readonly string[],
  options?: ProcessOptions,
): Promise<string> {
  const { code, stdout, stderr } = await runProcess(command, args, options);
  if (code !== 0) throw new Error(`${[command, ...args].join(" ")}: exit code ${code}\n${stdout}${stderr}`);
  return stdout;
}

/** Variables that configure Pulumi or the provider, and what a pipeline says about itself. */
const NOT_INHERITED = /^(PULUMI|PARTNERS|CI|GITHUB|GITLAB|RUNNER|ACTIONS)_|^(CI|GITLAB)$/;

/** This process's environment for others, so that they find a machine on which nothing is set up. */
export function inheritedEnv(): Record<string, string> {
  const kept = Object.entries(process.env).filter(([name]) => !NOT_INHERITED.test(name));
  return {
    // Every engine operation starts several Node processes that load the SDK.
    NODE_COMPILE_CACHE: join(cacheRoot(), "node"),
    ...(Object.fromEntries(kept) as Record<string, string>),
  };
}

/** Where tests keep what is slow to make: `$XDG_CACHE_HOME/pulumi-partners`, or `~/.cache/pulumi-partners`. */
export function cacheRoot(): string {
  const xdg = process.env["XDG_CACHE_HOME"] ?? "";
  return join(isAbsolute(xdg) ? xdg : join(homedir(), ".cache"), "pulumi-partners");
}

function killGroup(leader: number | undefined): void {
  try {
    if (leader !== undefined) process.kill(-leader, "SIGKILL");
  } catch {
    // Nothing is left in the group.
  }
}
