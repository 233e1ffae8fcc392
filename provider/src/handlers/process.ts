import type { ApiResponse, PartnerClient, Wait } from "../api/client.js";
import type { BaseUrl } from "../api/connections.js";
import type { Clock } from "../api/rate-limiter.js";
import { SettingsError } from "../api/errors.js";
import { isWebPage, reportsFailure } from "../responses/failure-report.js";
import { isFailedCreation } from "../responses/key-reader.js";
import type { ResponseMapping } from "../responses/mapping.js";
import { readWebhookList } from "../responses/webhook-list-reader.js";
import { keepResponse, type CreatedKey } from "./key-state.js";
import type { Notice } from "./problems.js";
import {
  accountName,
  assertNodeVersion,
  isExplicit,
  readSettings,
  type ConfigSource,
  type Settings,
} from "./settings.js";
import { WebhookRegistry, type WebhookService } from "./webhook-registry.js";
import { ManagedWebhooks, type RunJournal } from "./webhook-release.js";

/** What a host provides to a {@link PluginProcess}. */
export interface ProcessOptions {
  /** @default the environment of this process */
  readonly env?: NodeJS.ProcessEnv;
  /** Shows a warning to the user. Called once per distinct notice. */
  readonly warn: (notice: Notice) => void;
  /** Shows the progress of a change to many webhooks, replacing what it showed before. @default nothing is shown */
  readonly progress?: (progress: Progress) => void;
  /** Shows that an operation is waiting. @default nothing is shown */
  readonly onWait?: (wait: Wait) => void;
  /** Shows one line for each request, if `PARTNERS_DEBUG` is 1. @default nothing is shown */
  readonly log?: (line: string) => void;
  /** Connects the processes of one engine run. @default there are no other processes */
  readonly journal?: RunJournal;
  /** Aborts when the process is asked to stop. */
  readonly signal?: AbortSignal;
  /** Milliseconds since the epoch. @default `Date.now` */
  readonly currentTime?: () => number;
  /** The clock for the waits between requests. @default the system clock */
  readonly clock?: Clock;
}

/** The progress of a change to many webhooks. */
export interface Progress {
  /** The name of the account. */
  readonly account: string;
  /** Webhooks that are finished, changed or failed. */
  readonly done: number;
  readonly total: number;
}

/** The Partner API, with its responses interpreted. Created by {@link interpretResponses}. */
export interface PartnerService extends WebhookService, Pick<PartnerClient, "pendingOperations" | "close"> {
  /** As in {@link PartnerClient}. Never throws once the server has returned a key: the response is the only copy. */
  createApiKey(): Promise<CreatedKey>;
  /** As in {@link PartnerClient}. */
  deleteApiKey(apiKey: string): Promise<void>;
}

/** The client with its settings and its webhook registry, opened when the first request is needed. */
export interface Session {
  readonly settings: Settings;
  readonly client: PartnerService;
  readonly webhooks: WebhookRegistry;
}

/**
 * The state that all handlers of one plugin process share. A host creates one: the engine runs one process per provider instance
 * in each of its operations.
 */
export class PluginProcess {
  /** Milliseconds since the epoch. */
  readonly currentTime: () => number;
  /** The webhooks that this run manages, and those that it lets go. */
  readonly managed: ManagedWebhooks;
  readonly #options: ProcessOptions;
  readonly #env: NodeJS.ProcessEnv;
  readonly #shownNotices = new Set<string>();
  #source: ConfigSource = { get: () => undefined };
  #settings: Settings | SettingsError | null = null;
  #session: Promise<Session> | null = null;
  #client: PartnerService | null = null;

  constructor(options: ProcessOptions) {
    this.#options = options;
    this.#env = options.env ?? process.env;
    this.currentTime = options.currentTime ?? (() => Date.now());
    this.managed = new ManagedWebhooks(this, options.journal ?? null);
  }

  /** Sets the source of the settings. Never throws. May be called again, always with the same settings. */
  configure(source: ConfigSource): void {
    this.#source = source;
    this.#settings = null;
  }

