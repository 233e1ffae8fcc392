import { connect } from "node:net";

import type { PartnerClient } from "../api/partner-client.js";

/** Milliseconds between looks at whether the engine is still there. */
const WATCH_INTERVAL = 3_000;
/** Refusals in a row after which the engine counts as gone. */
const REFUSALS = 2;
/** Milliseconds for the last answers to get from this process to the engine. */
const LAST_WORDS = 100;
/** Milliseconds between looks at whether what was under way has ended. */
const DRAIN_INTERVAL = 20;
/** By convention, 128 and the number of the signal. */
const EXIT_CODES = { SIGINT: 130, SIGTERM: 143 } as const;

const stopping = new AbortController();
let client: PartnerClient | null = null;

/** Aborted when the process has been told to stop. */
export const stopSignal: AbortSignal = stopping.signal;

/** Names the client whose creations are waited for. */
export function stopWith(opened: PartnerClient): void {
  client = opened;
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
      stop(`${signal} received`, EXIT_CODES[signal]);
    });
  }
  // After the engine nobody reads these. Unhandled, a failed write makes the SDK's host report it, which fails again, for ever.
  for (const stream of [process.stdout, process.stderr]) stream.on("error", ignore);
  const [, host, port] = /^([\w.-]+):(\d+)$/.exec(engine) ?? [];
  if (host !== undefined) watchEngine(host, Number(port));
}

/** Stops at once, or when the creations that have been sent are answered: their keys would be lost. */
function stop(reason: string, exitCode: number): void {
  if (stopping.signal.aborted) return;
  const underWay = client?.underWay ?? [];
  stopping.abort();
  const busy = underWay.length > 0;
  if (busy) process.stderr.write(`pulumi-partners: ${reason}; under way: ${tally(underWay)}.\n`);
  // Not at once even if idle: a key that came in together with the signal is still on its way to the engine.
  const drain = setInterval(() => {
    if (client !== null && client.underWay.length > 0) return;
    clearInterval(drain);
    setTimeout(() => process.exit(exitCode), busy ? LAST_WORDS : 0);
  }, DRAIN_INTERVAL);
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
      if (seen && refused >= REFUSALS) stop("the engine is gone", EXIT_CODES.SIGTERM);
    });
    socket.unref();
  };
  look();
  setInterval(look, WATCH_INTERVAL).unref();
}

function ignore(): void {
  // There is nobody left to tell.
}
