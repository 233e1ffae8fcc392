import "./quiet-undici.js"; // Before undici: see there.
import { Agent, EnvHttpProxyAgent, type Dispatcher } from "undici";

import { VERSION } from "../version.js";
import type { BaseUrl } from "./base-url.js";
import { ConfigurationError } from "./errors.js";

/**
 * Sent with every request. `identity`, because undici does not decompress, and RFC 9110 (12.5.3) lets a server compress
 * for a client that does not say what it takes.
 */
export const REQUEST_HEADERS = {
  "user-agent": `pulumi-partners/${VERSION}`,
  accept: "application/json",
  "accept-encoding": "identity",
} as const;

/** Milliseconds for DNS, TCP, proxy and TLS together; undici's own default for a connection. */
export const CONNECT_TIMEOUT = 10_000;

/** The connections to one account's server. */
export interface Connections {
  readonly origin: string;
  /** The value of the `authorization` header. Secret. */
  readonly authorization: string;
  /** Keeps connections open and uses them again: for GET, PATCH and DELETE, which may be repeated if that fails. */
  readonly pooled: Dispatcher;
  /** Opens a connection for each request: for POST, and to repeat what a kept-alive connection lost. */
  readonly fresh: Dispatcher;
  /** Closes all connections at once. */
  close(): Promise<void>;
}

/** Opens nothing yet; connections are made as requests need them, `maxConnections` of each kind at the most. */
export function createConnections(
  baseUrl: BaseUrl,
  accessToken: string,
  maxConnections: number,
): Connections {
  const shared = {
    connections: maxConnections,
    allowH2: false, // Over HTTP/2 undici itself sends a refused POST again, and that is a second key.
    headersTimeout: 0, // http.ts bounds the whole exchange more strictly.
    bodyTimeout: 0,
  };
  const create = (pipelining: 0 | 1): Dispatcher => {
    const options = { ...shared, pipelining };
    // A proxy named in HTTP_PROXY would be handed the token in clear text.
    if (baseUrl.loopback) return new Agent({ ...options, connect: { timeout: CONNECT_TIMEOUT } });
    // `connect.timeout` is ignored by this agent.
    return proxyAgent({ ...options, connectTimeout: CONNECT_TIMEOUT, proxyTls: { allowH2: false } });
  };
  const pooled = create(1);
  // 0 = no keep-alive: on a kept-alive socket that the server is just closing, a POST fails without reaching it in a way
  // that looks like a reset after the effect (303 of 400, measured; on fresh ones 0 of 400).
  const fresh = create(0);
  return {
    origin: baseUrl.origin,
    authorization: `Bearer ${accessToken}`,
    pooled,
    fresh,
    close: async () => {
      await Promise.all([pooled.destroy(), fresh.destroy()]);
    },
  };
}

/** @throws {ConfigurationError} if the environment names a proxy that cannot be one. */
function proxyAgent(options: EnvHttpProxyAgent.Options): Dispatcher {
  try {
    return new EnvHttpProxyAgent(options);
  } catch {
    // No cause: it repeats the address, and that may contain a password.
    throw new ConfigurationError(
      "The proxy in the environment variable HTTPS_PROXY or HTTP_PROXY is not a URL, so nothing was sent",
      "Write it with its scheme, as http://proxy.example.com:3128.",
    );
  }
}
