import { connect } from "node:http2";
import { setTimeout as sleep } from "node:timers/promises";

/**
 * The signals that stop a plugin, and their numbers. On Windows, the engine sends Ctrl-Break, which no other
 * platform has.
 */
const SIGNALS = { SIGINT: 2, SIGTERM: 15, SIGBREAK: 21 } as const;
/** Turns of the event loop in which grpc-js writes a response: it needs four. */
const RESPONSE_TURNS = 8;
/** Milliseconds of a turn; longer if a call was pending when the process was told to end. */
const [IDLE_TURN, BUSY_TURN] = [3, 15];
/** Milliseconds until a lost connection to the engine is opened again. */
const RECONNECT = 1_000;

/**
 * Decides when a plugin process ends. The engine stops plugins with SIGINT and waits for them. If the CLI is
 * killed, nobody stops its plugins, so the process watches the engine.
 */
export class Lifetime {
  readonly #stopping = new AbortController();
  /** Aborts when the process must stop. */
  readonly signal: AbortSignal = this.#stopping.signal;
  #isEnding = false;
  #pendingCalls = 0;

  /** Handles a call. The process does not end before the engine has the response. */
  async trackCall<Result>(handle: () => Promise<Result>): Promise<Result> {
    this.#pendingCalls += 1;
    try {
      return await handle();
    } finally {
      this.#pendingCalls -= 1;
    }
  }

  /** Ends all calls except creations in flight, whose keys would be lost. The process continues. */
  cancel(): void {
    this.#stopping.abort();
  }

  /**
   * Ends the process on a signal, and when the engine is gone.
   *
   * @param finish Resolves once all responses are written. @default a wait, for a server that does not tell
   */
  watch(engine: string, finish = () => this.#writeResponses()): void {
    const end = async (exitCode: number): Promise<void> => {
      if (this.#isEnding) return;
      this.#isEnding = true;
      this.cancel();
      await finish(); // The last response may contain a new key.
      process.exit(exitCode);
    };
    for (const [signal, number] of Object.entries(SIGNALS)) process.on(signal, () => void end(128 + number));
    // Nobody reads them without an engine: the SDK's host would report a failed write, in a loop.
    for (const stream of [process.stdout, process.stderr]) stream.on("error", () => undefined);
    watchEngine(engine, () => void end(1));
  }

  /** Resolves once no call has been pending for some turns of the event loop. */
  async #writeResponses(): Promise<void> {
    const turn = this.#pendingCalls > 0 ? BUSY_TURN : IDLE_TURN;
    let idleTurns = 0;
    while (idleTurns < RESPONSE_TURNS) {
      await sleep(turn);
      idleTurns = this.#pendingCalls > 0 ? 0 : idleTurns + 1;
    }
  }
}

/**
 * Calls back when the engine is gone: its end closes an open connection, and nothing listens any more. Over
 * HTTP/2, as the engine's server waits for any other connection before it stops. An engine that was never
 * reached is not watched.
 */
function watchEngine(address: string, onGone: () => void, wasReached = false): void {
  if (!/^[\w.-]+:\d+$/.test(address)) return;
  const session = connect(`http://${address}`);
  session.unref();
  let isReached = wasReached;
  let isRefused = false;
  session.once("connect", () => (isReached = true));
  // Other errors, such as too many open files, say nothing about the engine.
  session.on("error", ({ code }: NodeJS.ErrnoException) => (isRefused = code === "ECONNREFUSED"));
  session.once("close", () => {
    if (!isReached) return;
    if (isRefused) onGone();
    else setTimeout(watchEngine, RECONNECT, address, onGone, true).unref();
  });
}
