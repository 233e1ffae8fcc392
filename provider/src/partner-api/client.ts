import { reportsFailure, reportsNothingDeleted, rootReportsFailure } from "../bodies/false-success.js";
import { saysAlready, type StateWords } from "./already-words.js";
import { sendOnce, type Attempt, type HttpResponse } from "./attempt.js";
import { createConnections, type BaseUrl, type Connections } from "./connections.js";
import type { PartnerError } from "./errors.js";
import type { KnownSecrets } from "./known-secrets.js";
import {
  API_ROOT,
  OPERATIONS,
  STATE_OPERATION,
  STATES,
  type Operation,
  type WebhookState,
} from "./operations.js";
import { RateLimiter, type Clock } from "./rate-limiter.js";
import { requestFailed, retryStatus, type RequestFailure } from "./request-messages.js";
import { withRetry, type Outcome } from "./retry.js";
import { quoteServer, serverMessage } from "./server-text.js";
import { isConflict } from "./statuses.js";

/** Where the Partner API of one account is, and how to talk to it. */
export interface ServiceSettings {
  readonly baseUrl: BaseUrl;
  /** Secret. */
  readonly accessToken: string;
  /** Headers for a gateway, by name: none that the client sets. Secret. */
  readonly headers: Readonly<Record<string, string>>;
  /** Milliseconds of an attempt. An operation may take up to four times as long, plus waits for a limit. */
  readonly requestTimeout: number;
}

/** What a client needs. */
export interface ClientOptions extends ServiceSettings, Pick<RequestFailure, "settingName"> {
  /** Sets the proxies. */
  readonly env: NodeJS.ProcessEnv;
  readonly clock: Clock;
  /** The words for the states of a webhook, besides the usual ones. */
  readonly responses?: StateWords;
  /** What no message may repeat, the access token and the headers among them. */
  readonly secrets: KnownSecrets;
  /** When it aborts, waits end, and requests are abandoned, except a creation that was sent. */
  readonly signal?: AbortSignal | undefined;
  /** Gets one line for each attempt, without secrets. */
  readonly log?: ((line: string) => void) | undefined;
  /** Shows one line each time a request begins to wait for its retry. */
  readonly showStatus?: (text: string) => void;
}

/** A creation after which there may be a key. */
interface Creation {
  /** It may hold the only copy of the key. `null` if it was lost. */
  readonly response: HttpResponse | null;
  /** Why the response was lost or cut off; `null` if it is whole. */
  readonly failure: PartnerError | null;
}

/** A client of the Partner API. In a body, it looks only for what says that nothing was done, and why. */
export class PartnerClient {
  readonly #options: ClientOptions;
  readonly #connections: Connections;
  readonly #limiter: RateLimiter;

  /** @throws {PartnerError} if the environment sets an invalid proxy. */
  constructor(options: ClientOptions) {
    this.#options = options;
    this.#connections = createConnections(options.baseUrl, options.env);
    this.#limiter = new RateLimiter(options.clock, options.signal);
  }

  /**
   * Creates a key.
   *
   * @param showsKey Whether a body shows anything of a key: then, a failure that it reports is not believed.
   * @throws {PartnerError} if no key can have been created.
   */
  async createApiKey(showsKey: (text: string) => boolean): Promise<Creation> {
    const call = { operation: "createApiKey" } as const;
    const outcome = await this.#send(call);
    if (outcome.end !== "done") {
      const failure = this.#errorAfter(call, outcome);
      if (failure.mayHaveChanged) return { response: null, failure };
      throw failure;
    }
    const response = outcome.attempt;
    const { text, cutOff } = response;
    // A web page is no such report: it comes from something in front of the service, which may have passed.
    if (rootReportsFailure(text) && !showsKey(text))
      throw this.#errorAfter(call, { ...outcome, mayHaveChanged: false });
    return { response, failure: cutOff === null ? null : this.#errorAfter(call, outcome) };
  }

  /**
   * Deletes a key.
   *
   * @param keyOrId One segment of a path: not empty, and not only dots.
   * @returns `false` if the body says that nothing was deleted, or was cut off, so that it may have said so.
   * @throws {PartnerError} also if a 2xx reports a failure.
   */
  async deleteApiKey(keyOrId: string): Promise<boolean> {
    const segment = encodeURIComponent(keyOrId.toWellFormed());
    const call = { operation: "deleteApiKey", segment, secrets: [keyOrId] } as const;
    const { text, cutOff } = await this.#sendChecked(call);
    return cutOff === null && !reportsNothingDeleted(text);
  }

  /** Returns the list of webhooks. @throws {PartnerError} also if it reports a failure or is cut off. */
  listWebhooks(): Promise<HttpResponse> {
    return this.#sendChecked({ operation: "listWebhooks" });
  }

  /** @throws {PartnerError} also if a 2xx reports a failure. */
  async setWebhookState(webhookId: number, state: WebhookState): Promise<void> {
    await this.#sendChecked({ operation: STATE_OPERATION[state], segment: String(webhookId), webhookId });
  }

  /** Closes all connections. Requests in flight fail. */
  close(): Promise<void> {
    return this.#connections.close();
  }

  /** Sends a call. @throws {PartnerError} also if a 2xx reports a failure. */
  async #sendChecked(call: Call): Promise<HttpResponse> {
    const outcome = await this.#send(call);
    if (outcome.end !== "done" || reportsFailure(outcome.attempt.text)) throw this.#errorAfter(call, outcome);
    return outcome.attempt;
  }

