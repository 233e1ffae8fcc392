import { connect, createServer, type AddressInfo, type Socket } from "node:net";

/** A server on 127.0.0.1 that knows nothing of HTTP. */
export interface TcpServer {
  readonly port: number;
  /** Closes it and what is still connected to it. */
  close(): Promise<void>;
}

/** Starts a {@link TcpServer} on any free port. Errors of a connection are ignored: resets are what tests do. */
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
 * Connects a client to a server on this machine. A reset or a close on either side is passed on as one.
 *
 * @param raw The connection below `client`, which is what can be reset. @returns the server's side
 */
export function passOn(client: Socket, raw: Socket, port: number): Socket {
  const upstream = connect(port, "127.0.0.1");
  upstream.on("error", () => raw.resetAndDestroy());
  upstream.once("close", () => {
    client.destroySoon();
  });
  raw.once("close", () => upstream.destroy());
  client.pipe(upstream).pipe(client);
  return upstream;
}
