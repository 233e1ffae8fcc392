/**
 * A Partner API on your machine, to try things out and to test programs without an account.
 * @packageDocumentation
 */
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

import type { Operation, WebhookState } from "../api/operations.js";
import { ApiKeys } from "./api-keys.js";
import {
  assertOptions,
  assertWebhook,
  seedsOf,
  type LoggedRequest,
  type SandboxOptions,
} from "./sandbox-options.js";
import {
  findRoute,
  json,
  performOperation,
  type Answer,
  type PartnerAccount,
  type Route,
} from "./partner-account.js";

export type { Operation, WebhookState } from "../api/operations.js";
export type { KeyKind } from "./api-keys.js";
export type { PageStyle } from "./pages.js";
export type { LoggedRequest, SandboxOptions, WebhookSeed } from "./sandbox-options.js";

/** A snapshot of an account. */
export interface AccountState {
  /** The valid API keys, oldest first. */
  readonly apiKeys: readonly string[];
  /** The states of the webhooks by ID. */
  readonly webhooks: ReadonlyMap<number, WebhookState>;
}

/**
 * A running sandbox. Its members are about its first account; lists and maps are snapshots.
 */
export interface Sandbox {
  /** The base URL to configure. */
  readonly url: string;
  /** The valid access token. */
  readonly accessToken: string;
  /** The valid API keys, oldest first. */
  readonly apiKeys: readonly string[];
  /** The states of the webhooks by ID. */
  readonly webhooks: ReadonlyMap<number, WebhookState>;
  /** The requests to all accounts, in order of arrival. */
  readonly requests: readonly LoggedRequest[];

  /** Replaces the access token and returns the new one. The old one gets a 401. */
  rotateAccessToken(): string;
  /** Whether a key of any account is valid. Over HTTP, `GET /whoami` with the key gets a 200 or a 401. */
  verify(apiKey: string): boolean;
  /** Returns the account with this access token. @throws {Error} if there is none. */
  account(accessToken: string): AccountState;
  /** Adds a webhook. @throws {Error} if the ID exists, or is not a positive whole number. */
  addWebhook(webhookId: number, state: WebhookState): void;
  /** Removes a webhook. @throws {Error} if the ID does not exist. */
  removeWebhook(webhookId: number): void;
  /** Sets the state of a webhook, to create drift. @throws {Error} if the ID does not exist. */
  setWebhookState(webhookId: number, state: WebhookState): void;
  /** Clears `requests`. */
  clearRequests(): void;
  /** Stops the sandbox, and closes all connections. */
  close(): Promise<void>;
  /** Calls `close()`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** A call to one of the five operations. @internal */
export interface OperationCall extends Route {
  readonly response: ServerResponse;
  /** Performs the operation unless the token is wrong, and returns the answer. */
  perform(): Answer;
}

/** Hooks for the tests of this package and for our command line. @internal */
export interface SandboxHooks {
  /** The prefix of every path, such as `/gateway`. @default "" */
  readonly basePath?: string;
  /** Generates a new API key. @default `pk_live_` and 32 random characters */
  readonly generateKey?: () => string;
  /**
   * Returns the answer to a call, or `undefined` if it handled the response itself.
   *
   * @default performs the operation
   */
  readonly intercept?: (call: OperationCall) => Promise<Answer | undefined>;
}

const HOST = "127.0.0.1";

/**
 * Starts a Partner API on 127.0.0.1 that keeps its accounts in memory.
 *
 * @param options The accounts, what the service does, and the port.
 * @throws {Error} if an option is invalid, or the port cannot be used.
 * @example
 * ```ts
 * await using sandbox = await startSandbox({ webhooks: { 7: "active" } });
 * process.env.PARTNERS_BASE_URL = sandbox.url;
 * process.env.PARTNERS_ACCESS_TOKEN = sandbox.accessToken;
 * ```
 */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  assertOptions(options);
  return runSandbox(options);
}

