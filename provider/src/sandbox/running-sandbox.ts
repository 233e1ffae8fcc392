import type { WebhookState } from "../api/operations.js";
import { PartnerAccount, type WebhookSeed } from "./partner-account.js";
import { startServer, type Intercept, type LoggedRequest } from "./sandbox-server.js";

/** Settings of {@link startSandbox}. All are optional. */
export interface SandboxOptions {
  /**
   * The port on 127.0.0.1, 0 to 65535. 0 takes any free port.
   * @default 0
   */
  readonly port?: number;
  /**
   * The token that every request must carry, in visible ASCII characters.
   * @default a random token
   */
  readonly accessToken?: string;
  /**
   * A path in front of all others, such as `/gateway/eu`.
   * @default ""
   */
  readonly basePath?: string;
  /**
   * The webhooks that exist.
   * @default 101 and 102 active, 103 disabled
   */
  readonly webhooks?: readonly WebhookSeed[];
  /**
   * The API keys that exist.
   * @default []
   */
  readonly apiKeys?: readonly string[];
  /**
   * Called with each request once it has been answered, or once its connection has ended without an answer.
   * @default nothing is called
   */
  readonly onRequest?: (request: LoggedRequest) => void;
}

/** A running sandbox, created by {@link startSandbox}. */
export interface Sandbox {
  /** The base URL to configure, including the base path and without a trailing slash. */
  readonly url: string;
  /** The access token that is valid now. */
  readonly accessToken: string;
  /** The API keys that are valid now, oldest first. A snapshot. */
  readonly apiKeys: readonly string[];
  /** The state of each webhook by id. A snapshot. */
  readonly webhooks: ReadonlyMap<number, WebhookState>;
  /** Every request received, in order of arrival. A snapshot. */
  readonly requests: readonly LoggedRequest[];

  /** Replaces the access token with a random one and returns it. The old one gets a 401 from now on. */
  rotateAccessToken(): string;
  /**
   * Whether this API key is valid. Over HTTP, `GET /whoami` with the key as the bearer token gets a 200 if it is, and a
   * 401 if it is not.
   */
  verify(apiKey: string): boolean;
  /** Adds a webhook. @throws {Error} if the id exists. */
  addWebhook(webhookId: number, state: WebhookState): void;
  /** Removes a webhook. @throws {Error} if the id does not exist. */
  removeWebhook(webhookId: number): void;
  /** Sets the state of a webhook, which creates drift. @throws {Error} if the id does not exist. */
  setWebhookState(webhookId: number, state: WebhookState): void;
  /** Empties {@link Sandbox.requests}. */
  clearRequests(): void;
  /** Stops the sandbox and closes all connections, including those that wait for an answer. Can be called again. */
  close(): Promise<void>;
  /** The same as {@link Sandbox.close}, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** What the tests of this package change; users cannot reach it. */
export interface SandboxHooks {
  /** Creates the text of a new API key. @default `pk_live_` and 32 random characters */
  readonly generateKey?: () => string;
  /** Decides how each call of an operation is answered. @default performs the operation */
  readonly intercept?: Intercept;
}

const DEFAULT_WEBHOOKS: readonly WebhookSeed[] = [
  { webhookId: 101, state: "active" },
  { webhookId: 102, state: "active" },
  { webhookId: 103, state: "disabled" },
];

/** Starts a sandbox, as {@link startSandbox} does, with hooks. */
export async function runSandbox(options: SandboxOptions, hooks: SandboxHooks = {}): Promise<Sandbox> {
  const account = new PartnerAccount(options.accessToken, hooks.generateKey);
  for (const key of options.apiKeys ?? []) account.createKey(key);
  for (const { webhookId, state } of options.webhooks ?? DEFAULT_WEBHOOKS) {
    account.addWebhook(webhookId, state);
  }
  const basePath = normalizeBasePath(options.basePath ?? "");
  const server = await startServer(account, basePath, { ...options, ...hooks });

  let closing: Promise<void> | undefined;
  const close = () => (closing ??= server.close());
  return {
    url: `http://127.0.0.1:${server.port}${basePath}`,
    get accessToken() {
      return account.accessToken;
    },
    get apiKeys() {
      return account.apiKeys;
    },
    get webhooks() {
      return account.webhooks;
    },
    get requests() {
      return server.requests();
    },
    rotateAccessToken: account.rotateAccessToken.bind(account),
    verify: account.hasKey.bind(account),
    addWebhook: account.addWebhook.bind(account),
    removeWebhook: account.removeWebhook.bind(account),
    setWebhookState: account.setWebhookState.bind(account),
    clearRequests: server.clearRequests,
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** A leading slash and no trailing one, or "" for the root. */
function normalizeBasePath(basePath: string): string {
  const inner = basePath.split("/").filter(Boolean).join("/");
  return inner === "" ? "" : `/${inner}`;
}
