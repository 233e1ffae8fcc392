import { connect } from "node:net";
import { constants } from "node:os";

/** Polling interval for the engine, in milliseconds. */
const WATCH_INTERVAL = 3_000;
/** Refusals in a row after which the engine counts as gone. */
const REFUSALS = 2;
/** Milliseconds for an answer to get from a handler to the engine. */
const ANSWER_FLUSH = 20;
/** The same for the answers of all calls that a stop has ended. */
const LAST_ANSWERS_FLUSH = 100;
/** Turns of the event loop in which an answer is written: twice as many as the source of @grpc/grpc-js takes. */
const ANSWER_TURNS = 8;
/** Polling interval for pending calls, in milliseconds. */
const DRAIN_INTERVAL = 20;

/**
 * When a plugin process ends. The engine ends every plugin by SIGINT and waits for it; the dynamic host's own `cancel` does
 * nothing, and after `kill -9` of the CLI nobody else would end this process.
 */
export class Lifetime {
  readonly #stopping = new AbortController();
  #isEnding = false;
  #pendingCalls = 0;
  #answeredAt = -Infinity;

  /** Aborted when the process has been told to stop. */
  get signal(): AbortSignal {
    return this.#stopping.signal;
  }

  /** Handles a call of the engine, to whom an answer is due before this process may end. */
  async answer<Answer>(handle: () => Promise<Answer>): Promise<Answer> {
    this.#pendingCalls += 1;
    try {
      return await handle();
    } finally {
      this.#pendingCalls -= 1;
      this.#answeredAt = performance.now();
    }
  }

  /**
   * Ends the process on SIGINT and SIGTERM, and when the engine is gone.
   *
   * @param engine Where the engine listens, as host and port.
   * @param pendingOperations What is in flight, to tell the person who stops it.
   */
  watch(engine: string | undefined, pendingOperations: () => readonly string[]): void {
    for (const signal of ["SIGINT", "SIGTERM"] as const) {
      const listener = (): void => {
        const told = this.#isEnding ? [] : pendingOperations();
        if (told.length > 0)
          process.stderr.write(`pulumi-partners: ${signal} received; in flight: ${tally(told)}.\n`);
        this.#stop(() => {
          endBy(signal, listener);
        });
      };
      process.on(signal, listener);
    }
    // Without an engine nobody reads these. Unhandled, a failed write makes the SDK's host report it, which fails again, for ever.
    for (const stream of [process.stdout, process.stderr]) stream.on("error", () => undefined);
    const [, host, port] = /^([\w.-]+):(\d+)$/.exec(engine ?? "") ?? [];
    if (host !== undefined) this.#watchEngine(host, Number(port));
  }

  /** Ends all calls except creations that have been sent, as their keys would be lost. The process goes on. */
  cancel(): void {
    this.#stopping.abort();
  }

  /** Does the same, and then ends the process. */
  #stop(end: () => void): void {
    if (this.#isEnding) return;
    this.#isEnding = true;
    const quiet = this.#pendingCalls > 0 ? LAST_ANSWERS_FLUSH : ANSWER_FLUSH;
    this.cancel();
    this.#endAfterAnswers(end, quiet, ANSWER_TURNS);
  }

  /** Ends the process once no call has been pending for so many milliseconds: the last answer may hold a new key. */
  #endAfterAnswers(end: () => void, quiet: number, turns: number): void {
    const wait = this.#pendingCalls > 0 ? DRAIN_INTERVAL : quiet - (performance.now() - this.#answeredAt);
    if (wait > 0) {
      setTimeout(() => {
        this.#endAfterAnswers(end, quiet, ANSWER_TURNS);
      }, wait);
    } else if (turns > 0) {
      setImmediate(() => {
        this.#endAfterAnswers(end, quiet, turns - 1);
      });
    } else end();
  }

  /** The engine listens at the address that it gave this process; when it no longer does, it is gone. */
  #watchEngine(host: string, port: number): void {
    let seen = false;
    let refused = 0;
    const look = (): void => {
      const socket = connect({ host, port });
      socket.once("connect", () => {
        seen = true;
        refused = 0;
        socket.destroy();
      });
      socket.once("error", (error: NodeJS.ErrnoException) => {
        // Anything else, such as too many open files, is a trouble of this process and says nothing about the engine.
        refused = error.code === "ECONNREFUSED" ? refused + 1 : 0;
        if (seen && refused >= REFUSALS)
          this.#stop(() => {
            process.exit(1);
          });
      });
      socket.unref();
    };
    look();
    setInterval(look, WATCH_INTERVAL).unref();
  }
}

/** Ends the process as the signal does by itself: faster than an exit, and Node still writes what it has compiled. */
function endBy(signal: "SIGINT" | "SIGTERM", listener: () => void): void {
  process.off(signal, listener);
  if (process.listenerCount(signal) > 0) process.exit(128 + constants.signals[signal]);
  process.kill(process.pid, signal);
}

/** `60 × disableWebhook, 1 × createApiKey` */
function tally(names: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts].map(([name, count]) => `${count} × ${name}`).join(", ");
}
