import { createServer, type AddressInfo, type Socket } from "node:net";

/** A server on 127.0.0.1 that knows nothing of HTTP. */
export interface TcpServer {
  readonly port: number;
  /** Connections of clients that are open now. */
  openConnections(): number;
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
    openConnections: () => open.size,
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        for (const socket of open) socket.destroy();
      }),
  };
}
