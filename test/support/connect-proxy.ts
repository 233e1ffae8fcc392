import type { Socket } from "node:net";
import { forward, startTcpServer } from "./tcp-server.ts";

/** The response to a CONNECT: a tunnel, an error status, an orderly close, or bytes that are not HTTP. */
export type Reaction = "tunnel" | number | "fin" | "garbage";

/** Options of {@link startConnectProxy}. */
export interface ConnectProxyOptions {
  /** The local port to connect to for each host, such as `partners.test:443`. */
  readonly targets: Readonly<Record<string, number>>;
  /** The reaction to each CONNECT in turn. The last one repeats. @default ["tunnel"] */
  readonly reactions?: readonly Reaction[];
}

/**
 * Starts an HTTP proxy on 127.0.0.1 that records all traffic. A tunnel ends the way its server side ends: with FIN or RST.
 */
export async function startConnectProxy({ targets, reactions = ["tunnel"] }: ConnectProxyOptions) {
  const heads: string[] = [];
  const bytes: Buffer[] = [];

  const server = await startTcpServer((client) => {
    let head = "";
    const onData = (chunk: Buffer): void => {
      bytes.push(chunk);
      head += chunk.toString("latin1");
      if (!head.includes("\r\n\r\n")) return;
      client.off("data", onData);
      heads.push(head);
      react(reactions[Math.min(heads.length, reactions.length) - 1] ?? "tunnel", client, head);
    };
    client.on("data", onData);
  });

  function react(reaction: Reaction, client: Socket, head: string): void {
    const port = targets[/^CONNECT (\S+)/.exec(head)?.[1] ?? ""];
    const refuse = (status: number) => client.end(`HTTP/1.1 ${status} No\r\ncontent-length: 0\r\n\r\n`);
    if (reaction === "fin") client.end();
    else if (reaction === "garbage") client.end("220 ready\r\n");
    else if (reaction !== "tunnel") refuse(reaction);
    else if (port === undefined) refuse(502);
    else {
      client.write("HTTP/1.1 200 OK\r\n\r\n");
      for (const side of [client, forward(client, client, port)])
        side.on("data", (chunk) => bytes.push(chunk));
    }
  }

  return {
    url: `http://127.0.0.1:${server.port}`,
    /** The head of each request as received. */
    heads,
    /** Every byte received from clients and servers. */
    seen: () => Buffer.concat(bytes),
    close: () => server.close(),
  };
}
