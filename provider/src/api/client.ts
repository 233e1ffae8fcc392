import { release } from "./body-buffer.js";
import { createConnections, CONNECT_TIMEOUT } from "./connections.js";
import { logLine } from "./debug-log.js";
import {
  CREATE_BODY_LIMIT,
  LIST_BODY_LIMIT,
  LIST_VALUES_LIMIT,
  type Answered,
  type Exchange,
} from "./exchange.js";
import { contradiction, failure, unreadableList, webPage } from "./failure.js";
import { Gate } from "./gate.js";
import { exchange } from "./http.js";
import { keptResponse } from "./kept-response.js";
import { API_ROOT, OPERATIONS, type Operation } from "./operations.js";
import type { ClientOptions, PartnerClient } from "./partner-client.js";
import { printable } from "./redact.js";
import { readWebhookList, reportsFailure } from "./responses.js";
import { withRetry } from "./retry.js";
import { systemTiming } from "./timing.js";
import { isWebPage, PAGE_LIMIT } from "./web-page.js";
import { fillPath, linkHeader, mayExceed, textOf } from "./wire.js";

export type { ClientOptions, CreatedKey, PartnerClient, WebhookList } from "./partner-client.js";

/** Makes a client; nothing is sent yet. One client serves all resources of a process. */
export function createClient(options: ClientOptions): PartnerClient {
  const { signal, timing = systemTiming } = options;
  const gate = new Gate(timing, options.maxConnections, options.requestsPerSecond, signal);
  const underWay = new Map<symbol, Operation>();
  const connections = createConnections(options.baseUrl, options.accessToken, options.maxConnections);

  async function send(
    operation: Operation,
    { parameter, keepBody, within = options.operationTimeout }: SendOptions = {},
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
        keepBody: keepBody ?? PAGE_LIMIT,
        connectTimeout: CONNECT_TIMEOUT,
        requestTimeout,
        remaining,
        signal,
      };
      const startedAt = performance.now();
      const result = await exchange(connections, request);
      attempts += 1;
      lost = result.kind === "unanswered";
      const milliseconds = performance.now() - startedAt;
      options.observe?.(result, milliseconds);
      options.log?.(logLine(operation, attempts, result, milliseconds, requestId(result, parameter)));
      return result;
    };
    const token = Symbol(operation);
    underWay.set(token, operation);
    const outcome = await withRetry(operation, { timing, gate, operationTimeout, signal }, attempt).finally(
      () => underWay.delete(token),
    );
    const subject = operation.endsWith("Webhook") ? `webhook ${parameter ?? ""}` : null;
    const id = requestId(outcome.exchange, parameter);
    if (!outcome.succeeded || outcome.exchange.kind !== "answered")
      throw failure(operation, subject, outcome, id, timing.now());
    if (keepBody === undefined && isWebPage(outcome.exchange)) throw webPage(operation, subject, id);
    if (keepBody === undefined && reportsFailure(textOf(outcome.exchange.body)))
      throw contradiction(operation, subject, id);
    return outcome.exchange;
  }

  function requestId(from: Exchange, parameter = ""): string | null {
    if (from.kind === "unanswered") return null;
    const id = from.headers["x-request-id"] ?? from.headers["request-id"];
    return typeof id === "string" ? printable(id, [options.accessToken, parameter]) : null;
  }

  return {
    async createApiKey() {
      const answer = await send("createApiKey", { keepBody: CREATE_BODY_LIMIT });
      const whole = answer.broken === null;
      return {
        response: keptResponse(answer.body, whole),
        whole,
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
      if (answer.broken === "cut" || mayExceed(LIST_VALUES_LIMIT, answer.body))
        throw unreadableList(TOO_LARGE, id);
      const text = answer.body.toString("utf8");
      if (!options.observe) release(answer.body); // An observer may keep it.
      const reading = readWebhookList(text, linkHeader(answer), options.responses, answer.headers);
      if (!reading.readable) throw unreadableList(reading.problem, id);
      return { ...reading, complete: reading.complete && answer.status !== PARTIAL };
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

const TOO_LARGE = `It has more than ${LIST_BODY_LIMIT / 2 ** 20} MiB or ${LIST_VALUES_LIMIT / 1e6} million values. Check that partners:baseUrl is the address of the API: a larger list cannot be managed here.`;

/** Partial Content (RFC 9110, 15.3.7). */
const PARTIAL = 206;

interface SendOptions {
  /** The value of the path parameter. */
  readonly parameter?: string;
  /** See {@link ExchangeRequest.keepBody}. Left out where the status is the answer, and the body no more than a sign of it. */
  readonly keepBody?: number;
  /** Milliseconds, if less than `operationTimeout`. */
  readonly within?: number;
}
