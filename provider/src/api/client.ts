import { createConnections, type BaseUrl } from "./connections.js";
import { RequestError, SettingsError, type Effect, type FailureCause } from "./errors.js";
import { isSuccess, sendOnce, type Attempt, type HttpResponse } from "./http.js";
import { API_ROOT, OPERATIONS, STATE_OPERATION, type Operation, type WebhookState } from "./operations.js";
import { RateLimiter, systemClock, type Clock } from "./rate-limiter.js";
import { printableId, redactText, serverMessage } from "./redact.js";
import { withRetry, type Outcome } from "./retry.js";

/** The settings of one client. Times are in milliseconds. */
export interface ClientOptions {
  readonly baseUrl: BaseUrl;
  /** Secret. */
  readonly accessToken: string;
  /** The time for one attempt, from the start of sending to the last byte of the response. */
  readonly requestTimeout: number;
  /** The time for all attempts of one operation and the delays between them. Waiting for a rate limit does not count. */
  readonly operationTimeout: number;
  /** The maximum number of requests in flight. */
  readonly maxConnections: number;
  /** The maximum rate of requests; `null` for no limit. */
  readonly requestsPerSecond: number | null;
  /** @default the system clock */
  readonly clock?: Clock;
  /** When it aborts, all waits end, no more requests start, and those in flight are abandoned, except creations. */
  readonly signal?: AbortSignal;
  /** Called with one line for each attempt. Lines contain no secrets. @default no logging */
  readonly log?: (line: string) => void;
  /** Called before each retry, and repeatedly while a response is slow. @default no reports */
  readonly onWait?: (wait: Wait) => void;
}

/** What an operation is waiting for. */
export type Wait =
  /** A retry after a delay in milliseconds. `reason` is a status or an error code. */
  | {
      readonly kind: "retry";
      readonly operation: Operation;
      readonly host: string;
      readonly reason: string;
      readonly delay: number;
    }
  /** A response. `elapsed` is in milliseconds. */
  | { readonly kind: "response"; readonly operation: Operation; readonly elapsed: number };

/** Milliseconds between two reports of a slow response. */
const REPORT_INTERVAL = 10_000;

/** A response with a 2xx status. What its body means is not known yet. */
export interface ApiResponse extends Pick<HttpResponse, "status" | "headers" | "body"> {
  /** Whether the whole body arrived. */
  readonly isComplete: boolean;
  /** When it arrived, ISO 8601. */
  readonly receivedAt: string;
  /** Returns the error for a response whose body does not mean success. */
  failure(cause: FailureCause): RequestError;
}

/** A client of the Partner API. It knows statuses and deadlines, not bodies. Created by {@link createClient}. */
export interface PartnerClient {
  /** Creates a key. @throws {RequestError} with `effect: "possible"` if a key may have been created. */
  createApiKey(): Promise<ApiResponse>;
  /**
   * Deletes a key, identified by its value or by its ID.
   * @throws {RequestError}
   * @throws {SettingsError} if the value or ID cannot be part of a path.
   */
  deleteApiKey(apiKey: string): Promise<ApiResponse>;
  /** Lists the webhooks. @param timeout Milliseconds, if less than `operationTimeout`. @throws {RequestError} */
  listWebhooks(timeout?: number): Promise<ApiResponse>;
  /** Sets the state of a webhook. @throws {RequestError} */
  setWebhookState(webhookId: number, state: WebhookState): Promise<ApiResponse>;
  /** The operations that are waiting for a response. */
  readonly pendingOperations: readonly Operation[];
  /** Closes all connections; requests in flight fail. */
  close(): Promise<void>;
}

/**
 * Creates a client. All resources of a process share one client.
 *
 * @throws {SettingsError} if the environment does not allow requests.
 */
