import { isWebPage, reportsFailure, serverWords } from "../responses/failure-report.js";
import { isFailedCreation } from "../responses/key-reader.js";
import type { ResponseMapping } from "../responses/mapping.js";
import { readWebhookList, type WebhookListReading } from "../responses/webhook-list-reader.js";
import type { BaseUrl } from "./base-url.js";
import { systemClock, type Clock } from "./clock.js";
import { createConnections } from "./connections.js";
import { RequestError, SettingsError, type Effect, type FailureCause } from "./errors.js";
import {
  CREATION_LIMIT,
  isSuccess,
  LIST_LIMIT,
  sendOnce,
  WORDS_LIMIT,
  type Attempt,
  type HttpResponse,
} from "./http.js";
import { keepResponse, type KeptResponse } from "./kept-response.js";
import { API_ROOT, OPERATIONS, STATE_OPERATION, type Operation, type WebhookState } from "./operations.js";
import { RateLimiter } from "./rate-limiter.js";
import { printableId, redactWords } from "./redact.js";
import { withRetry, type Outcome } from "./retry.js";

/** What a client is made of. Times are in milliseconds. */
export interface ClientOptions {
  readonly baseUrl: BaseUrl;
  /** Secret. */
  readonly accessToken: string;
  /** For one attempt, from the start of sending to the last byte. */
  readonly requestTimeout: number;
  /** For all attempts of one operation and the waits between them; waiting for a rate limit does not count. */
  readonly operationTimeout: number;
  /** Requests in flight at a time. */
  readonly maxConnections: number;
  /** The fastest that requests are sent; `null` for no limit of our own. */
  readonly requestsPerSecond: number | null;
  readonly responses: ResponseMapping;
  /** @default the system's time and chance */
  readonly clock?: Clock;
  /** When it is aborted, waits end, requests are given up except creations that have been sent, and none is begun. */
  readonly signal?: AbortSignal;
  /** Gets a line for each attempt, free of secrets by construction: templates instead of paths. @default nothing is logged */
  readonly log?: (line: string) => void;
  /** Told of what takes long, while it lasts. @default nobody is told */
  readonly onWait?: (wait: Wait) => void;
}

/** What an operation is waiting for, as facts. */
export type Wait =
  /** Its next attempt, in so many milliseconds. `reason`: a status, or the code of an error. */
  | {
      readonly kind: "retry";
      readonly operation: Operation;
      readonly host: string;
      readonly reason: string;
      readonly delay: number;
    }
  /** A response, for so many milliseconds now. */
  | { readonly kind: "response"; readonly operation: Operation; readonly elapsed: number };

/** Milliseconds after which a sign of life is due, and the next one. */
const SIGN_OF_LIFE = 10_000;

/** What the server answered to a creation that it accepted. */
export interface CreatedKey {
  /** Secret. */
  readonly response: KeptResponse;
  /** When the response arrived, ISO 8601. */
  readonly createdAt: string;
}

/** The list of webhooks, read. */
export type WebhookList = Extract<WebhookListReading, { readable: true }>;

/** The Partner API, one method for each thing that can be done. Created by {@link createClient}. */
export interface PartnerClient {
  /**
   * Creates a key. Once the server has answered with a key, this never throws: its response is the only copy.
   * @throws {RequestError} with `effect: "possible"` if a key may exist all the same.
   */
  createApiKey(): Promise<CreatedKey>;
  /**
   * Deletes a key, named by the key or by its id, as the service wants it.
   * @throws {RequestError}
   * @throws {SettingsError} if the name cannot stand in a path.
   */
  deleteApiKey(apiKey: string): Promise<void>;
  /** Lists the webhooks. @param within Milliseconds, if less than `operationTimeout`. @throws {RequestError} */
  listWebhooks(within?: number): Promise<WebhookList>;
  /** Puts a webhook into a state. @throws {RequestError} */
  setWebhookState(webhookId: number, state: WebhookState): Promise<void>;
  /** The operations that have been sent and not been answered yet. */
  readonly pendingOperations: readonly Operation[];
  /** Closes all connections; requests in flight fail. */
  close(): Promise<void>;
}

