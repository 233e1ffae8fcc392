import { once } from "node:events";
import { createServer, request as forward, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";

/** Where a request is held: before the server gets it, or after it took effect and before its answer is delivered. */
export type HoldPoint = "before" | "after";

/** A request that is held. */
export interface Held {
  /** Resolves when it is there, with its name as in {@link Gate.requests}. */
  readonly reached: Promise<string>;
  /** Lets it go on; resolves when its answer has been handed to the system, or never, if the client is gone. */
  release(): Promise<void>;
}

/** Stands between the provider and the server, lets everything pass, and can hold one request for as long as a test wants. */
export interface Gate {
  readonly url: string;
  /** Sets the server, and forgets what was held or counted. */
  leadTo(serverUrl: string): void;
  /** Holds the n-th request from now on, counted from 1. */
  hold(n: number, point: HoldPoint): Held;
  /** All requests since {@link leadTo}: the method, and the webhook's id where there is one, as "PATCH 101". */
  readonly requests: readonly string[];
  close(): Promise<void>;
}

/** Starts a {@link Gate} on loopback. */
export async function startGate(): Promise<Gate> {
  let target = "";
  let requests: string[] = [];
  let hold: ReturnType<typeof newHold> | null = null;

  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const webhook = /\/webhooks\/(\d+)\//.exec(request.url ?? "")?.[1];
    const name = [request.method ?? "", ...(webhook === undefined ? [] : [webhook])].join(" ");
    const held = requests.push(name) === hold?.n ? hold : null;
    const pause = async (point: HoldPoint): Promise<void> => {
      if (held?.point !== point) return;
      held.reached.resolve(name);
      await held.released.promise;
    };
    await pause("before");
    const { method, url = "", headers } = request;
    const outgoing = forward(target + url, { method, headers, agent: false }).end();
    const [answer] = (await once(outgoing, "response")) as [IncomingMessage];
    const body = await buffer(answer);
    await pause("after");
    response
      .writeHead(answer.statusCode ?? 502, answer.headers)
      .end(body, () => held?.delivered.resolve(null));
  };

  const server = createServer((request, response) => {
    handle(request, response).catch(() => response.destroy()); // The server is gone, or the client.
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    leadTo: (serverUrl) => {
      target = serverUrl;
      requests = [];
      hold = null;
    },
    hold: (n, point) => {
      const { reached, released, delivered } = (hold = newHold(requests.length + n, point));
      return {
        reached: reached.promise,
        release: async () => {
          released.resolve(null);
          await delivered.promise;
        },
      };
    },
    get requests() {
      return [...requests];
    },
    close: async () => {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

function newHold(n: number, point: HoldPoint) {
  return {
    n,
    point,
    reached: Promise.withResolvers<string>(),
    released: Promise.withResolvers<null>(),
    delivered: Promise.withResolvers<null>(),
  };
}
