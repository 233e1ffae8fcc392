import { parseDocument } from "../json.js";
import { createConnections, type BaseUrl } from "./connections.js";
import { RequestError, SettingsError, type FailureCause } from "./errors.js";
import { textsToHide, type SentSecrets } from "./extra-headers.js";
import { BODY_LIMIT, readHttpDate, sendOnce, type Attempt, type HttpResponse } from "./http.js";
import { API_ROOT, OPERATIONS, STATE_OPERATION, type Operation, type WebhookState } from "./operations.js";
import { RateLimiter, systemClock, type Clock } from "./rate-limiter.js";
import { possibleKeys, printableId, redactText } from "./redact.js";
import { withRetry } from "./retry.js";
import { messageIn } from "./server-message.js";

/** The settings of one client. Times are in milliseconds. */
export interface ClientOptions extends SentSecrets {
  readonly baseUrl: BaseUrl;
  /** The time for one attempt, from the start of sending to the last byte of the response. */
  readonly requestTimeout: number;
  /**
   * The time for all attempts of one operation and the delays between them. Waiting for a rate limit counts
   * only if other operations succeed meanwhile.
   */
  readonly operationTimeout: number;
  /**
   * Returns the time that the current call of the engine has left, at most 0 if it is over; `null` if it has
   * no limit of its own. It replaces `operationTimeout`, except for a read, which may serve other calls as
   * well and so gets the longer of the two.
   * @default no limit
   */
  readonly remainingTime?: (() => number | null) | undefined;
  /** The maximum number of requests in flight. */
  readonly maxConnections: number;
  /** The maximum rate of requests; `null` for no limit. */
  readonly requestsPerSecond: number | null;
  /** Sets the proxies. @default the environment of this process */
  readonly env?: NodeJS.ProcessEnv;
  /** @default the system clock */
  readonly clock?: Clock | undefined;
  /**
   * When it aborts, all waits end, no more requests start, and those in flight are abandoned, except
   * creations.
   */
  readonly signal?: AbortSignal | undefined;
  /** Called with one line for each attempt. Lines contain no secrets. @default no logging */
  readonly log?: ((line: string) => void) | undefined;
  /** Called before each retry. @default no reports */
  readonly onWait?: ((wait: Wait) => void) | undefined;
}

/** A delay before a retry, in milliseconds. */
export interface Wait {
  readonly operation: Operation;
  /** A status or an error code. */
  readonly reason: string;
  readonly delay: number;
}

/** A response with a 2xx status. What its body means is not known yet. */
export interface ApiResponse extends HttpResponse {
  /** When it arrived, ISO 8601. */
  readonly receivedAt: string;
  /** Returns the error for a response whose body does not mean success. */
  failure(cause: FailureCause): RequestError;
}

/** A page of the webhook list. */
export interface ListResponse extends ApiResponse {
  /**
   * Requests the next page. All pages share the time of one operation and the limit on a body.
   *
   * @param query Of its address, with `?`; `""` if it has none.
   * @throws {RequestError}
   */
  nextPage(query: string): Promise<ListResponse>;
}

/** A client of the Partner API. It knows statuses and deadlines, not bodies. */
export interface PartnerClient {
  /** Creates a key. @throws {RequestError} with `effect: "possible"` if a key may have been created. */
  createApiKey(): Promise<ApiResponse>;
  /**
   * Deletes a key, identified by its value or by its ID.
   *
   * @param secret The value, which no message may contain. @default `key`
   * @param isNew Whether the key was created a moment ago. Then a 404 is retried as a 503 is, because the
   *   service may not find the key yet. @default false: a 404 is final
   * @throws {RequestError} @throws {SettingsError} if `key` fits into no path.
   */
  deleteApiKey(key: string, secret?: string, isNew?: boolean): Promise<ApiResponse>;
  /** Returns the first page of the webhook list. @throws {RequestError} */
  listWebhooks(): Promise<ListResponse>;
  /** The address of the webhook list. */
  readonly listAddress: string;
  /** Sets the state of a webhook. @throws {RequestError} */
  setWebhookState(webhookId: number, state: WebhookState): Promise<ApiResponse>;
  /**
   * Returns how far the service's clock is ahead of that of this machine, in milliseconds, by the header
   * `Date` of the last response with a valid one; `null` if none had one. Caches do not count.
   */
  clockOffset(): number | null;
  /** Returns the operations that are waiting for a response. */
  pendingOperations(): readonly Operation[];
  /** Closes all connections; requests in flight fail. */
  close(): Promise<void>;
}

