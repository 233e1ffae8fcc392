import { connect } from "node:net";

import type { PartnerClient } from "../api/partner-client.js";

/** Milliseconds between looks at whether the engine is still there. */
const WATCH_INTERVAL = 3_000;
/** Refusals in a row after which the engine counts as gone. */
const REFUSALS = 2;
/** Milliseconds for an answer to get from a handler to the engine, whose own SIGINT comes 8 to 26 after the last one (11 of 12 ends, measured). */
const ANSWER_TRAVELS = 20;
/** The same for the answers of all calls that a stop has ended. */
const LAST_WORDS = 100;
/** Turns of the event loop in which an answer is written, however long they take: twice what was counted in the source of @grpc/grpc-js. */
const ANSWER_TURNS = 8;
/** Milliseconds between looks at whether what was under way has ended. */
const DRAIN_INTERVAL = 20;

const stopping = new AbortController();
let client: PartnerClient | null = null;
let callsUnanswered = 0;
let answeredAt = -Infinity;

/** Aborted when the process has been told to stop. */
export const stopSignal: AbortSignal = stopping.signal;

/** Names the client that knows what is under way. */
export function stopWith(opened: PartnerClient): void {
  client = opened;
}

/** Handles a call of the engine, to whom an answer is due before this process may end. */
export async function answering<Answer>(handle: () => Promise<Answer>): Promise<Answer> {
  callsUnanswered += 1;
  try {
    return await handle();
  } finally {
    callsUnanswered -= 1;
    answeredAt = performance.now();
  }
}

/**
 * Makes the plugin process end well: on SIGINT and SIGTERM, and when the engine is gone. The engine's own `cancel` never
 * arrives here, and after `kill -9` of the CLI nobody else would end this process.
 *
 * Does nothing in a process that is not the SDK's dynamic-provider host, as that is not ours to end.
 */
export function watchLifetime(argv: readonly string[] = process.argv): void {
  const [, script = "", engine = ""] = argv;
  if (!/[\\/]cmd[\\/]dynamic-provider([\\/]|$)/.test(script)) return;
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.on(signal, () => {
      stop(`${signal} received`, signal);
    });
  }
  // After the engine nobody reads these. Unhandled, a failed write makes the SDK's host report it, which fails again, for ever.
  for (const stream of [process.stdout, process.stderr]) stream.on("error", ignore);
  const [, host, port] = /^([\w.-]+):(\d+)$/.exec(engine) ?? [];
  if (host !== undefined) watchEngine(host, Number(port));
}

/**
 * Ends all calls but creations that have been sent, as their keys would be lost, and then the process. The engine ends every
 * plugin in this way and waits for it, so an idle one does not take its time.
 */
function stop(reason: string, signal: NodeJS.Signals): void {
  if (stopping.signal.aborted) return;
  const underWay = client?.underWay ?? [];
  stopping.abort();
  if (underWay.length > 0) {
    process.stderr.write(`pulumi-partners: ${reason}; under way: ${tally(underWay)}.\n`);
  }
  endAfterAnswers(signal, callsUnanswered > 0 ? LAST_WORDS : ANSWER_TRAVELS);
}

/** Ends the process when no call has been unanswered for so many milliseconds: the last answer may hold a new key. */
function endAfterAnswers(signal: NodeJS.Signals, quiet: number, turns = ANSWER_TURNS): void {
  const wait = callsUnanswered > 0 ? DRAIN_INTERVAL : quiet - (performance.now() - answeredAt);
  if (wait > 0) {
    setTimeout(endAfterAnswers, wait, signal, quiet);
    return;
  }
  if (turns > 0) {
    setImmediate(endAfterAnswers, signal, quiet, turns - 1);
    return;
  }
  // As the signal ends any process, and in half the time of `process.exit`. Node still does what it does at an exit, such as
  // to write what it has compiled, because the process sends the signal itself.
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
}

/** `60 × disableWebhook, 1 × createApiKey` */
function tally(names: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts].map(([name, count]) => `${count} × ${name}`).join(", ");
}

/** The engine listens at the address that it gave this process; when it no longer does, it is gone. */
function watchEngine(host: string, port: number): void {
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
      if (seen && refused >= REFUSALS) stop("the engine is gone", "SIGTERM");
    });
    socket.unref();
  };
  look();
  setInterval(look, WATCH_INTERVAL).unref();
}

function ignore(): void {
  // There is nobody left to tell.
}