/** Implements {@link startSandbox}, with hooks. @internal */
export async function runSandbox(options: SandboxOptions, hooks: SandboxHooks = {}): Promise<Sandbox> {
  const { basePath = "", generateKey = () => randomText("pk_live_"), intercept } = hooks;
  const { onRequest, delay = 0, keys = "new", pageSize = null, pageStyle = "link" } = options;
  let accessToken = options.accessToken ?? randomText("sandbox_");
  const accounts = new Map<string, PartnerAccount>();
  const addAccount = (token: string, apiKeys: readonly string[] = []): PartnerAccount => {
    if (accounts.has(token)) throw new Error("Each account needs its own access token.");
    const account = {
      apiKeys: new ApiKeys(keys, generateKey, apiKeys),
      webhooks: new Map<number, WebhookState>(),
    };
    for (const { webhookId, state } of seedsOf(options.webhooks)) addWebhook(account, webhookId, state);
    accounts.set(token, account);
    return account;
  };
  const first = addAccount(accessToken, options.apiKeys);
  for (const token of options.otherAccounts ?? []) addAccount(token);
  const { webhooks } = first;
  const isValid = (apiKey: string): boolean =>
    [...accounts.values()].some((account) => account.apiKeys.values.includes(apiKey));
  const log: LogEntry[] = [];

  async function answerTo(entry: LogEntry): Promise<Answer | undefined> {
    const { response } = entry;
    const { method = "", url = "", headers } = response.req;
    await once(response.req.resume(), "end");
    const bearer = /^Bearer (.+)$/i.exec(headers.authorization ?? "")?.[1] ?? "";
    const [path = ""] = url.split("?", 1);
    if (path === `${basePath}/whoami` && method === "GET")
      return isValid(bearer) ? json(200, { valid: true }) : UNAUTHORIZED;
    const route = findRoute(method, path.startsWith(basePath) ? path.slice(basePath.length) : "");
    if (route === null) return json(404, { error: "no such operation" });
    entry.operation = route.operation;
    const call: OperationCall = {
      ...route,
      response,
      perform: () => {
        const account = accounts.get(bearer);
        if (account === undefined) return UNAUTHORIZED;
        const page = {
          size: pageSize,
          style: pageStyle,
          url: new URL(url, `http://${headers.host ?? HOST}`),
        };
        return performOperation(account, route, page);
      },
    };
    return intercept ? intercept(call) : call.perform();
  }

  const server = createServer((_request, response) => {
    const entry: LogEntry = { operation: null, response };
    log.push(entry);
    response.once("close", () => onRequest?.(describe(entry)));
    answerTo(entry)
      .catch((error: unknown) => json(500, { error: `the sandbox failed: ${String(error)}` }))
      .then(async (answer) => {
        if (delay > 0) await sleep(delay, null, { ref: false });
        if (answer === undefined || response.destroyed) return; // The client has disconnected.
        const length = { "content-length": Buffer.byteLength(answer.body) };
        response.writeHead(answer.status, { ...length, ...answer.headers }).end(answer.body);
      })
      .catch(() => response.destroy());
  });

  const requireWebhook = (webhookId: number): void => {
    if (!webhooks.has(webhookId)) throw new Error(`The sandbox has no webhook ${webhookId}.`);
  };

  server.listen(options.port ?? 0, HOST);
  await once(server, "listening").catch((error: unknown) => {
    const { code = "unknown error", port } = error as NodeJS.ErrnoException & { port?: number };
    throw new Error(
      `The sandbox cannot listen on ${HOST}:${port ?? 0} (${code}). Choose another port, or 0.`,
    );
  });
  const { port } = server.address() as AddressInfo;
  let closing: Promise<unknown> | undefined;
  const close = async (): Promise<void> => {
    closing ??= once(server.close(), "close");
    server.closeAllConnections();
    await closing;
  };
  return {
    url: `http://${HOST}:${port}${basePath}`,
    get accessToken() {
      return accessToken;
    },
    get apiKeys() {
      return first.apiKeys.values;
    },
    get webhooks() {
      return new Map(webhooks);
    },
    get requests() {
      return log.map(describe);
    },
    rotateAccessToken: () => {
      accounts.delete(accessToken);
      accessToken = randomText("sandbox_");
      accounts.set(accessToken, first);
      return accessToken;
    },
    verify: isValid,
    account: (token) => {
      const account = accounts.get(token);
      if (account === undefined) throw new Error("The sandbox has no account with this access token.");
      return { apiKeys: account.apiKeys.values, webhooks: new Map(account.webhooks) };
    },
    addWebhook: (webhookId, state) => {
      addWebhook(first, webhookId, state);
    },
    removeWebhook: (webhookId) => {
      requireWebhook(webhookId);
      webhooks.delete(webhookId);
    },
    setWebhookState: (webhookId, state) => {
      assertWebhook(webhookId, state);
      requireWebhook(webhookId);
      webhooks.set(webhookId, state);
    },
    clearRequests: () => void log.splice(0),
    close,
    [Symbol.asyncDispose]: close,
  };
}

function addWebhook({ webhooks }: PartnerAccount, webhookId: number, state: WebhookState): void {
  assertWebhook(webhookId, state);
  if (webhooks.has(webhookId)) throw new Error(`The sandbox already has a webhook ${webhookId}.`);
  webhooks.set(webhookId, state);
}

interface LogEntry {
  operation: Operation | null;
  readonly response: ServerResponse;
}

function describe({ operation, response }: LogEntry): LoggedRequest {
  const { method = "", url: path = "", headers } = response.req;
  return {
    operation,
    method,
    path,
    status: response.headersSent ? response.statusCode : null,
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)])),
  };
}

const UNAUTHORIZED = json(401, { error: "unauthorized" }, { "www-authenticate": "Bearer" });

function randomText(prefix: string): string {
  return prefix + randomBytes(16).toString("hex");
}
