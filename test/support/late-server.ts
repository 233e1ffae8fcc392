import { once } from "node:events";
import { connect } from "node:net";
import { Worker } from "node:worker_threads";
import { onTestFinished } from "vitest";

/** What the server and its thread share: a number each. */
export type LateServerState = Readonly<
  Record<"isBlocked" | "delay" | "connections" | "requests", Int32Array>
>;

/**
 * Starts an HTTP server on 127.0.0.1 that accepts no connections until it is told to. Until then they are
 * neither made nor refused, as on a slow network: the kernel tries again after 1 and 3 seconds. It returns an
 * empty list, and 502 to CONNECT.
 */
export async function startLateServer() {
  const number = (): Int32Array => new Int32Array(new SharedArrayBuffer(4));
  const [isBlocked, delay, connections, requests] = [number(), number(), number(), number()];
  const state: LateServerState = { isBlocked, delay, connections, requests };
  const worker = new Worker(new URL("./late-server-worker.ts", import.meta.url), { workerData: state });
  onTestFinished(async () => {
    await worker.terminate();
  });
  const [port] = (await once(worker, "message")) as [number];
  worker.postMessage("block");
  await Atomics.waitAsync(isBlocked, 0, 0).value;
  const fillers = [1, 2].map(() => connect(port, "127.0.0.1").on("error", () => undefined));
  onTestFinished(() => {
    for (const filler of fillers) filler.destroy();
  });
  await Promise.all(fillers.map((filler) => once(filler, "connect")));
  return {
    port,
    /** Lets the server accept connections, after a number of milliseconds. */
    accept: (milliseconds: number): void => {
      Atomics.store(delay, 0, milliseconds);
      Atomics.notify(delay, 0);
    },
    /** The number of connections that were accepted, without the two that kept others waiting. */
    connections: (): number => Atomics.load(connections, 0) - fillers.length,
    requests: (): number => Atomics.load(requests, 0),
  };
}
