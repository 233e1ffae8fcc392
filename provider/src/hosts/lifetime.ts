import { connect } from "node:net";
import { constants } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";

/** Polling interval for the engine, in milliseconds. */
const WATCH_INTERVAL = 3_000;
/** Consecutive refused connections after which the engine counts as gone. */
const MAX_REFUSALS = 2;
/** Turns of the event loop in which grpc-js writes a response. It needs four; we allow eight. */
const RESPONSE_TURNS = 8;
/** Milliseconds of such a turn: of an idle process, and if the responses of interrupted calls must reach the engine. */
const [IDLE_TURN, LAST_TURN] = [3, 15];

/** What a plugin process does when it is asked to stop. */
export interface Stopping {
  /** Shows what is in flight. @param event What asks the process to stop, such as `SIGINT`. */
  readonly report: (event: string) => void;
  /** Resolves once the responses to all calls are written. @default a wait, for a server that does not tell */
  readonly finish?: (() => Promise<void>) | undefined;
}

/**
 * Decides when a plugin process ends. The engine stops plugins with SIGINT and waits for them; the `cancel` of the SDK's dynamic
 * host does nothing. If the Pulumi CLI is killed, the process notices that the engine is gone and ends as well.
 */
export class Lifetime {
  readonly #stopping = new AbortController();
  readonly #ending = new AbortController();
  #report: (event: string) => void = () => undefined;
  #pendingCalls = 0;

  /** Aborts when the process receives a request to stop. */
  get signal(): AbortSignal {
    return this.#stopping.signal;
  }

  /** Aborts when the process starts to end, which a cancellation alone does not cause. */
  get ending(): AbortSignal {
    return this.#ending.signal;
  }

  /** Handles a call from the engine. The process does not end before the engine has the response. */
  async trackCall<Result>(handle: () => Promise<Result>): Promise<Result> {
    this.#pendingCalls += 1;
    try {
      return await handle();
    } finally {
      this.#pendingCalls -= 1;
    }
  }

  /** Ends the process on SIGINT and SIGTERM, and when the engine is gone. @param engine The engine's address as host and port. */
  watch(engine: string, stopping: Stopping): void {
    this.#report = stopping.report;
    for (const signal of ["SIGINT", "SIGTERM"] as const) {
      const listener = (): void => {
        if (!this.ending.aborted) this.#report(signal);
        this.#stop(stopping, () => {
          endBy(signal, listener);
        });
      };
      process.on(signal, listener);
    }
    // Without an engine, nobody reads these streams. The SDK's host would report a failed write, which fails again, in a loop.
    for (const stream of [process.stdout, process.stderr]) stream.on("error", () => undefined);
    const [, host, port] = /^([\w.-]+):(\d+)$/.exec(engine) ?? [];
    if (host === undefined) return;
    this.#watchEngine(host, Number(port), () => {
      this.#stop(stopping, () => {
        process.exit(1);
      });
    });
  }

  /** Ends all calls except creations in flight, whose keys would be lost. The process continues. */
  cancel(): void {
    this.#report("Cancel"); // After a second Ctrl-C, the engine may not show what is still in flight.
    this.#stopping.abort();
  }

  /** Cancels all calls, and ends the process after their responses: the last one may contain a new key. */
  #stop({ finish }: Stopping, end: () => void): void {
    if (this.ending.aborted) return;
    this.#ending.abort();
    const turn = this.#pendingCalls > 0 ? LAST_TURN : IDLE_TURN;
    this.#stopping.abort();
    void (finish?.() ?? this.#writeResponses(turn)).then(end);
  }

  /** Resolves once no call has been pending for some turns of the event loop. @param turn Milliseconds. */
  async #writeResponses(turn: number): Promise<void> {
    let turns = 0;
    while (turns < RESPONSE_TURNS) {
      await sleep(turn);
      turns = this.#pendingCalls > 0 ? 0 : turns + 1;
    }
  }

  /** Notices that the engine no longer listens at its address. */
  #watchEngine(host: string, port: number, onGone: () => void): void {
    let wasReached = false;
    let refusals = 0;
    const poll = (): void => {
      const socket = connect({ host, port });
      socket.once("connect", () => {
        wasReached = true;
        refusals = 0;
        socket.destroy();
      });
      socket.once("error", (error: NodeJS.ErrnoException) => {
        // Other errors, such as too many open files, say nothing about the engine.
        refusals = error.code === "ECONNREFUSED" ? refusals + 1 : 0;
        if (wasReached && refusals >= MAX_REFUSALS) onGone();
      });
      socket.unref();
    };
    poll();
    setInterval(poll, WATCH_INTERVAL).unref();
  }
}

/** Ends the process with the signal itself, which is faster than an exit. Node still writes its compile cache. */
function endBy(signal: "SIGINT" | "SIGTERM", listener: () => void): void {
  process.off(signal, listener);
  if (process.listenerCount(signal) > 0) process.exit(128 + constants.signals[signal]);
  process.kill(process.pid, signal);
}
