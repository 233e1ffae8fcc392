import { randomBytes } from "node:crypto";
import type { Operation, WebhookState } from "../api/operations.js";

/** A webhook to create a sandbox with. */
export interface WebhookSeed {
  /** The id, a positive integer. */
  readonly webhookId: number;
  /** The initial state. */
  readonly state: WebhookState;
}

/** What an operation did. */
export interface OperationResult {
  /** The HTTP status. */
  readonly status: number;
  /** The body, to be sent as JSON. */
  readonly body: unknown;
  /** Whether the account has changed. */
  readonly effect: boolean;
}

/** What the service holds for one customer, and what the operations do to it. */
export class PartnerAccount {
  #accessToken: string;
  readonly #generateKey: () => string;
  readonly #apiKeys = new Set<string>();
  readonly #webhooks = new Map<number, WebhookState>();

  /** Creates an empty account. */
  constructor(
    accessToken: string = randomText("sandbox_"),
    generateKey: () => string = () => randomText("pk_live_"),
  ) {
    this.#accessToken = accessToken;
    this.#generateKey = generateKey;
  }

  /** The access token that is valid now. */
  get accessToken(): string {
    return this.#accessToken;
  }

  /** The API keys that are valid now, oldest first. A snapshot. */
  get apiKeys(): readonly string[] {
    return [...this.#apiKeys];
  }

  /** The state of each webhook by id, in the order of creation. A snapshot. */
  get webhooks(): ReadonlyMap<number, WebhookState> {
    return new Map(this.#webhooks);
  }

  /** Replaces the access token with a random one and returns it. */
  rotateAccessToken(): string {
    this.#accessToken = randomText("sandbox_");
    return this.#accessToken;
  }

  /** Adds an API key and returns it. */
  createKey(key: string = this.#generateKey()): string {
    this.#apiKeys.add(key);
    return key;
  }

  /** Whether this API key is valid. */
  hasKey(key: string): boolean {
    return this.#apiKeys.has(key);
  }

  /** Adds a webhook. @throws {Error} if the id exists. */
  addWebhook(webhookId: number, state: WebhookState): void {
    if (this.#webhooks.has(webhookId)) throw new Error(`The sandbox already has a webhook ${webhookId}.`);
    this.#webhooks.set(webhookId, state);
  }

  /** Removes a webhook. @throws {Error} if the id does not exist. */
  removeWebhook(webhookId: number): void {
    this.#requireWebhook(webhookId);
    this.#webhooks.delete(webhookId);
  }

  /** Sets the state of a webhook. @throws {Error} if the id does not exist. */
  setWebhookState(webhookId: number, state: WebhookState): void {
    this.#requireWebhook(webhookId);
    this.#webhooks.set(webhookId, state);
  }

  /** Performs an operation; `parameter` is the decoded path parameter, or `""`. The caller has checked the token. */
  perform(operation: Operation, parameter: string): OperationResult {
    switch (operation) {
      case "createApiKey":
        return { status: 201, body: { apiKey: this.createKey() }, effect: true };
      case "deleteApiKey":
        return this.#apiKeys.delete(parameter) ? success(true) : notFound("no such API key");
      case "listWebhooks":
        return {
          status: 200,
          body: Array.from(this.#webhooks, ([webhookId, state]) => ({ webhookId, state })),
          effect: false,
        };
      case "activateWebhook":
        return this.#putState(parameter, "active");
      case "disableWebhook":
        return this.#putState(parameter, "disabled");
    }
  }

  #putState(parameter: string, state: WebhookState): OperationResult {
    const webhookId = /^\d+$/.test(parameter) ? Number(parameter) : NaN;
    const before = this.#webhooks.get(webhookId);
    if (before === undefined) return notFound("no such webhook");
    this.#webhooks.set(webhookId, state);
    return success(before !== state);
  }

  #requireWebhook(webhookId: number): void {
    if (this.#webhooks.has(webhookId)) return;
    const existing = [...this.#webhooks.keys()].join(", ") || "none";
    throw new Error(`The sandbox has no webhook ${webhookId}. Existing webhooks: ${existing}.`);
  }
}

function success(effect: boolean): OperationResult {
  return { status: 200, body: { success: true }, effect };
}

function notFound(error: string): OperationResult {
  return { status: 404, body: { error }, effect: false };
}

function randomText(prefix: string): string {
  return prefix + randomBytes(16).toString("hex");
}
