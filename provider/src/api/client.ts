import type { BaseUrl } from "./base-url.js";
import { CONNECT_TIMEOUT, createConnections } from "./connections.js";
import { failure, unreadableList } from "./failure.js";
import { Gate } from "./gate.js";
import { CREATE_BODY_LIMIT, exchange, LIST_BODY_LIMIT, type Answered, type Exchange } from "./http.js";
import { API_ROOT, OPERATIONS, type Operation, type WebhookState } from "./operations.js";
import { fillPath, linkHeader, textOf } from "./wire.js";
import { printable } from "./redact.js";
import { readWebhookList, type ResponseMapping, type WebhookListReading } from "./responses.js";
import { withRetry } from "./retry.js";
import { systemTiming, type Timing } from "./timing.js";

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
}

/** What the server answered to a creation that it accepted. */
export interface CreatedKey {
  /** The body as it came, as far as it came. Secret. */
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
  /** Closes all connections; requests under way fail. */
  close(): Promise<void>;
}

/** Makes a client; nothing is sent yet. One client serves all resources of a process. */
export function createClient(options: ClientOptions): PartnerClient {
  const timing = options.timing ?? systemTiming;
  const gate = new Gate(timing, options.maxConnections, options.requestsPerSecond);
  const connections = createConnections(options.baseUrl, options.accessToken, options.maxConnections);

  async function send(
    operation: Operation,
    { parameter, keepBody = 0, within = options.operationTimeout }: SendOptions = {},
  ): Promise<Answered> {
    const { method, template } = OPERATIONS[operation];
    const path = options.baseUrl.prefix + API_ROOT + fillPath(template, parameter);
    const operationTimeout = Math.min(within, options.operationTimeout);
    const outcome = await withRetry(operation, { timing, gate, operationTimeout }, (remaining) =>
      exchange(connections, {
        method,
        path,
        keepBody,
        connectTimeout: CONNECT_TIMEOUT,
        requestTimeout: options.requestTimeout,
        remaining,
      }),
    );
    if (outcome.succeeded && outcome.exchange.kind === "answered") return outcome.exchange;
    const subject = operation.endsWith("Webhook") ? `webhook ${parameter ?? ""}` : null;
    throw failure(operation, subject, outcome, requestId(outcome.exchange, parameter), timing.now());
  }

  function requestId(from: Exchange, parameter = ""): string | null {
    if (from.kind === "unanswered") return null;
    const id = from.headers["x-request-id"] ?? from.headers["request-id"];
    return typeof id === "string" ? printable(id, [options.accessToken, parameter]) : null;
  }

  return {
    async createApiKey() {
      const answer = await send("createApiKey", { keepBody: CREATE_BODY_LIMIT });
      return {
        response: textOf(answer.body),
        whole: answer.broken === null,
        createdAt: new Date(timing.now()).toISOString(),
        requestId: requestId(answer),
      };
    },
    async deleteApiKey(apiKey) {
      await send("deleteApiKey", { parameter: apiKey });
    },
    async listWebhooks(within) {
      const answer = await send("listWebhooks", {
        keepBody: LIST_BODY_LIMIT,
        ...(within === undefined ? {} : { within }),
      });
      const id = requestId(answer);
      if (answer.broken === "cut")
        throw unreadableList(`the list is larger than ${LIST_BODY_LIMIT / 2 ** 20} MiB`, id);
      const reading = readWebhookList(answer.body.toString("utf8"), linkHeader(answer), options.responses);
      if (!reading.readable) throw unreadableList(reading.problem, id);
      return reading;
    },
    async activateWebhook(webhookId) {
      await send("activateWebhook", { parameter: String(webhookId) });
    },
    async disableWebhook(webhookId) {
      await send("disableWebhook", { parameter: String(webhookId) });
    },
    close: () => connections.close(),
  };
}

interface SendOptions {
  /** The value of the path parameter. */
  readonly parameter?: string;
  /** See {@link ExchangeRequest.keepBody}. */
  readonly keepBody?: number;
  /** Milliseconds, if less than `operationTimeout`. */
  readonly within?: number;
}

/** Puts a webhook into a state, by the operation that does it. */
export function setWebhookState(
  client: PartnerClient,
  webhookId: number,
  state: WebhookState,
): Promise<void> {
  return state === "active" ? client.activateWebhook(webhookId) : client.disableWebhook(webhookId);
}
