import type { BaseUrl } from "./base-url.js";
import type { Exchange } from "./exchange.js";
import type { Operation, WebhookState } from "./operations.js";
import type { ResponseMapping, WebhookListReading } from "./responses.js";
import type { Timing } from "./timing.js";

/** What a client is made of. Times are in milliseconds. */
export interface ClientOptions {
  readonly baseUrl: BaseUrl;
  /** Secret. */
  readonly accessToken: string;
  /** For one attempt, from the start of sending to the last byte. */
  readonly requestTimeout: number;
  /** For all attempts of one operation and the waits between them; time spent held back by a rate limit does not count. */
  readonly operationTimeout: number;
  /** Requests under way at a time. */
  readonly maxConnections: number;
  /** The fastest that requests are sent; `null` for no limit of our own. */
  readonly requestsPerSecond: number | null;
  readonly responses: ResponseMapping;
  /** @default the system's clock and chance */
  readonly timing?: Timing;
  /** When it is aborted, waits end, requests are given up except creations that have been sent, and none is begun. */
  readonly signal?: AbortSignal;
  /** Gets a line for each attempt, free of secrets by construction: templates instead of paths. @default nothing is logged */
  readonly log?: (line: string) => void;
  /** Gets how each attempt ended and the milliseconds it took. Its body is secret. @default nobody looks on */
  readonly observe?: (exchange: Exchange, milliseconds: number) => void;
}

/** What the server answered to a creation that it accepted. */
export interface CreatedKey {
  /** The body as it came, as far as it came; a plain text that broke off says so at its end. Secret. */
  readonly response: string;
  /** Whether all of it came. */
  readonly whole: boolean;
  /** When the answer came, ISO 8601. */
  readonly createdAt: string;
  readonly requestId: string | null;
}

/** The list of webhooks, read. */
export type WebhookList = Extract<WebhookListReading, { readable: true }>;

/** The Partner API, one method for each operation. Made by {@link createClient}. */
export interface PartnerClient {
  /**
   * Creates a key. Once the server has said that it did, this never throws: what it answered is the only copy.
   * @throws {PartnerError} with `effect: "possible"` if a key may exist all the same.
   */
  createApiKey(): Promise<CreatedKey>;
  /** Deletes a key, named by the key or by its id, as the service wants it. @throws {PartnerError} */
  deleteApiKey(apiKey: string): Promise<void>;
  /** Lists the webhooks. @param within Milliseconds, if less than `operationTimeout`. @throws {PartnerError} */
  listWebhooks(within?: number): Promise<WebhookList>;
  /** Activates a webhook. @throws {PartnerError} */
  activateWebhook(webhookId: number): Promise<void>;
  /** Disables a webhook. @throws {PartnerError} */
  disableWebhook(webhookId: number): Promise<void>;
  /** The operations that have not ended yet. */
  readonly underWay: readonly Operation[];
  /** Closes all connections; requests under way fail. */
  close(): Promise<void>;
}

/** Puts a webhook into a state, by the operation that does it. */
export function setWebhookState(
  client: PartnerClient,
  webhookId: number,
  state: WebhookState,
): Promise<void> {
  return state === "active" ? client.activateWebhook(webhookId) : client.disableWebhook(webhookId);
}
