import { isWebPage, reportsFailure } from "../bodies/failure-reports.js";
import { sendOnce, type Attempt, type HttpResponse } from "./attempt.js";
import { createConnections, type BaseUrl } from "./connections.js";
import type { PartnerError } from "./errors.js";
import { API_ROOT, OPERATIONS, STATE_OPERATION, type Operation, type WebhookState } from "./operations.js";
import { RateLimiter, systemClock, type Clock } from "./rate-limiter.js";
import { requestFailed, retryStatus } from "./request-messages.js";
import { withRetry, type Outcome } from "./retry.js";
import { quoteServer } from "./server-text.js";

/** The settings of one client. */
export interface ClientOptions {
  readonly baseUrl: BaseUrl;
  /** Secret. */
  readonly accessToken: string;
  /** Headers for a gateway, by name: validated, and none that the client sets. Secret. */
  readonly headers: Readonly<Record<string, string>>;
  /** Milliseconds of an attempt. An operation may take up to four times as long, plus waits for a limit. */
  readonly requestTimeout: number;
  /** Names a setting as the user knows it, such as `partners:baseUrl`. */
  readonly settingName: (name: string) => string;
  /** Sets the proxies. @default the environment of this process */
  readonly env?: NodeJS.ProcessEnv;
  /** @default the system clock */
  readonly clock?: Clock;
  /** When it aborts, waits end, and requests are abandoned, except a creation that was sent. */
  readonly signal?: AbortSignal;
  /** Gets one line for each attempt, without secrets. @default no logging */
  readonly log?: (line: string) => void;
  /** Shows one line each time a request begins to wait for its retry. @default nothing is shown */
  readonly showStatus?: (text: string) => void;
}

/** A creation after which there may be a key. */
export interface Creation {
  /** It may hold the only copy of the key. `null` if it was lost. */
  readonly response: HttpResponse | null;
  /** Why the response was lost or cut off; `null` if it is whole. */
  readonly failure: PartnerError | null;
}

/** A client of the Partner API. It reads bodies only to find out whether they report a failure. */
export interface PartnerClient {
  /**
   * Creates a key.
   *
   * @param showsKey Whether a body shows anything of a key: then, a failure that it reports is not believed.
   * @throws {PartnerError} if no key can have been created.
   */
  createApiKey(showsKey: (text: string) => boolean): Promise<Creation>;
  /**
   * Deletes a key.
   *
   * @param keyOrId One segment of a path: not empty, and not only dots.
   * @param secrets What no message may contain either: the key, if its ID is sent.
   * @throws {PartnerError} also if a 2xx reports a failure.
   */
  deleteApiKey(keyOrId: string, secrets: readonly string[]): Promise<void>;
  /** Returns the list of webhooks. @throws {PartnerError} also if it reports a failure or is cut off. */
  listWebhooks(): Promise<HttpResponse>;
  /** @throws {PartnerError} also if a 2xx reports a failure. */
  setWebhookState(webhookId: number, state: WebhookState): Promise<void>;
  /** When the last response of any status arrived, by the clock of the client; `null` before the first. */
  readonly lastReceivedAt: number | null;
  /** Closes all connections. Requests in flight fail. */
  close(): Promise<void>;
}

/** How many times the time of one attempt an operation may take. */
const OPERATION_FACTOR = 4;
/** The minimum length of a word in a header that is a secret on its own: a server may quote it alone. */
const MIN_WORD_LENGTH = 8;

