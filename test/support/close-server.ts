import type { Server, Socket } from "node:net";

/** Closes a server that knows nothing of HTTP, and what is still connected to it. */
export function closeServer(server: Server, open: Iterable<Socket>): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => {
      resolve();
    });
    for (const socket of open) socket.destroy();
  });
}
