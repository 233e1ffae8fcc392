import { connect } from "node:net";
import { constants } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";

/** Turns of the event loop in which grpc-js writes a response. It needs four; we allow eight. */
const RESPONSE_TURNS = 8;
/**
 * Milliseconds of such a turn: of an idle process, and if the responses of interrupted calls must reach the
 * engine.
 */
const [IDLE_TURN, LAST_TURN] = [3, 15];

/** Milliseconds between two connections to the engine, which show that it still runs. */
const ENGINE_POLL = 3_000;
/**
 * How many refusals in a row are allowed once the engine was reached, and before: within a minute, it can
 * still start.
 */
const MAX_REFUSALS = { reached: 1, neverReached: 20 };

/**
 * Decides when a plugin process ends. The engine stops plugins with SIGINT and waits for them; the `cancel`
 * of the SDK's dynamic host does nothing. If the Pulumi CLI is killed, the process notices that the engine is
 * gone and ends as well.
 */
export class Lifetime {
  readonly #stopping = new AbortController();
  readonly #ending = new AbortController();
  /** Aborts when the process receives a request to stop. */
  readonly signal: AbortSignal = this.#stopping.signal;
  /** Aborts when the process starts to end, which a cancellation alone does not cause. */
  readonly ending: AbortSignal = this.#ending.signal;
  #report: (event: string) => void = () => undefined;
  #pendingCalls = 0;
  /** How often in a row the engine's address has refused a connection, without a call in between. */
  #refusals = 0;

  /** Handles a call from the engine. The process does not end before the engine has the response. */
  async trackCall<Result>(handle: () => Promise<Result>): Promise<Result> {
    this.#pendingCalls += 1;
    this.#refusals = 0;
    try {
      return await handle();
    } finally {
      this.#pendingCalls -= 1;
    }
  }

  /**
   * Ends the process on SIGINT and SIGTERM, and when the engine is gone.
   *
   * @param engine The engine's address as host and port.
   * @param report Shows what is in flight when an event, such as `SIGINT`, asks the process to stop.
   * @param finish Resolves once the responses to all calls are written. @default a wait, for a server that
   * does not tell
   */
  watch(engine: string, report: (event: string) => void, finish = () => this.#writeResponses()): void {
    this.#report = report;
    /** Cancels all calls, and ends the process after their responses: the last one may contain a new key. */
    const stop = async (exitCode: number): Promise<void> => {
      if (this.ending.aborted) return;
      this.#ending.abort();
      this.#stopping.abort();
      await finish();
      process.exit(exitCode);
    };
    for (const signal of ["SIGINT", "SIGTERM"] as const)
      process.on(signal, () => {
        if (!this.ending.aborted) report(signal);
        void stop(128 + constants.signals[signal]);
      });
    // Without an engine, nobody reads these streams. The SDK's host would report a failed write, which fails
    // again, in a loop.
    for (const stream of [process.stdout, process.stderr]) stream.on("error", () => undefined);
    const [, host, port] = /^([\w.-]+):(\d+)$/.exec(engine) ?? [];
    if (host !== undefined) this.#watchEngine(host, Number(port), () => void stop(1));
  }

  /** Ends all calls except creations in flight, whose keys would be lost. The process continues. */
  cancel(): void {
    this.#report("Cancel"); // After a second Ctrl-C, the engine may not show what is still in flight.
    this.#stopping.abort();
  }

  /** Resolves once no call has been pending for some turns of the event loop. */
  async #writeResponses(): Promise<void> {
    const turn = this.#pendingCalls > 0 ? LAST_TURN : IDLE_TURN;
    for (let turns = 0; turns < RESPONSE_TURNS; turns = this.#pendingCalls > 0 ? 0 : turns + 1)
      await sleep(turn);
  }
  /**
   * Calls back when nothing listens any more at the engine's address, or nothing has for a minute without a
   * call.
   */
  #watchEngine(host: string, port: number, onGone: () => void): void {
    let allowed = MAX_REFUSALS.neverReached;
    const poll = (): void => {
      const socket = connect({ host, port }).unref();
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
