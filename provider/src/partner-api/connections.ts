import { Agent, buildConnector, EnvHttpProxyAgent, Pool, type Dispatcher } from "undici";

import { HEADER_LIMIT } from "./attempt.js";
import { otherLoginError, proxyConnectionError } from "./connection-errors.js";
import { MAX_IN_FLIGHT } from "./rate-limiter.js";
import { invalidProxy } from "./request-messages.js";

/** The base URL of a Partner API, as a whole and in the parts that undici needs. */
export interface BaseUrl {
  /** As in `https://partners.example.com/gateway`: the origin and the prefix. */
  readonly address: string;
  /** Scheme, host and port. */
  readonly origin: string;
  /** The path before those of the operations, without a trailing slash; may be empty. */
  readonly prefix: string;
  /** Whether the host is this machine, so that plain HTTP is allowed, and no proxy is used. */
  readonly loopback: boolean;
}

/** The connections to one account's server. */
export interface Connections {
  /** Reuses connections: for requests that can be repeated when one of them breaks. */
  readonly pooled: Dispatcher;
  /** For a POST: on a kept-alive socket that the server is closing, nobody can tell whether it arrived. */
  readonly fresh: Dispatcher;
  /** Closes all connections. Requests in flight fail. */
  close(): Promise<void>;
}

const SOCKETS = {
  allowH2: false, // Over HTTP/2, undici resends a refused POST, which could create a second key.
  autoSelectFamily: true,
  // Milliseconds for each address of a host. Node's 250 are too few for a slow network without IPv6.
  autoSelectFamilyAttemptTimeout: 2_500,
};

/** Milliseconds. */
const CONNECT_TIMEOUT = 10_000;

/** Creates the connection pools. @throws {PartnerError} if the proxy that they need is invalid. */
export function createConnections({ loopback }: BaseUrl, env: NodeJS.ProcessEnv): Connections {
  const httpProxy = env["http_proxy"] ?? env["HTTP_PROXY"] ?? "";
  const proxies = {
    httpProxy: "", // Requests over plain HTTP go to this machine only.
    httpsProxy: (env["https_proxy"] ?? env["HTTPS_PROXY"]) || httpProxy,
    noProxy: env["no_proxy"] ?? env["NO_PROXY"] ?? "",
  };
  const create = (pipelining: 0 | 1): Dispatcher => {
    const options = {
      ...SOCKETS,
      connections: MAX_IN_FLIGHT,
      connect: createConnector(),
      connectTimeout: CONNECT_TIMEOUT,
      pipelining, // 0 disables keep-alive.
      headersTimeout: 0, // attempt.ts limits the attempt as a whole.
      bodyTimeout: 0,
      maxHeaderSize: HEADER_LIMIT,
    };
    return loopback ? new Agent(options) : proxyAgent({ ...options, ...proxies, proxyTls: SOCKETS });
  };
  const [pooled, fresh] = [create(1), create(0)];
  return {
    pooled,
    fresh,
    async close() {
      await Promise.all([pooled.destroy(), fresh.destroy()]);
    },
  };
}

/** In TLS 1.3, a server refuses after the handshake; undici alone would say that it closed the connection. */
function createConnector(): buildConnector.connector {
  const connect = buildConnector({ ...SOCKETS, timeout: CONNECT_TIMEOUT });
  return (options, callback) => {
    connect(options, (...result) => {
      const [, socket] = result;
      socket?.once("error", (alert: Error) => socket.destroy(alert));
      callback(...result);
    });
  };
}

function proxyAgent(options: EnvHttpProxyAgent.Options & { httpsProxy: string }): Dispatcher {
  const { httpsProxy } = options;
  // As curl does. With any other scheme, the result has a path, which undici refuses.
  const hasScheme = /^(?:https?:\/\/|$)/i.test(httpsProxy);
  try {
    return new EnvHttpProxyAgent({
      ...options,
      httpsProxy: hasScheme ? httpsProxy : `http://${httpsProxy}`,
      clientFactory: (origin, client) =>
        new ProxyPool(origin, client as { connect: buildConnector.connector }),
    });
  } catch {
    throw invalidProxy(); // Without the cause, which repeats the address and with it a password.
  }
}

/** The connections to a proxy. Says of a failure what undici drops: whose certificate, and which login. */
class ProxyPool extends Pool {
  constructor(origin: URL, { connect }: { connect: buildConnector.connector }) {
    super(origin, {
      connect: (options: buildConnector.Options, callback: buildConnector.Callback) => {
        connect(options, (...[error, socket]) => {
          if (error) callback(proxyConnectionError(error), null);
          else callback(null, socket);
        });
      },
    });
  }

  /** Only ProxyAgent calls it, without a callback. */
  override async connect(options: Dispatcher.ConnectOptions): Promise<Dispatcher.ConnectData> {
    const answer = await super.connect(options);
    const methods = [answer.headers["proxy-authenticate"] ?? []].flat();
    if (answer.statusCode !== 407 || methods.length === 0 || methods.some((one) => /\bbasic\b/i.test(one)))
      return answer;
    answer.socket.on("error", () => undefined).destroy();
    throw otherLoginError();
  }
}
