import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";

/** What the plugin process of one operation used. */
export interface Usage {
  /** The most memory it had, in MiB. */
  readonly memory: number;
  /** Processor time, in milliseconds. */
  readonly cpu: number;
}

/** Milliseconds between two looks. What happens between the last look and the end of the process is not seen. */
const INTERVAL = 50;
/** Linux counts processor time in hundredths of a second (`getconf CLK_TCK`). */
const TICK = 10;
/** Places of `utime` and `stime` in what follows the name in `/proc/<pid>/stat` (proc(5)). */
const [UTIME, STIME] = [11, 12];

/** Watches the plugin of the operations of one stack, by way of plugin-hook.cjs. */
export class PluginUsage {
  readonly #file: string;
  /** Variables that make the plugin known. */
  readonly env: Readonly<Record<string, string>>;

  /** @param folder Where the process id is left. */
  constructor(folder: string) {
    this.#file = join(folder, "plugin.pid");
    const hook = join(import.meta.dirname, "plugin-hook.cjs");
    this.env = { BENCH_PID_FILE: this.#file, NODE_OPTIONS: `--require=${hook}` };
  }

  /** Runs an operation. @returns Its result, and what its plugin used; `null` if it had none, or the system does not tell. */
  async during<Result>(operation: () => Promise<Result>): Promise<[Result, Usage | null]> {
    rmSync(this.#file, { force: true });
    let usage: Usage | null = null;
    const timer = setInterval(() => {
      usage = look(this.#file) ?? usage;
    }, INTERVAL);
    const result = await operation().finally(() => {
      clearInterval(timer);
    });
    return [result, usage];
  }
}

function look(file: string): Usage | null {
  try {
    const process = `/proc/${readFileSync(file, "utf8")}`;
    const [, kib] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`${process}/status`, "utf8")) ?? [];
    const fields = readFileSync(`${process}/stat`, "utf8").split(") ").at(-1)?.split(" ") ?? [];
    if (kib === undefined) return null;
    return { memory: Number(kib) / 1024, cpu: (Number(fields[UTIME]) + Number(fields[STIME])) * TICK };
  } catch {
    return null; // It has not begun yet, or has ended.
  }
}