/**
 * Creates a client. All resources of a process share one.
 *
 * @throws {SettingsError} if the environment does not allow requests.
 */
export function createClient(options: ClientOptions): PartnerClient {
  const {
    signal,
    baseUrl,
    accessToken,
    headers,
    requestTimeout,
    operationTimeout,
    clock = systemClock,
    env = process.env,
  } = options;
  const limiter = new RateLimiter(clock, options.maxConnections, options.requestsPerSecond, signal);
  const connections = createConnections(baseUrl, accessToken, headers, options.maxConnections, env);
  const ownSecrets = textsToHide(options);
  const { host } = new URL(baseUrl.origin);
  const server = baseUrl.origin + baseUrl.prefix;
  const inFlight = new Set<Call>();
  let clockOffset: number | null = null;

  /** Performs an operation, with retries, and returns the successful response. */
  async function send(call: Call): Promise<ApiResponse & { readonly timeLeft: number }> {
    const { operation, webhookId = null, page = 1, isNew = false } = call;
    const request = { operation, webhookId, page, server, mayUseProxy: connections.mayUseProxy };
    const onRetry = (attempt: Attempt, delay: number): void => {
      options.onWait?.({ operation, reason: resultOf(attempt), delay });
    };
    const { kind } = OPERATIONS[operation];
    const timeLeft = options.remainingTime?.() ?? operationTimeout;
    const full = kind === "read" ? Math.max(timeLeft, operationTimeout) : timeLeft;
    const timeout = call.timeLeft ?? full;
    const isOver = (): boolean => kind !== "read" && (options.remainingTime?.() ?? Infinity) <= 0;
    const context = { clock, limiter, operationTimeout: timeout, signal, isOver, isNew, onRetry };
    const outcome = await withRetry(operation, context, attemptsOf(call));

    const failure = (cause: FailureCause): RequestError => {
      const { response, effect, attempts } = outcome;
      const text = response?.body.toString("utf8") ?? "";
      const words = messageIn(parseDocument(text));
      return new RequestError({
        ...request,
        cause,
        effect: kind === "create" && cause.kind === "reportedFailure" ? "none" : effect,
        attempts,
        failedAt: timestamp(),
        requestId: response && requestId(response, call),
        serverMessage:
          words &&
          redactText(words, secretsOf(call), [...createdKeys(call, text), ...createdKeys(call, words)]),
      });
    };
    if (outcome.cause !== null) throw failure(outcome.cause);
    return { ...outcome.response, receivedAt: timestamp(), failure, timeLeft: outcome.timeLeft };
  }

  /** @param sizeBefore The bytes of the pages before. */
  async function listPage(
    page: number,
    query: string,
    sizeBefore: number,
    timeLeft?: number,
  ): Promise<ListResponse> {
    const response = await send({ operation: "listWebhooks", page, query, timeLeft });
    const size = sizeBefore + response.body.length;
    if (size > BODY_LIMIT) throw response.failure({ kind: "tooLarge", limit: BODY_LIMIT, size });
    // Without time, the request would not be sent, and its error would be that of a call of the engine.
    const rest = Math.max(1, response.timeLeft);
    return { ...response, nextPage: (next) => listPage(page + 1, next, size, rest) };
  }

  /** Returns a function that sends a call once, for {@link withRetry}. */
  function attemptsOf(call: Call): (remaining: number, count: number) => Promise<Attempt> {
    const { operation } = call;
    const { method, template, kind } = OPERATIONS[operation];
    const path = baseUrl.prefix + API_ROOT + fillPath(template, call) + (call.query ?? "");
    let lostConnection = false;
    return async (remaining, count) => {
      const startedAt = performance.now();
      inFlight.add(call);
      // When one kept-alive connection breaks, the server may be closing the others too.
      const fresh = kind === "create" || lostConnection;
      const request = { method, path, kind, fresh, requestTimeout, remaining, signal, onHeaders };
      const attempt = await sendOnce(connections, request);
      inFlight.delete(call);
      lostConnection = attempt.kind === "noResponse";
      const id = attempt.kind === "response" ? requestId(attempt, call) : null;
      const duration = Math.round(performance.now() - startedAt);
      const result = `status=${resultOf(attempt)} attempt=${count} ms=${duration}`;
      // Only the template, numbers and a printable ID: no secrets.
      const suffix = id === null ? "" : ` request=${id}`;
      options.log?.(`${operation} ${method} ${API_ROOT}${template} host=${host} ${result}${suffix}`);
      return attempt;
    };
  }

  function onHeaders({ date, age }: HttpResponse["headers"]): void {
    const time = age === undefined ? readHttpDate(date) : null;
    if (time !== null) clockOffset = time - (clock.timeOfDay?.() ?? clock.now());
  }

  function timestamp(): string {
    return new Date(clock.now()).toISOString();
  }

  function requestId({ headers, body }: HttpResponse, call: Call): string | null {
    const id = headers["x-request-id"] ?? headers["request-id"];
    return id === undefined ? null : printableId(id, secretsOf(call), createdKeys(call, body));
  }

  function secretsOf({ key = "", secret = "" }: Call): string[] {
    return [...ownSecrets, secret, key];
  }

  /** Returns what may be a key in a response. Only that of a creation is decoded for it. */
  function createdKeys({ operation }: Call, response: Buffer | string): readonly string[] {
    return operation === "createApiKey" ? possibleKeys(response.toString()) : [];
  }

  return {
    createApiKey: () => send({ operation: "createApiKey" }),
    deleteApiKey: (key, secret = key, isNew = false) =>
      send({ operation: "deleteApiKey", key, secret, isNew }),
    listWebhooks: () => listPage(1, "", 0),
    listAddress: baseUrl.origin + baseUrl.prefix + API_ROOT + OPERATIONS.listWebhooks.template,
    setWebhookState: (webhookId, state) => send({ operation: STATE_OPERATION[state], webhookId }),
    clockOffset: () => clockOffset,
    pendingOperations: () => [...inFlight].map(({ operation }) => operation),
    close: () => connections.close(),
  };
}

interface Call {
  readonly operation: Operation;
  /** A key, or the ID of a key. Secret. */
  readonly key?: string;
  /** The key that `key` identifies. */
  readonly secret?: string;
  readonly webhookId?: number;
  /** The number of the page of a list. @default 1 */
  readonly page?: number;
  /** The query of that page, with `?`. @default none */
  readonly query?: string;
  /** Milliseconds that are left of the operation. @default all */
  readonly timeLeft?: number | undefined;
  /** Whether `key` was created a moment ago. */
  readonly isNew?: boolean;
}

/**
 * Inserts the path parameter into a template.
 *
 * @throws {SettingsError} if a server or a proxy would resolve it to another path.
 */
function fillPath(template: string, { key, webhookId }: Call): string {
  if (key !== undefined && ["", ".", ".."].includes(key))
    throw new SettingsError([{ kind: "invalid", setting: "responses.apiKeyId", rule: "pathSegment" }]);
  return template.replace(/\{\w+\}/, () => encodeURIComponent(key ?? String(webhookId)));
}

function resultOf(attempt: Attempt): string {
  return attempt.kind === "response" ? String(attempt.status) : attempt.code;
}
