import { connect, createServer, type AddressInfo, type Socket } from "node:net";

/** A TCP server on 127.0.0.1. */
export interface TcpServer {
  readonly port: number;
  /** Closes the server and all connections. */
  close(): Promise<void>;
}

/** Starts a {@link TcpServer} on any free port. Ignores connection errors, because tests reset connections on purpose. */
export async function startTcpServer(serve: (socket: Socket) => void): Promise<TcpServer> {
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    open.add(socket);
    socket.once("close", () => open.delete(socket)).on("error", () => undefined);
    serve(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
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
