import { constants } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";

import { EngineWatch } from "./engine-watch.js";

/** Turns of the event loop in which grpc-js writes a response. It needs four; we allow eight. */
const RESPONSE_TURNS = 8;
/**
 * Milliseconds of such a turn: of an idle process, and if the responses of interrupted calls must reach the
 * engine.
 */
const [IDLE_TURN, LAST_TURN] = [3, 15];

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
  readonly #engineWatch = new EngineWatch();
  #pendingCalls = 0;

  /** Handles a call from the engine. The process does not end before the engine has the response. */
  async trackCall<Result>(handle: () => Promise<Result>): Promise<Result> {
    this.#pendingCalls += 1;
    this.#engineWatch.recordCall();
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
    this.#engineWatch.start(engine, () => void stop(1));
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
}
