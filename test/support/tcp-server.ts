import { once } from "node:events";
import { connect, createServer, type AddressInfo, type Socket } from "node:net";

/**
 * Starts a TCP server on 127.0.0.1. Ignores connection errors, because tests reset connections on purpose.
 */
export async function startTcpServer(serve: (socket: Socket) => void) {
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    open.add(socket);
    socket.once("close", () => open.delete(socket)).on("error", () => undefined);
    serve(socket);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    /** Closes the server and all connections. */
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => {
          resolve();
        });
        for (const socket of open) socket.destroy();
      }),
  };
}

/**
 * Connects a client to a server on this machine. Forwards a reset or a close on either side as such.
 *
 * @param raw The TCP connection under `client`, which can be reset.
 * @returns The connection to the server.
 */
export function forward(client: Socket, raw: Socket, port: number): Socket {
  const upstream = connect(port, "127.0.0.1");
  upstream.on("error", () => raw.resetAndDestroy());
  upstream.once("close", () => {
    client.destroySoon();
  });
  raw.once("close", () => upstream.destroy());
  client.pipe(upstream).pipe(client);
  return upstream;
}