/**
 * Creates a client; nothing is sent yet. One client serves all resources of a process.
 *
 * @throws {SettingsError} if the environment does not permit requests.
 */
export function createClient(options: ClientOptions): PartnerClient {
  const { signal, baseUrl, accessToken, clock = systemClock } = options;
  const limiter = new RateLimiter(clock, options.maxConnections, options.requestsPerSecond, signal);
  const connections = createConnections(baseUrl, accessToken, options.maxConnections);
  const { host } = new URL(baseUrl.origin);
  const inFlight = new Set<Call>();

  /** Sends one operation, repeats it as its policy allows, and returns the response of a success. */
  async function send(call: Call): Promise<HttpResponse> {
    const { operation, parameter } = call;
    const { method, template, kind } = OPERATIONS[operation];
    const path = baseUrl.prefix + API_ROOT + fillPath(template, parameter);
    const operationTimeout = Math.min(call.within ?? Infinity, options.operationTimeout);
    let attempts = 0;
    let lost = false;
    const sendAttempt = async (remaining: number): Promise<Attempt> => {
      const startedAt = performance.now();
      const timer = setInterval(() => {
        options.onWait?.({ kind: "response", operation, elapsed: performance.now() - startedAt });
      }, SIGN_OF_LIFE);
      inFlight.add(call);
      const attempt = await sendOnce(connections, {
        method,
        path,
        // The server may be closing all that it kept open: where one connection was lost, no other is trusted.
        fresh: kind === "create" || lost,
        creates: kind === "create",
        bodyLimit: call.bodyLimit ?? WORDS_LIMIT,
        requestTimeout: options.requestTimeout,
        remaining,
        signal,
      }).finally(() => {
        clearInterval(timer);
        inFlight.delete(call);
      });
      attempts += 1;
      lost = attempt.kind === "noResponse";
      options.log?.(
        logLine(call, host, attempts, attempt, performance.now() - startedAt, requestId(attempt, parameter)),
      );
      return attempt;
    };
    const onRetry = (attempt: Attempt, delay: number): void => {
      const reason = attempt.kind === "response" ? String(attempt.status) : attempt.code || attempt.reason;
      options.onWait?.({ kind: "retry", operation, host, reason, delay });
    };
    const context = { clock, limiter, operationTimeout, signal, onRetry };
    const outcome = await withRetry(kind, context, sendAttempt);
    const response = outcome.attempt?.kind === "response" ? outcome.attempt : null;
    if (response === null || !outcome.succeeded)
      throw failure(call, causeOf(outcome), response, outcome.effect, outcome.attempts);
    const cause = contradictionIn(call, response);
    if (cause !== null) throw failure(call, cause, response, kind === "read" ? "none" : "possible", attempts);
    return response;
  }

  /** Why a status of success is not believed; `null` if it is. */
  function contradictionIn({ operation }: Call, response: HttpResponse): FailureCause | null {
    const { kind } = OPERATIONS[operation];
    if (kind === "read" && response.cutOff === "limit") return { kind: "tooLarge" };
    const text = response.body.toString("utf8");
    const failed = kind === "create" ? isFailedCreation(text, options.responses) : reportsFailure(text);
    if (!failed) return null;
    return { kind: isWebPage(text) ? "webPage" : "reportedFailure" };
  }

  function failure(
    { operation, parameter = "", webhookId }: Call,
    cause: FailureCause,
    response: HttpResponse | null,
    effect: Effect = "none",
    attempts = 1,
  ): RequestError {
    const words = response && serverWords(response.body.toString("utf8"));
    return new RequestError({
      operation,
      webhookId: webhookId ?? null,
      host,
      cause,
      effect,
      attempts,
      failedAt: new Date(clock.now()).toISOString(),
      requestId: response && requestId(response, parameter),
      serverWords: words && redactWords(words, [accessToken, webhookId === undefined ? parameter : ""]),
    });
  }

  function requestId(attempt: Attempt, parameter = ""): string | null {
    if (attempt.kind === "noResponse") return null;
    const id = attempt.headers["x-request-id"] ?? attempt.headers["request-id"];
    return printableId(id, [accessToken, parameter]);
  }

  return {
    async createApiKey() {
      const response = await send({ operation: "createApiKey", bodyLimit: CREATION_LIMIT });
      return {
        response: keepResponse(response.body, response.cutOff === null),
        createdAt: new Date(clock.now()).toISOString(),
      };
    },
    async deleteApiKey(apiKey) {
      await send({ operation: "deleteApiKey", parameter: apiKey });
    },
    async listWebhooks(within) {
      const call: Call = {
        operation: "listWebhooks",
        bodyLimit: LIST_LIMIT,
        within,
      };
      const response = await send(call);
      const body = response.body.toString("utf8");
      const reading = readWebhookList(body, response.headers, response.status, options.responses);
      if (reading.readable) return reading;
      throw failure(call, { kind: "unreadableList", reading, body }, response);
    },
    async setWebhookState(webhookId, state) {
      await send({ operation: STATE_OPERATION[state], parameter: String(webhookId), webhookId });
    },
    get pendingOperations() {
      return [...inFlight].map(({ operation }) => operation);
    },
    close: () => connections.close(),
  };
}

