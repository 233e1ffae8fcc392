import { connect, type Socket } from "node:net";
import { TLSSocket, createSecureContext } from "node:tls";
import { startTcpServer } from "./tcp-server.ts";
import type { Identity } from "./tls.ts";

/**
 * What becomes of a CONNECT: a tunnel, a refusal with this status, a reset, an orderly close, bytes that are no HTTP, or
 * nothing until a promise resolves, and then a tunnel.
 */
export type Reaction = "tunnel" | number | "reset" | "fin" | "garbage" | Promise<void>;

/** How a {@link ConnectProxy} behaves. */
export interface ConnectProxyOptions {
  /** The port on this machine that stands for each host, as `partners.test:443`. */
  readonly targets: Readonly<Record<string, number>>;
  /** What becomes of each CONNECT in turn; the last one of all that follow. @default ["tunnel"] */
  readonly reactions?: readonly Reaction[];
  /** Makes it a proxy that is itself reached over TLS. @default plain TCP */
  readonly identity?: Identity;
}

/** A proxy as companies have it, which remembers everything. */
export interface ConnectProxy {
  readonly url: string;
  /** The head of each request, as it came: CONNECT or, for a client that trusts the proxy with more, anything else. */
  readonly heads: readonly string[];
  /** Every byte that it got from clients and from servers. */
  seen(): Buffer;
  /** Connections of clients that are open now. */
  openConnections(): number;
  close(): Promise<void>;
}

/** Starts a proxy on 127.0.0.1. A tunnel ends as its server's side ends: by FIN or by RST. */
export async function startConnectProxy(options: ConnectProxyOptions): Promise<ConnectProxy> {
  const { targets, reactions = ["tunnel"], identity } = options;
  const heads: string[] = [];
  const bytes: Buffer[] = [];

  const server = await startTcpServer((raw) => {
    if (identity === undefined) {
      serve(raw, raw);
      return;
    }
    const secureContext = createSecureContext(identity);
    const secure = new TLSSocket(raw, { isServer: true, secureContext, ALPNProtocols: ["h2", "http/1.1"] });
    secure.on("error", () => raw.destroy());
    serve(secure, raw);
  });

  function serve(client: Socket, raw: Socket): void {
    let head = "";
    const onData = (chunk: Buffer): void => {
      bytes.push(chunk);
      head += chunk.toString("latin1");
      if (!head.includes("\r\n\r\n")) return;
      client.off("data", onData);
      client.pause();
      heads.push(head);
      const reaction = reactions[Math.min(heads.length, reactions.length) - 1] ?? "tunnel";
      void react(reaction, client, raw, head);
    };
    client.on("data", onData);
  }

  async function react(reaction: Reaction, client: Socket, raw: Socket, head: string): Promise<void> {
    if (reaction === "reset") raw.resetAndDestroy();
    else if (reaction === "fin") client.end();
    else if (reaction === "garbage") client.end("220 ready\r\n");
    else if (typeof reaction === "number") client.end(`HTTP/1.1 ${reaction} No\r\ncontent-length: 0\r\n\r\n`);
    else {
      if (reaction !== "tunnel") await reaction;
      tunnel(client, raw, targets[/^CONNECT (\S+)/.exec(head)?.[1] ?? ""]);
    }
  }

  function tunnel(client: Socket, raw: Socket, port: number | undefined): void {
    if (port === undefined) {
      client.end("HTTP/1.1 502 Unknown Host\r\ncontent-length: 0\r\n\r\n");
      return;
    }
    const upstream = connect(port, "127.0.0.1");
    upstream.on("error", () => raw.resetAndDestroy());
    upstream.once("close", () => {
      client.destroySoon();
    });
    raw.once("close", () => upstream.destroy());
    client.on("data", (chunk) => bytes.push(chunk));
    upstream.on("data", (chunk) => bytes.push(chunk));
    client.write("HTTP/1.1 200 OK\r\n\r\n");
    client.pipe(upstream).pipe(client);
  }

  return {
    url: `${identity ? "https://localhost" : "http://127.0.0.1"}:${server.port}`,
    heads,
    seen: () => Buffer.concat(bytes),
    openConnections: () => server.openConnections(),
    close: () => server.close(),
  };
}
