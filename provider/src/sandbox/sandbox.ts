/**
 * A Partner API on your machine, to try things out and to test programs without an account.
 * @packageDocumentation
 */
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** The two states of a webhook. */
export type WebhookState = "active" | "disabled";

/** Options of {@link startSandbox}. All are optional. */
export interface SandboxOptions {
  /** The port on 127.0.0.1; 0 is any free port. @default 0 */
  readonly port?: number;
  /**
   * The access token that every request must have: letters, digits and punctuation.
   * @default a random token
   */
  readonly accessToken?: string;
  /**
   * The webhooks at the start: their states by ID, as in `{ 101: "active" }`.
   * @default 101 and 102 active, 103 disabled
   */
  readonly webhooks?: Readonly<Record<string, WebhookState>>;
  /** Milliseconds between the effect of a request and its response. @default 0 */
  readonly latency?: number;
  /** Called with each request after its response. @default none */
  readonly onRequest?: (request: SandboxRequest) => void;
}

/** A request that the sandbox has answered. */
export interface SandboxRequest {
  /** The HTTP method. */
  readonly method: string;
  /** The path as sent, with the query. It may contain a key. */
  readonly path: string;
  /** The HTTP status of the response. */
  readonly status: number;
}

/** A running sandbox. Change its sets and maps to do what someone else would do at a service. */
export interface Sandbox {
  /** The base URL to configure. */
  readonly url: string;
  /** The access token that every request must have. */
  readonly accessToken: string;
  /** The valid API keys, oldest first. Remove a key to revoke it behind Pulumi's back. */
  readonly apiKeys: Set<string>;
  /** The states of the webhooks by ID. Change one to cause drift. */
  readonly webhooks: Map<number, WebhookState>;
  /** The requests so far, in order. Set its `length` to 0 to forget them. */
  readonly requests: SandboxRequest[];
  /** Stops the sandbox, and closes all connections. */
  close(): Promise<void>;
  /** Calls `close()`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
}

const HOST = "127.0.0.1";
const ROOT = "/api/v1/partners";
const DEFAULT_WEBHOOKS = { 101: "active", 102: "active", 103: "disabled" } as const;
/** What the list shows besides the state. */
const NAMES: Readonly<Record<string, string>> = { 101: "orders", 102: "invoices", 103: "refunds" };

/**
 * Starts a Partner API on 127.0.0.1 that keeps one account in memory.
 *
 * @throws {Error} if the port cannot be used.
 * @example
 * ```ts
 * await using sandbox = await startSandbox({ webhooks: { 7: "active" } });
 * process.env.PARTNERS_BASE_URL = sandbox.url;
 * process.env.PARTNERS_ACCESS_TOKEN = sandbox.accessToken;
 * ```
 */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const { port = 0, latency = 0, onRequest } = options;
  const accessToken = options.accessToken ?? randomText("sandbox_");
  const states = Object.entries(options.webhooks ?? DEFAULT_WEBHOOKS);
  const webhooks = new Map(states.map(([id, state]) => [Number(id), state]));
  const account: Account = { apiKeys: new Set(), webhooks };
  const requests: SandboxRequest[] = [];

  const server = createServer((request, response) => {
    const { method = "", url: path = "", headers } = request;
    request.resume().once("end", () => {
      const isAuthorized = headers.authorization === `Bearer ${accessToken}`;
      const [status, body] = isAuthorized ? answer(account, method, path) : UNAUTHORIZED;
      requests.push({ method, path, status });
      response.once("close", () => onRequest?.({ method, path, status }));
      const respond = (): void => {
        response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
      };
      if (latency === 0) respond();
      else setTimeout(respond, latency).unref();
    });
  });
  server.listen(port, HOST);
  await once(server, "listening").catch((error: unknown) => {
    const { code = "unknown error" } = error as NodeJS.ErrnoException;
    throw new Error(`The sandbox cannot listen on ${HOST}:${port} (${code}). Choose another port, or 0.`);
  });

  let closing: Promise<unknown> | undefined;
  const close = async (): Promise<void> => {
    closing ??= once(server.close(), "close");
    server.closeAllConnections();
    await closing;
  };
  return {
    ...account,
    url: `http://${HOST}:${(server.address() as AddressInfo).port}`,
    accessToken,
    requests,
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** Returns the name that the list shows for a webhook. @internal */
export function webhookName(webhookId: number): string {
  return NAMES[webhookId] ?? `webhook-${webhookId}`;
}

type Account = Pick<Sandbox, "apiKeys" | "webhooks">;
type Answer = readonly [status: number, body: unknown];

const DONE: Answer = [200, { success: true }];
const UNAUTHORIZED: Answer = [401, { error: "unauthorized" }];

/** The five operations. */
const OPERATIONS: readonly [call: RegExp, perform: (account: Account, parameter: string) => Answer][] = [
  [
    /^POST \/api-key$/,
    ({ apiKeys }) => {
      const apiKey = randomText("pk_live_");
      apiKeys.add(apiKey);
      return [201, { apiKey }];
    },
  ],
  [
    /^DELETE \/api-key\/([^/?]+)$/,
    ({ apiKeys }, key) => (apiKeys.delete(decode(key)) ? DONE : [404, { error: "no such API key" }]),
  ],
  [
    /^GET \/webhooks$/,
    ({ webhooks }) => [
      200,
      Array.from(webhooks, ([id, state]) => ({ webhookId: id, name: webhookName(id), state })),
    ],
  ],
  [/^PATCH \/webhooks\/(\d+)\/active$/, (account, id) => setState(account, Number(id), "active")],
  [/^PATCH \/webhooks\/(\d+)\/disable$/, (account, id) => setState(account, Number(id), "disabled")],
];

function answer(account: Account, method: string, path: string): Answer {
  for (const [call, perform] of path.startsWith(ROOT) ? OPERATIONS : []) {
    const match = call.exec(`${method} ${path.slice(ROOT.length)}`);
    if (match !== null) return perform(account, match[1] ?? "");
  }
  return [404, { error: `no such operation; all paths start with ${ROOT}` }];
}

function setState({ webhooks }: Account, webhookId: number, state: WebhookState): Answer {
  if (!webhooks.has(webhookId)) return [404, { error: "no such webhook" }];
  webhooks.set(webhookId, state);
  return DONE;
}

/** Decodes a path parameter. A malformed one is not a key. */
function decode(parameter: string): string {
  try {
    return decodeURIComponent(parameter);
  } catch {
    return "";
  }
}

function randomText(prefix: string): string {
  return prefix + randomBytes(16).toString("hex");
}
