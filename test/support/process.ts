import { spawn } from "node:child_process";
import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";

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
  /** Milliseconds after which the process is stopped and `ended` rejects. @default 120000 */
  readonly timeoutMs?: number;
  /** Whether the process leads a group of its own, and whatever it leaves running is stopped with it. @default false */
  readonly ownGroup?: boolean;
  /** Whether its output is also shown here, as it comes. @default false */
  readonly show?: boolean;
}

/** A process that has been started and not waited for. */
export interface RunningProcess {
  /** 0 if it could not be started; `ended` then rejects. */
  readonly pid: number;
  /** Rejects if the command cannot be started or takes longer than `timeoutMs`. A non-zero exit code is a result. */
  readonly ended: Promise<Ended>;
  /** Interrupts as a person at a terminal would: Ctrl-C, Ctrl-C again, at last SIGKILL. Resolves when it has ended. */
  stop(): Promise<void>;
}

/** Signals and the milliseconds given to each. After the second Ctrl-C the engine itself gives its plugins 5 s. */
const STOP_STEPS: readonly (readonly [NodeJS.Signals, number])[] = [
  ["SIGINT", 3000],
  ["SIGINT", 8000],
  ["SIGKILL", 1000],
];

/** Starts a command with a closed standard input and collects its output. */
export function startProcess(
  command: string,
  args: readonly string[],
  { cwd, env = process.env, timeoutMs = 120_000, ownGroup = false, show = false }: ProcessOptions = {},
): RunningProcess {
  const started = performance.now();
  const child = spawn(command, args, { cwd, env, detached: ownGroup, stdio: ["ignore", "pipe", "pipe"] });
  if (show) {
    child.stdout.pipe(process.stdout, { end: false });
    child.stderr.pipe(process.stderr, { end: false });
  }
  if (ownGroup) {
    child.once("exit", () => {
      signalGroup(child.pid, "SIGTERM");
    });
  }

  const closed = new Promise<number>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => {
      resolve(code ?? 128);
    });
  });

  const stop = async (): Promise<void> => {
    for (const [signal, patienceMs] of STOP_STEPS) {
      if (child.exitCode !== null || child.signalCode !== null) return;
      if (ownGroup) signalGroup(child.pid, signal);
      else child.kill(signal);
      await Promise.race([closed, sleep(patienceMs, undefined, { ref: false })]).catch(() => undefined);
    }
  };

  let timedOut = false;
  const timer = setTimeout(() => {
    timedOut = true;
    void stop();
  }, timeoutMs);

  const ended = Promise.all([closed, text(child.stdout), text(child.stderr)])
    .finally(() => {
      clearTimeout(timer);
    })
    .then(([code, stdout, stderr]) => {
      const line = [command, ...args].join(" ");
      if (timedOut) throw new Error(`Stopped after ${timeoutMs / 1000} s: ${line}\n${stdout}\n${stderr}`);
      return { code, stdout, stderr, ms: Math.round(performance.now() - started) };
    });

  return { pid: child.pid ?? 0, ended, stop };
}

/** {@link startProcess}, waited for. */
export async function runProcess(
  command: string,
  args: readonly string[],
  options?: ProcessOptions,
): Promise<Ended> {
  return startProcess(command, args, options).ended;
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

function signalGroup(leader: number | undefined, signal: NodeJS.Signals): void {
  if (leader === undefined) return;
  try {
    process.kill(-leader, signal);
  } catch {
    // Nothing is left in the group.
  }
}
