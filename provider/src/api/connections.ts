import { debuglog } from "node:util";
import { Agent, EnvHttpProxyAgent, type Dispatcher } from "undici";

import { SettingsError } from "./errors.js";
import type { ExtraHeaders } from "./extra-headers.js";

/** The base URL of a Partner API, in the parts that undici needs. */
export interface BaseUrl {
  /** Scheme, host and port. */
  readonly origin: string;
  /** The path before the paths of the operations, without a trailing slash; `""` if there is none. */
  readonly prefix: string;
  /** Whether the host is this machine. Then plain HTTP needs no setting, and no proxy is used. */
  readonly loopback: boolean;
}

/** Milliseconds for DNS, TCP, proxy and TLS together; undici's default. */
export const CONNECT_TIMEOUT = 10_000;

/** The names in `NODE_DEBUG` with which undici prints what it does. */
export const UNDICI_LOGS = ["undici", "fetch", "websocket", "undici:socks5", "undici:socks5-proxy"];

const PROXY_VARIABLES = ["https_proxy", "HTTPS_PROXY", "http_proxy", "HTTP_PROXY"];

/** The connections to one account's server. */
export interface Connections {
  /** Scheme, host and port of the server. */
  readonly origin: string;
  /** The value of the `authorization` header. Secret. */
  readonly authorization: string;
  readonly headers: ExtraHeaders;
  /** Reuses kept-alive connections: for requests that can be retried when one of them breaks. */
  readonly pooled: Dispatcher;
  /**
   * Opens a new connection for each request: for creations, and for retries after a connection broke. On a
   * kept-alive socket that the server is closing, a POST that never arrived looks the same as one whose
   * response was lost.
   */
  readonly fresh: Dispatcher;
  /** Whether the environment sets a proxy. A connection that fails does not tell at which of the two. */
  readonly mayUseProxy: boolean;
  /** Closes all connections; requests in flight fail. */
  close(): Promise<void>;
}

/**
 * Creates the connection pools. They open connections only when requests need them.
 *
 * @throws {SettingsError} if the environment sets an invalid proxy, or makes undici log request paths.
 */
export function createConnections(
  baseUrl: BaseUrl,
  accessToken: string,
  headers: ExtraHeaders,
  maxConnections: number,
  env: NodeJS.ProcessEnv,
): Connections {
  assertUndiciIsQuiet();
  const create = (pipelining: 0 | 1): Dispatcher => {
    const options = {
      connections: maxConnections,
      pipelining, // 0 disables keep-alive.
      allowH2: false, // Over HTTP/2, undici resends a refused POST, which could create a second key.
      headersTimeout: 0, // http.ts has a stricter timeout for the whole request.
      bodyTimeout: 0,
      maxHeaderSize: 256 * 1024, // Some gateways send more than undici's default of 16 KiB.
    };
    // A proxy in HTTP_PROXY would receive the token unencrypted.
    if (baseUrl.loopback) return new Agent({ ...options, connect: { timeout: CONNECT_TIMEOUT } });
    // This agent ignores `connect.timeout`.
    const proxies = {
      httpProxy: env["http_proxy"] ?? env["HTTP_PROXY"] ?? "",
      httpsProxy: env["https_proxy"] ?? env["HTTPS_PROXY"] ?? "",
      noProxy: env["no_proxy"] ?? env["NO_PROXY"] ?? "",
    };
    return proxyAgent({
      ...options,
      ...proxies,
      connectTimeout: CONNECT_TIMEOUT,
      proxyTls: { allowH2: false },
      // For http://, undici would otherwise ignore most of these options, and reuse connections.
      proxyTunnel: true,
    });
  };
  const pooled = create(1);
  const fresh = create(0);
  return {
    origin: baseUrl.origin,
    authorization: `Bearer ${accessToken}`,
    headers,
    pooled,
    fresh,
    mayUseProxy: !baseUrl.loopback && PROXY_VARIABLES.some((name) => env[name]),
    async close() {
      await Promise.all([pooled.destroy(), fresh.destroy()]);
    },
  };
}

/**
 * Rejects a `NODE_DEBUG` with which undici prints request paths: the path of a deletion contains the key.
 * `websocket` prints those of all requests.
 */
function assertUndiciIsQuiet(): void {
  if (!UNDICI_LOGS.some((name) => debuglog(name).enabled)) return;
  throw new SettingsError([{ kind: "loggedPaths" }]);
}

function proxyAgent(options: EnvHttpProxyAgent.Options): Dispatcher {
  // Without a cause, which would repeat the address and with it a possible password.
  for (const address of [options.httpProxy, options.httpsProxy])
    if (address && !isHttpUrl(address)) throw new SettingsError([{ kind: "invalidProxy" }]);
  return new EnvHttpProxyAgent(options);
}

/** Undici accepts `socks5:` as well, but then every attempt times out. */
function isHttpUrl(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}
