/** The thread of the server of late-server.ts. While it is blocked, it accepts no connections. */
import { createServer, type AddressInfo } from "node:net";
import { parentPort, workerData } from "node:worker_threads";

import type { LateServerState } from "./late-server.ts";

const { isBlocked, delay, connections, requests } = workerData as LateServerState;

const server = createServer((socket) => {
  Atomics.add(connections, 0, 1);
  socket.on("error", () => undefined);
  socket.on("data", (data) => {
    Atomics.add(requests, 0, 1);
    const status = data.toString("latin1").startsWith("CONNECT") ? "502 No" : "200 OK";
    socket.write(`HTTP/1.1 ${status}\r\ncontent-length: 2\r\n\r\n[]`);
  });
});

// Two connections fill this queue. Linux drops the next ones until they are accepted.
server.listen({ port: 0, host: "127.0.0.1", backlog: 1 }, () => {
  parentPort?.once("message", () => {
    Atomics.store(isBlocked, 0, 1);
    Atomics.notify(isBlocked, 0);
    Atomics.wait(delay, 0, 0);
    Atomics.wait(delay, 0, delay[0] ?? 0, delay[0]);
  });
  parentPort?.postMessage((server.address() as AddressInfo).port);
});
