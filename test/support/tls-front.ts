import { connect, createServer, type AddressInfo, type Socket } from "node:net";
import { createSecureContext, TLSSocket } from "node:tls";
import type { Identity } from "./certificates.ts";
import { closeServer } from "./close-server.ts";

/** What a {@link TlsFront} does beside passing everything on. */
export interface TlsFrontOptions {
  /**
   * What becomes of a handshake: it is answered, at once or when a promise resolves, or the connection is reset, or
   * nothing happens.
   * @default "answer"
   */
  readonly handshake?: "answer" | "reset" | "stall" | Promise<void>;
}

/** A TLS server that decrypts and passes on to a plain one on this machine. */
export interface TlsFront {
  readonly port: number;
  /** The application protocol that each handshake agreed on, in order; `false` where the client named none. */
  readonly protocols: readonly (string | false | null)[];
  /** Connections of clients that are open now. */
  openConnections(): number;
  close(): Promise<void>;
}

/** Offers HTTP/2 before HTTP/1.1, as most servers do. What it passes on to need not understand it. */
const OFFERED = ["h2", "http/1.1"];

/** Puts TLS before the server with this URL, which is on 127.0.0.1. A reset on either side is passed on as one. */
export async function startTlsFront(
  url: string,
  identity: Identity,
  { handshake = "answer" }: TlsFrontOptions = {},
): Promise<TlsFront> {
  const target = Number(new URL(url).port);
  const secureContext = createSecureContext(identity);
  const protocols: TlsFront["protocols"][number][] = [];
  const open = new Set<Socket>();

  const server = createServer((raw) => {
    open.add(raw);
    raw.once("close", () => open.delete(raw)).on("error", () => undefined);
    if (handshake === "reset") raw.once("data", () => raw.resetAndDestroy());
    else if (handshake === "answer") serve(raw);
    else if (handshake === "stall") raw.resume();
    else
      void handshake.then(() => {
        serve(raw);
      });
  });

  function serve(raw: Socket): void {
    const secure = new TLSSocket(raw, { isServer: true, secureContext, ALPNProtocols: OFFERED });
    secure.on("error", () => raw.destroy());
    secure.once("secure", () => {
      protocols.push(secure.alpnProtocol);
      const upstream = connect(target, "127.0.0.1");
      upstream.on("error", () => raw.resetAndDestroy());
      upstream.once("close", () => {
        secure.destroySoon();
      });
      raw.once("close", () => upstream.destroy());
      secure.pipe(upstream).pipe(secure);
    });
  }

  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    protocols,
    openConnections: () => open.size,
    close: () => closeServer(server, open),
  };
}
