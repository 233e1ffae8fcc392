import { createConnections, CONNECT_TIMEOUT } from "./connections.js";
import { logLine } from "./debug-log.js";
import { CREATE_BODY_LIMIT, LIST_BODY_LIMIT, type Answered, type Exchange } from "./exchange.js";
import { failure, unreadableList } from "./failure.js";
import { Gate } from "./gate.js";
import { exchange } from "./http.js";
import { API_ROOT, OPERATIONS, type Operation } from "./operations.js";
import type { ClientOptions, PartnerClient } from "./partner-client.js";
import { printable } from "./redact.js";
import { readWebhookList } from "./responses.js";
import { withRetry } from "./retry.js";
import { systemTiming } from "./timing.js";
import { fillPath, linkHeader, textOf } from "./wire.js";

export type { ClientOptions, CreatedKey, PartnerClient, WebhookList } from "./partner-client.js";

/** Makes a client; nothing is sent yet. One client serves all resources of a process. */
export function createClient(options: ClientOptions): PartnerClient {
  const { signal, timing = systemTiming } = options;
  const gate = new Gate(timing, options.maxConnections, options.requestsPerSecond, signal);
  const underWay = new Map<symbol, Operation>();
  const connections = createConnections(options.baseUrl, options.accessToken, options.maxConnections);

  async function send(
    operation: Operation,
    { parameter, keepBody = 0, within = options.operationTimeout }: SendOptions = {},
  ): Promise<Answered> {
    const { method, template } = OPERATIONS[operation];
    const path = options.baseUrl.prefix + API_ROOT + fillPath(template, parameter);
    const operationTimeout = Math.min(within, options.operationTimeout);
    const { requestTimeout } = options;
    let attempts = 0;
    let lost = false;
    const attempt = async (remaining: number): Promise<Exchange> => {
      const request = {
        method,
        path,
        // The server may be closing all that it kept open: where one connection was lost, no other is trusted.
        fresh: method === "POST" || lost,
        keepBody,
        connectTimeout: CONNECT_TIMEOUT,
        requestTimeout,
        remaining,
        signal,
      };
      const startedAt = performance.now();
      const result = await exchange(connections, request);
      attempts += 1;
      lost = result.kind === "unanswered";
      options.log?.(
        logLine(operation, attempts, result, performance.now() - startedAt, requestId(result, parameter)),
      );
      return result;
    };
    const token = Symbol(operation);
    underWay.set(token, operation);
    const outcome = await withRetry(operation, { timing, gate, operationTimeout, signal }, attempt).finally(
      () => underWay.delete(token),
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
    get underWay() {
      return [...underWay.values()];
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
