/**
 * How a killed run is recognized. A run whose CLI or plugin was killed leaves three traces:
 *
 * 1. The engine's address refuses connections: its plugins ask, and end (lifetime.ts).
 * 2. A file in the journal names a process that is gone: the next run asks, and removes it (run-journal.ts).
 * 3. The stack's state holds a pending operation: the doctor asks, and warns of a key (cli/stack-state.ts).
 */
import { statSync } from "node:fs";
import { connect } from "node:net";

/** Milliseconds between two connections to the engine. */
const ENGINE_POLL = 3_000;
/**
 * How many refusals in a row are allowed once the engine was reached, and before: within a minute, it can
 * still start.
 */
const MAX_REFUSALS = { reached: 1, neverReached: 20 };

/** Notices that the engine of a plugin process is gone. */
export class EngineWatch {
  /** How often in a row the engine's address has refused a connection, without a call in between. */
  #refusals = 0;

  /** Records a call from the engine, which shows that it runs. */
  recordCall(): void {
    this.#refusals = 0;
  }

  /**
   * Calls back when nothing listens any more at the engine's address, or nothing has for a minute without a
   * call.
   *
   * @param engine The engine's address as host and port. Any other text is not watched.
   */
  start(engine: string, onGone: () => void): void {
    const [, host, port] = /^([\w.-]+):(\d+)$/.exec(engine) ?? [];
    if (host === undefined) return;
    let allowed = MAX_REFUSALS.neverReached;
    const poll = (): void => {
      const socket = connect({ host, port: Number(port) }).unref();
      socket.once("connect", () => {
        allowed = MAX_REFUSALS.reached;
        this.#refusals = 0;
        socket.destroy();
      });
      socket.once("error", (error: NodeJS.ErrnoException) => {
        // Other errors, such as too many open files, say nothing about the engine.
        this.#refusals = error.code === "ECONNREFUSED" ? this.#refusals + 1 : 0;
        if (this.#refusals > allowed) onGone();
      });
    };
    poll();
    setInterval(poll, ENGINE_POLL).unref();
  }
}

/**
 * Whether a file of a journal is left over: the process in its name is gone, and nothing was written lately.
 *
 * @param since Until when nothing may have been written, in milliseconds since the epoch. After that, the
 * file may be of a run that goes on without the process.
 */
export function isLeftOver(file: string, since: number): boolean {
  if (isAlive(processOf(file))) return false;
  // Asked second, because until then the process may have written.
  const modifiedAt = statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? -Infinity;
  return modifiedAt < since;
}

/** Whether a pending operation in the state of a stack, such as `creating`, may have created a key. */
export function mayHaveCreated(pendingOperation: string): boolean {
  return pendingOperation === "creating" || pendingOperation === "updating";
}

/** Returns the ID of the process that writes a file, such as 42 for `keys-0123456789abcdef-42.jsonl`. */
function processOf(file: string): number {
  return Number(/-([0-9]+)\.jsonl$/.exec(file)?.[1] ?? NaN);
}

function isAlive(pid: number): boolean {
  if (!(pid > 0)) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
