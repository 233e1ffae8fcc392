import { forward, startTcpServer } from "./tcp-server.ts";

/** The response to a CONNECT: a tunnel, a status, a 407 that names a login, or an orderly close. */
export type Reaction = "tunnel" | number | "NTLM" | "Basic" | "fin";

/**
 * Starts an HTTP proxy on 127.0.0.1 that records all traffic. A tunnel ends the way its server side ends:
 * with FIN or RST.
 *
 * @param port The local port to which all tunnels lead.
 * @param reactions The reaction to each CONNECT in turn. The last one repeats.
 */
export async function startConnectProxy(port: number, reactions: readonly Reaction[]) {
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
      const reaction = reactions[Math.min(heads.length, reactions.length) - 1];
      if (reaction === "fin") client.end();
      else if (typeof reaction === "number")
        client.end(`HTTP/1.1 ${reaction} No\r\ncontent-length: 0\r\n\r\n`);
      else if (reaction === "NTLM" || reaction === "Basic")
        client.end(`HTTP/1.1 407 No\r\nproxy-authenticate: ${reaction}\r\ncontent-length: 0\r\n\r\n`);
      else {
        client.write("HTTP/1.1 200 OK\r\n\r\n");
        for (const side of [client, forward(client, client, port)])
          side.on("data", (chunk) => bytes.push(chunk));
      }
    };
    client.on("data", onData);
  });
  return {
    url: `http://127.0.0.1:${server.port}`,
    /** The head of each request as received. */
    heads,
    /** Every byte received from clients and servers. */
    seen: () => Buffer.concat(bytes),
    close: () => server.close(),
  };
}
