import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { json } from "./answer.js";
import { send, type Exchange } from "./delivery.js";
import type { RequestLog } from "./log.js";

/** A server that listens. */
export interface SandboxServer {
  /** The port it listens on. */
  readonly port: number;
  /** Stops listening and destroys every connection; resolves when all are gone. */
  readonly close: () => Promise<void>;
}

const HOST = "127.0.0.1";

/** Listens on loopback, numbers the connections, and logs each request before `handle` gets it. */
export async function listen(
  port: number,
  log: RequestLog,
  handle: (exchange: Exchange) => Promise<void>,
): Promise<SandboxServer> {
  const sockets = new Map<Socket, number>();
  let accepted = 0;

  const server = createServer((request, response) => {
    const entry = log.add(request, sockets.get(request.socket) ?? 0);
    response.setHeader("x-request-id", entry.requestId);
    void receive({ request, response, entry }, handle);
  });
  server.on("connection", (socket) => {
    accepted += 1;
    sockets.set(socket, accepted);
    socket.once("close", () => sockets.delete(socket));
  });

  server.listen(port, HOST);
  try {
    await once(server, "listening");
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    const reason = code === "EADDRINUSE" ? "it is in use" : (code ?? "unknown error");
    throw new Error(`The sandbox cannot listen on ${HOST}:${port}: ${reason}. Choose another port, or 0.`, {
      cause,
    });
  }

  return {
    port: (server.address() as AddressInfo).port,
    close: async () => {
      const closed = once(server, "close");
      server.close();
      for (const socket of sockets.keys()) socket.destroy();
      await closed;
    },
  };
}

async function receive(exchange: Exchange, handle: (exchange: Exchange) => Promise<void>): Promise<void> {
  try {
    exchange.entry.bodyBytes = await countBytes(exchange.request);
    await handle(exchange);
  } catch (error) {
    if (exchange.request.socket.destroyed) return; // The client left in the middle.
    // A shape of the user's own that throws, or a header that cannot be sent: say it where the user looks.
    const reason = error instanceof Error ? error.message : String(error);
    if (exchange.response.headersSent) exchange.request.socket.destroy();
    else send(exchange, json(500, { error: `the sandbox failed: ${reason}` }));
  }
}

async function countBytes(request: IncomingMessage): Promise<number> {
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) bytes += chunk.length;
  return bytes;
}