/** One call of an operation. */
interface Call {
  readonly operation: Operation;
  /** The value of the path parameter. Secret where it is a key. */
  readonly parameter?: string;
  readonly webhookId?: number;
  /** Bytes of the body to keep. @default enough for what a server says of a failure */
  readonly bodyLimit?: number;
  /** Milliseconds, if less than `operationTimeout`. */
  readonly within?: number | undefined;
}

/** Path segments that a server, or a proxy in front of it, resolves as "here" and "one up". */
const DOT_SEGMENTS: ReadonlySet<string> = new Set(["", ".", ".."]);

/**
 * Puts the path parameter into a template.
 *
 * @throws {SettingsError} if the value cannot stand in a path: empty, `.` and `..` would address something else, and a lone
 * surrogate has no encoding.
 */
function fillPath(template: string, parameter: string | undefined): string {
  if (parameter === undefined) return template;
  if (DOT_SEGMENTS.has(parameter) || !parameter.isWellFormed()) {
    const text = "must point to a value that can be part of a path";
    throw new SettingsError([{ kind: "invalid", setting: "responses.apiKeyId", text }]);
  }
  return template.replace(/\{[a-z_]+\}/, () => encodeURIComponent(parameter));
}

function causeOf({ attempt, interrupted, requestedWait }: Outcome): FailureCause {
  if (requestedWait !== null) {
    const status = attempt?.kind === "response" ? attempt.status : 429; // Not sent: what another one was answered with.
    return { kind: "throttled", status, wait: requestedWait };
  }
  if (interrupted) return { kind: "interrupted" };
  // It was not sent, because the rate limit refused all others for too long.
  if (attempt === null) return { kind: "status", status: 429 };
  if (attempt.kind === "response")
    return isSuccess(attempt.status) ? { kind: "cutOff" } : { kind: "status", status: attempt.status };
  if (attempt.reason === "timeout") return { kind: "timeout", sent: attempt.sent };
  return { kind: "connection", code: attempt.code };
}

/** One line for one attempt. Templates, numbers and a printable request id: there is nothing in it to redact. */
function logLine(
  { operation }: Call,
  host: string,
  count: number,
  attempt: Attempt,
  milliseconds: number,
  requestId: string | null,
): string {
  const { method, template } = OPERATIONS[operation];
  const result =
    attempt.kind === "response" ? `status=${attempt.status}` : `error=${attempt.code || attempt.reason}`;
  const request = requestId === null ? "" : ` request=${requestId}`;
  return `partners ${operation} ${method} ${API_ROOT}${template} host=${host} ${result} attempt=${count} ms=${Math.round(milliseconds)}${request}`;
}
