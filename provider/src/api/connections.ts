import { debuglog } from "node:util";
import { Agent, EnvHttpProxyAgent, type Dispatcher } from "undici";

import type { BaseUrl } from "./base-url.js";
import { SettingsError } from "./errors.js";

/** Milliseconds for DNS, TCP, proxy and TLS together; undici's own default for a connection. */
export const CONNECT_TIMEOUT = 10_000;

/** Bytes of response headers; undici's default of 16 KiB is less than some gateways send. */
const HEADER_LIMIT = 256 * 1024;

/** The connections to one account's server. */
export interface Connections {
  readonly origin: string;
  /** The value of the `authorization` header. Secret. */
  readonly authorization: string;
  /** Keeps connections open and uses them again: for requests that may be repeated if that fails. */
  readonly pooled: Dispatcher;
  /** Opens a connection for each request: for creations, and to repeat what a kept-alive connection lost. */
  readonly fresh: Dispatcher;
  /** Closes all connections at once. */
  close(): Promise<void>;
}

/**
 * Opens nothing yet; connections are opened as requests need them.
 *
 * @param maxConnections Connections of each kind.
 * @throws {SettingsError} if the environment names an unusable proxy, or would make undici log request paths.
 */
export function createConnections(
  baseUrl: BaseUrl,
  accessToken: string,
  maxConnections: number,
): Connections {
  assertUndiciIsQuiet();
  const shared = {
    connections: maxConnections,
    allowH2: false, // Over HTTP/2 undici itself sends a refused POST again, and that is a second key.
    headersTimeout: 0, // http.ts bounds the whole request more strictly.
    bodyTimeout: 0,
    maxHeaderSize: HEADER_LIMIT,
  };
  const create = (pipelining: 0 | 1): Dispatcher => {
    const options = { ...shared, pipelining };
    // A proxy named in HTTP_PROXY would be handed the token in clear text.
    if (baseUrl.loopback) return new Agent({ ...options, connect: { timeout: CONNECT_TIMEOUT } });
    // `connect.timeout` is ignored by this agent.
    return proxyAgent({ ...options, connectTimeout: CONNECT_TIMEOUT, proxyTls: { allowH2: false } });
  };
  const pooled = create(1);
  // 0 turns keep-alive off: on a kept-alive socket that the server is just closing, a POST that never arrived looks the same
  // as one whose response was lost.
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

/** With `NODE_DEBUG=undici`, undici prints the path of every request, and that of a deletion contains the key. */
function assertUndiciIsQuiet(): void {
  if (!debuglog("undici").enabled && !debuglog("fetch").enabled) return;
  const text = "NODE_DEBUG would print API keys. Remove undici and fetch from it, and use PARTNERS_DEBUG=1.";
  throw new SettingsError([{ kind: "environment", text }]);
}

function proxyAgent(options: EnvHttpProxyAgent.Options): Dispatcher {
  try {
    return new EnvHttpProxyAgent(options);
  } catch {
    // No cause: it repeats the address, and that may contain a password.
    const text =
      "The proxy in HTTPS_PROXY or HTTP_PROXY is not a URL. Write it with its scheme, such as http://proxy.example.com:3128.";
    throw new SettingsError([{ kind: "environment", text }]);
  }
}
