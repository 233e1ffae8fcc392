import { debuglog } from "node:util";
import { Agent, EnvHttpProxyAgent, Pool, type buildConnector, type Dispatcher } from "undici";

import { SettingsError } from "./errors.js";

/** The base URL of a Partner API, in the parts that undici needs. */
export interface BaseUrl {
  /** Scheme, host and port. */
  readonly origin: string;
  /** The path before the paths of the operations, without a trailing slash; `""` if there is none. */
  readonly prefix: string;
  /** Whether the host is this machine. Only then is plain HTTP allowed, and no proxy is used. */
  readonly loopback: boolean;
}

/** Milliseconds for DNS, TCP, proxy and TLS together; undici's default. */
export const CONNECT_TIMEOUT = 10_000;

/** Bytes of response headers. Some gateways send more than undici's default of 16 KiB. */
const MAX_HEADER_BYTES = 256 * 1024;

/** The connections to one account's server. */
export interface Connections {
  readonly origin: string;
  /** The value of the `authorization` header. Secret. */
  readonly authorization: string;
  /** Reuses kept-alive connections: for requests that can be retried when one of them breaks. */
  readonly pooled: Dispatcher;
  /** Opens a new connection for each request: for creations, and for retries after a connection broke. */
  readonly fresh: Dispatcher;
  /** Closes all connections at once. */
  close(): Promise<void>;
}

/**
 * Creates the connection pools. They open connections only when requests need them.
 *
 * @param maxConnections The maximum number of connections in each pool.
 * @throws {SettingsError} if the environment sets an invalid proxy, or makes undici log request paths.
 */
export function createConnections(
  baseUrl: BaseUrl,
  accessToken: string,
  maxConnections: number,
): Connections {
  assertUndiciIsQuiet();
  const shared = {
    connections: maxConnections,
    allowH2: false, // Over HTTP/2, undici resends a refused POST, which could create a second key.
    headersTimeout: 0, // http.ts has a stricter timeout for the whole request.
    bodyTimeout: 0,
    maxHeaderSize: MAX_HEADER_BYTES,
  };
  const create = (pipelining: 0 | 1): Dispatcher => {
    const options = { ...shared, pipelining };
    // A proxy in HTTP_PROXY would receive the token unencrypted.
    if (baseUrl.loopback) return new Agent({ ...options, connect: { timeout: CONNECT_TIMEOUT } });
    // This agent ignores `connect.timeout`.
    return proxyAgent({ ...options, connectTimeout: CONNECT_TIMEOUT, proxyTls: { allowH2: false } });
  };
  const pooled = create(1);
  // 0 disables keep-alive. On a kept-alive socket that the server is closing, a POST that never arrived looks the same as
  // one whose response was lost.
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

/** Rejects `NODE_DEBUG=undici`, with which undici prints request paths: the path of a deletion contains the key. */
function assertUndiciIsQuiet(): void {
  if (!debuglog("undici").enabled && !debuglog("fetch").enabled) return;
  const text =
    "NODE_DEBUG would print API keys. Remove undici and fetch from it; use PARTNERS_DEBUG=1 instead.";
  throw new SettingsError([{ kind: "environment", text }]);
}

function proxyAgent(options: EnvHttpProxyAgent.Options): Dispatcher {
  try {
    return new EnvHttpProxyAgent({ ...options, clientFactory: proxyClient });
  } catch {
    // Without the cause, which repeats the address and with it a possible password.
    const text =
      "The proxy in HTTPS_PROXY or HTTP_PROXY is not a URL. Include the scheme, as in http://proxy.example.com:3128.";
    throw new SettingsError([{ kind: "environment", text }]);
  }
}

/** Marks an error in connecting to a proxy, which looks the same as one in connecting to the server. */
const PROXY = Symbol("proxy");

/** Returns the host and port of the proxy that could not be reached; `undefined` for any other error. */
export function unreachableProxy(error: unknown): string | undefined {
  return error instanceof Error && PROXY in error ? String(error[PROXY]) : undefined;
}

/** Creates the client that an agent uses to reach its proxy. */
function proxyClient({ origin, host }: URL, options: object): Dispatcher {
  const { connect } = options as { readonly connect: buildConnector.connector };
  return new Pool(origin, {
    connect: (target, callback) => {
      connect(target, (...[error, socket]) => {
        if (error) callback(Object.assign(error, { [PROXY]: host }), null);
        else callback(null, socket);
      });
    },
  });
}
