import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";

import { peakMemory } from "../support/process.ts";

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
    const pid = readFileSync(file, "utf8");
    const memory = peakMemory(pid);
    if (memory === null) return null;
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.split(" ") ?? [];
    return { memory, cpu: (Number(fields[UTIME]) + Number(fields[STIME])) * TICK };
  } catch {
    return null; // It has not begun yet, or has ended.
  }
}
