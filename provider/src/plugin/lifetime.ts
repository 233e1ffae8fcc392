import { connect } from "node:net";

import type { PartnerClient } from "../api/partner-client.js";

/** Milliseconds between looks at whether the engine is still there. */
const WATCH_INTERVAL = 3_000;
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
  const [, host, port] = /^([\w.-]+):(\d+)$/.exec(engine) ?? [];
  if (host !== undefined) watchEngine(host, Number(port));
}

/** Stops at once, or when the creations that have been sent are answered: their keys would be lost. */
function stop(reason: string, exitCode: number): void {
  if (stopping.signal.aborted) return;
  const underWay = client?.underWay ?? [];
  stopping.abort();
  if (underWay.length === 0) process.exit(exitCode);
  process.stderr.write(`pulumi-partners: ${reason}; under way: ${underWay.join(", ")}.\n`);
  const drain = setInterval(() => {
    if (client !== null && client.underWay.length > 0) return;
    clearInterval(drain);
    setTimeout(() => {
      process.exit(exitCode);
    }, LAST_WORDS);
  }, DRAIN_INTERVAL);
}

/** The engine listens at the address that it gave this process; when it no longer does, it is gone. */
function watchEngine(host: string, port: number): void {
  let seen = false;
  const look = (): void => {
    const socket = connect({ host, port });
    socket.once("connect", () => {
      seen = true;
      socket.destroy();
    });
    socket.once("error", () => {
      if (seen) stop("the engine is gone", EXIT_CODES.SIGTERM);
    });
    socket.unref();
  };
  look();
  setInterval(look, WATCH_INTERVAL).unref();
}