/** Creates a client. @throws {PartnerError} if the environment sets an invalid proxy. */
export function createClient(options: ClientOptions): PartnerClient {
  const { baseUrl, accessToken, headers, requestTimeout, settingName, signal, clock = systemClock } = options;
  const connections = createConnections(baseUrl, options.env ?? process.env);
  const limiter = new RateLimiter(clock, signal);
  const sentHeaders = { ...headers, authorization: `Bearer ${accessToken}` };
  const words = Object.values(headers).flatMap((value) => value.split(/[\s;,=]+/));
  const ownSecrets = [
    accessToken,
    ...Object.values(headers),
    ...words.filter((word) => word.length >= MIN_WORD_LENGTH),
  ];
  const server = baseUrl.origin + baseUrl.prefix;
  const { host } = new URL(baseUrl.origin);
  let lastReceivedAt: number | null = null;

  /** Sends a call, again if the policy says so. */
  async function send(call: Call): Promise<Outcome> {
    const { operation, webhookId = null } = call;
    const { kind } = OPERATIONS[operation];
    const timeout = OPERATION_FACTOR * requestTimeout;
    const onRetry = (attempt: Attempt, pause: number): void => {
      options.showStatus?.(retryStatus(operation, webhookId, attempt, pause));
    };
    return withRetry(kind, { clock, limiter, timeout, signal, onRetry }, attemptsOf(call));
  }

  /** Sends a call. @throws {PartnerError} also if a 2xx reports a failure. */
  async function sendChecked(call: Call): Promise<HttpResponse> {
    const outcome = await send(call);
    if (outcome.end !== "done" || reportsFailure(outcome.attempt.text)) throw errorAfter(call, outcome);
    return outcome.attempt;
  }

  async function createApiKey(showsKey: (text: string) => boolean): Promise<Creation> {
    const call = { operation: "createApiKey" } as const;
    const outcome = await send(call);
    if (outcome.end !== "done") {
      if (outcome.effect === "none") throw errorAfter(call, outcome);
      return { response: null, failure: errorAfter(call, outcome) };
    }
    const { attempt: response } = outcome;
    const { text, cutOff } = response;
    // A web page comes from something in front of the service: it says nothing about the key.
    if (reportsFailure(text) && !isWebPage(text) && !showsKey(text))
      throw errorAfter(call, { ...outcome, effect: "none" });
    return { response, failure: cutOff === null ? null : errorAfter(call, outcome) };
  }

  function errorAfter(call: Call, outcome: Outcome): PartnerError {
    const { operation, webhookId = null, secrets = [] } = call;
    const last = outcome.attempt?.kind === "response" ? outcome.attempt : null;
    // Any word of a creation that was cut off may be the key, which nothing has read.
    const isQuotable = last !== null && !(operation === "createApiKey" && last.cutOff !== null);
    const serverWords = isQuotable ? quoteServer(last.text, [...ownSecrets, ...secrets]) : null;
    const { pause } = limiter;
    return requestFailed({ operation, webhookId, server, settingName, outcome, pause, serverWords });
  }

  /** Returns a function that sends a call once, for {@link withRetry}. */
  function attemptsOf({ operation, segment = "" }: Call): (left: number, count: number) => Promise<Attempt> {
    const { method, template, kind } = OPERATIONS[operation];
    const path = baseUrl.prefix + API_ROOT + template.replace(/\{\w+\}/, () => segment);
    const request = { origin: baseUrl.origin, method, path, headers: sentHeaders, kind, signal };
    let isFresh = kind === "create";
    return async (left, count) => {
      const startedAt = performance.now();
      const agent = isFresh ? connections.fresh : connections.pooled;
      // The response to a creation may hold the only copy of a key, so it always has its whole time.
      const timeout = kind === "create" ? requestTimeout : Math.min(requestTimeout, left);
      const attempt = await sendOnce(agent, { ...request, timeout });
      // When one kept-alive connection breaks, the server may be closing the others too.
      if (attempt.kind === "response") lastReceivedAt = clock.now();
      else isFresh = true;
      const result = attempt.kind === "response" ? attempt.status : attempt.code;
      const duration = Math.round(performance.now() - startedAt);
      // Only the template, codes and numbers: no secrets.
      const name = `${operation} ${method} ${API_ROOT}${template} host=${host}`;
      options.log?.(`${name} status=${result} attempt=${count} ms=${duration}`);
      return attempt;
    };
  }

  return {
    createApiKey,
    deleteApiKey: async (keyOrId, secrets) => {
      const segment = encodeURIComponent(keyOrId.toWellFormed());
      await sendChecked({ operation: "deleteApiKey", segment, secrets: [keyOrId, ...secrets] });
    },
    listWebhooks: () => sendChecked({ operation: "listWebhooks" }),
    setWebhookState: async (webhookId, state) => {
      await sendChecked({ operation: STATE_OPERATION[state], segment: String(webhookId), webhookId });
    },
    get lastReceivedAt() {
      return lastReceivedAt;
    },
    close: () => connections.close(),
  };
}

/** One call of an operation. */
interface Call {
  readonly operation: Operation;
  /** The path parameter, encoded. May contain a key. @default none */
  readonly segment?: string;
  readonly webhookId?: number;
  readonly secrets?: readonly string[];
}