  /** The name of the account of this process. */
  get account(): string {
    return accountName(this.#source);
  }

  /** Whether the settings are the arguments of a `Provider`. */
  get isExplicit(): boolean {
    return isExplicit(this.#source);
  }

  /** The names of the operations that are waiting for a response. */
  get pendingOperations(): readonly string[] {
    return this.#client?.pendingOperations ?? [];
  }

  /** Returns an environment variable; `undefined` if it is not set or empty. */
  environmentVariable(name: string): string | undefined {
    return this.#env[name] || undefined;
  }

  /** The settings, or an error that names everything that is missing or wrong. */
  get settings(): Settings | SettingsError {
    this.#settings ??= readAll(this.#source, this.#env);
    return this.#settings;
  }

  /** The setting `responses`; empty if the settings are invalid. */
  get mapping(): ResponseMapping {
    return this.settings instanceof SettingsError ? {} : this.settings.responses;
  }

  /** The address of the server, as recorded in the state; `null` if the settings are invalid. */
  get server(): string | null {
    return this.settings instanceof SettingsError ? null : addressOf(this.settings.baseUrl);
  }

  /** The address that the account had before it moved; `null` if it has not moved. */
  get previousServer(): string | null {
    return this.settings instanceof SettingsError ? null : addressOf(this.settings.previousBaseUrl);
  }

  /** The addresses of the account. Its webhooks are the same at both, while it moves from one to the other. */
  get servers(): readonly string[] {
    return [this.server, this.previousServer].filter((server) => server !== null);
  }

  /** Returns the session, opening it on the first call. @throws {SettingsError} */
  open(): Promise<Session> {
    this.#session ??= this.#open();
    return this.#session;
  }

  /** Shows a warning to the user, once. */
  warn(notice: Notice): void {
    const facts = JSON.stringify(notice);
    if (this.#shownNotices.has(facts)) return;
    this.#shownNotices.add(facts);
    this.#options.warn(notice);
  }

  /** Shows the progress of a change to many webhooks. */
  progress(progress: Progress): void {
    this.#options.progress?.(progress);
  }

  async #open(): Promise<Session> {
    const { settings } = this;
    if (settings instanceof SettingsError) throw settings;
    // Loaded late: undici fails to load on a Node that is too old, and a process that only diffs does not need it.
    const { createClient } = await import("../api/client.js");
    const { signal, clock, onWait, log = () => undefined } = this.#options;
    const account = this.isExplicit ? ` account=${JSON.stringify(this.account)}` : "";
    const requests = createClient({
      ...settings,
      signal,
      clock,
      onWait,
      ...(this.#env["PARTNERS_DEBUG"] === "1" && {
        log: (line: string) => {
          log(line + account);
        },
      }),
    });
    const client = interpretResponses(requests, settings.responses);
    this.#client = client;
    const verifiesNothing = this.#env["NODE_TLS_REJECT_UNAUTHORIZED"] === "0";
    if (verifiesNothing && settings.baseUrl.origin.startsWith("https:"))
      this.warn({ kind: "tlsNotVerified" });
    const webhooks = new WebhookRegistry(client, this.currentTime, (webhookIds) =>
      this.managed.lastReleaseElsewhere(webhookIds),
    );
    return { settings, client, webhooks };
  }
}

function readAll(source: ConfigSource, env: NodeJS.ProcessEnv): Settings | SettingsError {
  try {
    assertNodeVersion(process.versions.node);
    return readSettings(source, env);
  } catch (error) {
    if (error instanceof SettingsError) return error;
    throw error;
  }
}

function addressOf(baseUrl: BaseUrl | null): string | null {
  return baseUrl ? baseUrl.origin + baseUrl.prefix : null;
}

/** Interprets what the client receives: a 2xx response may still report a failure, and a list may not be recognized. */
export function interpretResponses(client: PartnerClient, mapping: ResponseMapping): PartnerService {
  return {
    async createApiKey() {
      const response = await client.createApiKey();
      const text = textOf(response);
      if (isFailedCreation(text, mapping)) throw reportedFailure(response, text);
      const { body, isComplete, receivedAt } = response;
      return { response: keepResponse(body, isComplete), createdAt: receivedAt };
    },
    async deleteApiKey(apiKey) {
      assertSuccess(await client.deleteApiKey(apiKey));
    },
    async listWebhooks(timeout) {
      const response = await client.listWebhooks(timeout);
      const text = assertSuccess(response);
      const reading = readWebhookList(text, response.headers, response.status, mapping);
      if (reading.readable) return reading;
      throw response.failure({ kind: "unreadableList", reading });
    },
    async setWebhookState(webhookId, state) {
      assertSuccess(await client.setWebhookState(webhookId, state));
    },
    get pendingOperations() {
      return client.pendingOperations;
    },
    close: () => client.close(),
  };
}

/** Returns the text of a response. @throws {RequestError} if it reports a failure. */
function assertSuccess(response: ApiResponse): string {
  const text = textOf(response);
  if (reportsFailure(text)) throw reportedFailure(response, text);
  return text;
}

function reportedFailure(response: ApiResponse, text: string): Error {
  return response.failure({ kind: isWebPage(text) ? "webPage" : "reportedFailure" });
}

function textOf({ body }: ApiResponse): string {
  return body.toString("utf8");
}
