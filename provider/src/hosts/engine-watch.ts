import { connect } from "node:net";

/** Milliseconds between two connections to the engine. */
const ENGINE_POLL = 3_000;
/**
 * How many refusals in a row are allowed once the engine was reached, and before: within a minute, it can
 * still start.
 */
const MAX_REFUSALS = { reached: 1, neverReached: 20 };

/**
 * Notices that the engine of a plugin process is gone: its CLI was killed. A killed run leaves two more
 * traces: files of the journal (run-journal.ts), and a pending operation in the state (cli/stack-state.ts).
 */
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