export function createClient(options: ClientOptions): PartnerClient {
  const { signal, baseUrl, accessToken, clock = systemClock } = options;
  const limiter = new RateLimiter(clock, options.maxConnections, options.requestsPerSecond, signal);
  const connections = createConnections(baseUrl, accessToken, options.maxConnections);
  const { host } = new URL(baseUrl.origin);
  const inFlight = new Set<Call>();

  /** Performs an operation, with retries, and returns the successful response. */
  async function send(call: Call): Promise<ApiResponse> {
    const { operation, parameter = "", webhookId = null, timeout = Infinity } = call;
    const { kind } = OPERATIONS[operation];
    const operationTimeout = Math.min(timeout, options.operationTimeout);
    const onRetry = (attempt: Attempt, delay: number): void => {
      const reason = attempt.kind === "response" ? String(attempt.status) : attempt.code || attempt.reason;
      options.onWait?.({ kind: "retry", operation, host, reason, delay });
    };
    const context = { clock, limiter, operationTimeout, signal, onRetry };
    const outcome = await withRetry(kind, context, attemptsOf(call));
    const response = outcome.attempt?.kind === "response" ? outcome.attempt : null;

    const failure = (cause: FailureCause, effect: Effect): RequestError => {
      const words = response && serverMessage(response.body.toString("utf8"));
      return new RequestError({
        operation,
        webhookId,
        host,
        cause,
        effect,
        attempts: outcome.attempts,
        failedAt: timestamp(),
        requestId: response && requestId(response, parameter),
        serverMessage: words && redactText(words, [accessToken, webhookId === null ? parameter : ""]),
      });
    };
    if (response === null || !outcome.succeeded) throw failure(causeOf(outcome), outcome.effect);
    const effect = kind === "read" ? "none" : "possible";
    const { status, headers, body, cutOff } = response;
    if (kind === "read" && cutOff === "limit") throw failure({ kind: "tooLarge" }, effect);
    return {
      status,
      headers,
      body,
      isComplete: cutOff === null,
      receivedAt: timestamp(),
      failure: (cause) => failure(cause, effect),
    };
  }

  /** Returns a function that sends a call once. It receives the milliseconds left until the deadline. */
  function attemptsOf(call: Call): (remaining: number) => Promise<Attempt> {
    const { operation, parameter } = call;
    const { method, template, kind } = OPERATIONS[operation];
    const path = baseUrl.prefix + API_ROOT + fillPath(template, parameter);
    const { requestTimeout } = options;
    let count = 0;
    let lostConnection = false;
    return async (remaining) => {
      const startedAt = performance.now();
      const elapsed = (): number => Math.round(performance.now() - startedAt);
      const timer = setInterval(() => {
        options.onWait?.({ kind: "response", operation, elapsed: elapsed() });
      }, REPORT_INTERVAL);
      inFlight.add(call);
      // When one kept-alive connection breaks, the server may be closing the others too.
      const fresh = kind === "create" || lostConnection;
      const request = { method, path, kind, fresh, requestTimeout, remaining, signal };
      const attempt = await sendOnce(connections, request);
      clearInterval(timer);
      inFlight.delete(call);
      count += 1;
      lostConnection = attempt.kind === "noResponse";
      // Only the template, numbers and a printable ID: no secrets.
      const result =
        attempt.kind === "response" ? `status=${attempt.status}` : `error=${attempt.code || attempt.reason}`;
      const id = requestId(attempt, parameter);
      options.log?.(
        `${operation} ${method} ${API_ROOT}${template} host=${host} ${result} attempt=${count} ms=${elapsed()}` +
          (id === null ? "" : ` request=${id}`),
      );
      return attempt;
    };
  }

  function timestamp(): string {
    return new Date(clock.now()).toISOString();
  }

  function requestId(attempt: Attempt, parameter = ""): string | null {
    if (attempt.kind === "noResponse") return null;
    const id = attempt.headers["x-request-id"] ?? attempt.headers["request-id"];
    return printableId(id, [accessToken, parameter]);
  }

  return {
    createApiKey: () => send({ operation: "createApiKey" }),
    deleteApiKey: (apiKey) => send({ operation: "deleteApiKey", parameter: apiKey }),
    listWebhooks: (timeout) => send({ operation: "listWebhooks", timeout }),
    setWebhookState: (webhookId, state) =>
      send({ operation: STATE_OPERATION[state], parameter: String(webhookId), webhookId }),
    get pendingOperations() {
      return [...inFlight].map(({ operation }) => operation);
    },
    close: () => connections.close(),
  };
}

/** One call of an operation. */
interface Call {
  readonly operation: Operation;
  /** The value of the path parameter. Secret if it is a key. */
  readonly parameter?: string;
  readonly webhookId?: number;
  /** Milliseconds, if less than `operationTimeout`. */
  readonly timeout?: number | undefined;
}

/**
 * Inserts the path parameter into a template.
 *
 * @throws {SettingsError} if the value cannot be a path segment: a server or a proxy resolves an empty one, "." and ".." to another
 * path, and lone surrogates have no encoding.
 */
function fillPath(template: string, parameter: string | undefined): string {
  if (parameter === undefined) return template;
  if (["", ".", ".."].includes(parameter) || !parameter.isWellFormed()) {
    const text = "must point to a value that can be part of a path";
    throw new SettingsError([{ kind: "invalid", setting: "responses.apiKeyId", text }]);
  }
  return template.replace(/\{[a-z_]+\}/, () => encodeURIComponent(parameter));
}

function causeOf({ attempt, interrupted, requestedWait }: Outcome): FailureCause {
  if (requestedWait !== null) {
    const status = attempt?.kind === "response" ? attempt.status : 429; // If it was not sent, another request received a 429.
    return { kind: "throttled", status, wait: requestedWait };
  }
  if (interrupted) return { kind: "interrupted" };
  // It was not sent, because the server has returned 429 to all other requests for too long.
  if (attempt === null) return { kind: "status", status: 429 };
  if (attempt.kind === "response")
    return isSuccess(attempt.status) ? { kind: "cutOff" } : { kind: "status", status: attempt.status };
  if (attempt.reason === "timeout") return { kind: "timeout", sent: attempt.sent };
  return { kind: "connection", code: attempt.code, proxy: attempt.proxy };
}
