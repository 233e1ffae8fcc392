import type { WebhookState } from "../api/operations.js";
import { Account } from "./account.js";
import { FaultQueue } from "./fault-queue.js";
import type { Fault } from "./faults.js";
import { handle } from "./handler.js";
import { RequestLog, type LoggedRequest } from "./log.js";
import type { SandboxOptions, WebhookSeed } from "./options.js";
import { RateLimiter } from "./rate-limiter.js";
import { listen } from "./server.js";
import { SHAPES } from "./shapes.js";

/** A running sandbox, made by {@link startSandbox}. */
export interface Sandbox {
  /** The base URL to configure a client with, base path included, without a slash at its end. */
  readonly url: string;
  /** The access token that is valid now. */
  readonly accessToken: string;
  /** The live API keys, oldest first. A snapshot. */
  readonly apiKeys: readonly string[];
  /** The state of each webhook by id. A snapshot. */
  readonly webhooks: ReadonlyMap<number, WebhookState>;
  /** Every request received, in order of arrival. A snapshot. */
  readonly requests: readonly LoggedRequest[];

  /** Replaces the access token by a random one, which it returns; the old one is answered with 401. */
  rotateAccessToken(): string;
  /** Whether this is a live API key; over HTTP, `GET /whoami` with the key as bearer token answers 200 or 401. */
  verify(apiKey: string): boolean;
  /** Adds a webhook. @throws {Error} if there is one with this id. */
  addWebhook(webhookId: number, state: WebhookState): void;
  /** Removes a webhook. @throws {Error} if there is none with this id. */
  removeWebhook(webhookId: number): void;
  /** Sets the state of a webhook, as somebody else would. @throws {Error} if there is none with this id. */
  setWebhookState(webhookId: number, state: WebhookState): void;
  /**
   * Adds faults. They are looked at in order, and the first that is due happens: instead of the answer, or to it.
   * Requests that are no operation of the Partner API meet none.
   * @example
   * ```ts
   * // The second creation takes effect, but its answer is lost; and the list is unavailable three times.
   * sandbox.inject(
   *   { kind: "reset", operation: "createApiKey", skip: 1, effect: true },
   *   { kind: "status", operation: "listWebhooks", status: 503, times: 3 },
   * );
   * ```
   */
  inject(...faults: readonly Fault[]): void;
  /** Forgets all faults that have not happened yet. */
  clearFaults(): void;
  /** Forgets the requests received so far. */
  clearRequests(): void;
  /** Stops the sandbox and destroys all connections, also hanging ones. May be called more than once. */
  close(): Promise<void>;
  /** The same as {@link Sandbox.close}, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
}

const DEFAULT_WEBHOOKS: readonly WebhookSeed[] = [
  { webhookId: 101, state: "active" },
  { webhookId: 102, state: "active" },
  { webhookId: 103, state: "disabled" },
];

/**
 * Starts a Partner API on loopback, with an account of its own that lives in memory until it is closed.
 *
 * @param options What the account holds and how the service behaves; by default three webhooks and no faults.
 * @returns the sandbox, listening on 127.0.0.1.
 * @throws {Error} if the port cannot be listened on, or two webhooks have the same id.
 * @example
 * ```ts
 * await using sandbox = await startSandbox({ webhooks: [{ webhookId: 7, state: "active" }] });
 * process.env.PARTNERS_BASE_URL = sandbox.url;
 * process.env.PARTNERS_ACCESS_TOKEN = sandbox.accessToken;
 * ```
 */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const account = new Account(options.accessToken, options.keyAlphabet ?? "base64url");
  for (const key of options.apiKeys ?? []) account.createKey(key);
  for (const { webhookId, state } of options.webhooks ?? DEFAULT_WEBHOOKS)
    account.addWebhook(webhookId, state);

  const shape = options.shape ?? "flat";
  const basePath = normalizeBasePath(options.basePath ?? "");
  const log = new RequestLog();
  const faults = new FaultQueue();
  faults.add(options.faults ?? []);
  const parts = {
    account,
    shape: typeof shape === "string" ? SHAPES[shape] : shape,
    oneKeyAtATime: options.oneKeyAtATime ?? false,
    basePath,
    faults,
    limiter: options.rateLimit && new RateLimiter(options.rateLimit),
    latency: options.latency ?? 0,
  };
  const server = await listen(options.port ?? 0, log, (exchange) => handle(parts, exchange));

  let closing: Promise<void> | undefined;
  const close = () => (closing ??= server.close());
  return {
    url: `http://127.0.0.1:${server.port}${basePath}`,
    get accessToken() {
      return account.accessToken;
    },
    get apiKeys() {
      return account.keys.map(({ key }) => key);
    },
    get webhooks() {
      return new Map(account.webhooks.map(({ webhookId, state }) => [webhookId, state]));
    },
    get requests() {
      return log.snapshot();
    },
    rotateAccessToken: () => account.rotateAccessToken(),
    verify: (apiKey) => account.findKey(apiKey) !== undefined,
    addWebhook: (webhookId, state) => {
      account.addWebhook(webhookId, state);
    },
    removeWebhook: (webhookId) => {
      account.removeWebhook(webhookId);
    },
    setWebhookState: (webhookId, state) => {
      account.setWebhookState(webhookId, state);
    },
    inject: (...more) => {
      faults.add(more);
    },
    clearFaults: () => {
      faults.clear();
    },
    clearRequests: () => {
      log.clear();
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** One slash at the beginning and none at the end, however it was written; nothing for the root. */
function normalizeBasePath(basePath: string): string {
  const inner = basePath.split("/").filter(Boolean).join("/");
  return inner === "" ? "" : `/${inner}`;
}