  /** Sends a call, again if the policy says so. */
  #send(call: Call): Promise<Outcome> {
    const { operation, webhookId = null } = call;
    const { clock, requestTimeout, signal, showStatus } = this.#options;
    const context = {
      clock,
      limiter: this.#limiter,
      timeout: 4 * requestTimeout,
      signal,
      isAlreadySo: (attempt: Attempt) => this.#isAlreadySo(operation, attempt),
      onRetry: (attempt: Attempt, pause: number) =>
        showStatus?.(retryStatus(operation, webhookId, attempt, pause)),
    };
    const { kind } = OPERATIONS[operation];
    return withRetry(kind, context, (left, earlier) => this.#attempt(call, left, earlier));
  }

  /** Sends a call once. @param left Milliseconds. @param earlier The attempts of this call so far. */
  async #attempt(call: Call, left: number, earlier: readonly Attempt[]): Promise<Attempt> {
    const { operation, segment = "" } = call;
    const { baseUrl, accessToken, requestTimeout, signal, log } = this.#options;
    const { origin, prefix } = baseUrl;
    const { method, template, kind } = OPERATIONS[operation];
    const path = prefix + API_ROOT + template.replace(/\{\w+\}/, () => segment);
    const headers = { ...this.#options.headers, authorization: `Bearer ${accessToken}` };
    // When one kept-alive connection breaks, the server may be closing the others too.
    const isFresh = kind === "create" || earlier.some((attempt) => attempt.kind === "noResponse");
    const agent = isFresh ? this.#connections.fresh : this.#connections.pooled;
    // The response to a creation may hold the only copy of a key, so it always has its whole time.
    const timeout = kind === "create" ? requestTimeout : Math.min(requestTimeout, left);
    const startedAt = performance.now();
    const attempt = await sendOnce(agent, { origin, method, path, headers, kind, timeout, signal });
    const duration = Math.round(performance.now() - startedAt);
    const result = attempt.kind === "response" ? attempt.status : attempt.code;
    // Only the template, codes and numbers: no secrets.
    const name = `${operation} ${method} ${API_ROOT}${template} host=${new URL(origin).host}`;
    log?.(`${name} status=${result} attempt=${earlier.length + 1} ms=${duration}`);
    return attempt;
  }

  #errorAfter(call: Call, outcome: Outcome): PartnerError {
    const { operation, webhookId = null, secrets = [] } = call;
    const { attempt } = outcome;
    const { baseUrl, settingName, secrets: known } = this.#options;
    const isResponse = attempt?.kind === "response";
    // Any word of a creation that was cut off may be the key, which nothing has read.
    const isQuotable = isResponse && (operation !== "createApiKey" || attempt.cutOff === null);
    return requestFailed({
      operation,
      webhookId,
      server: baseUrl.address,
      settingName,
      outcome,
      pause: this.#limiter.pause,
      serverWords: isQuotable ? quoteServer(attempt, (text) => known.areIn(text, secrets)) : null,
      isAlreadySo: attempt !== null && this.#isAlreadySo(operation, attempt),
    });
  }

  /** Whether a change was refused because the webhook is in the wanted state already. */
  #isAlreadySo(operation: Operation, attempt: Attempt): boolean {
    const wanted = STATES.find((state) => STATE_OPERATION[state] === operation);
    if (wanted === undefined || attempt.kind !== "response" || !isConflict(attempt.status)) return false;
    return saysAlready(serverMessage(attempt) ?? "", wanted, this.#options.responses);
  }
}

/** One call of an operation. */
interface Call {
  readonly operation: Operation;
  /** The path parameter, encoded. May contain a key. @default none */
  readonly segment?: string;
  readonly webhookId?: number;
  readonly secrets?: readonly string[];
}
