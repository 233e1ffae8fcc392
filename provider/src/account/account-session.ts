import type { HttpResponse } from "../partner-api/attempt.js";
import type { PartnerClient } from "../partner-api/client.js";
import { PartnerError } from "../partner-api/errors.js";
import { KnownSecrets } from "../partner-api/known-secrets.js";
import { systemClock, type Clock } from "../partner-api/rate-limiter.js";
import type { Notice } from "./notice.js";
import { SettingsReader, type ConfigSource, type Settings } from "./settings.js";

/** For how many milliseconds an answer shows that the service can be reached. */
const REACHABLE_FOR = 30_000;

/** What a host provides to an {@link AccountSession}. */
export interface SessionOptions {
  /** @default the environment of this process */
  readonly env?: NodeJS.ProcessEnv;
  /** @default the system clock */
  readonly clock?: Clock;
  /** Milliseconds since the epoch, for dates in the state. @default `Date.now` */
  readonly currentTime?: () => number;
  /** Aborts when the process must stop. */
  readonly signal?: AbortSignal;
  /** Shows a message to the user. */
  readonly notify: (notice: Notice) => void;
  /** Shows one line of progress, in place of the one before. @default nothing is shown */
  readonly showStatus?: (text: string) => void;
  /** Shows one line for each request if `PARTNERS_DEBUG=1`. @default nothing is shown */
  readonly log?: (line: string) => void;
}

/**
 * What all handlers share: the settings, the client, and one response to the list of webhooks, unread. The
 * engine runs one process for each provider instance in each of its operations.
 */
export class AccountSession {
  readonly env: NodeJS.ProcessEnv;
  readonly currentTime: () => number;
  readonly notify: (notice: Notice) => void;
  readonly showStatus: (text: string) => void;
  /** The secrets of the settings, and the keys that the handlers read. */
  readonly secrets = new KnownSecrets();
  /** Whether a stack keeps what happens: not in `pulumi do`, where nobody can follow up on it. */
  hasStack = true;
  /** The settings as they are set, and their names. */
  settings: SettingsReader;
  readonly #clock: Clock;
  readonly #options: SessionOptions;
  #validSettings: Settings | null = null;
  #client: Promise<PartnerClient> | null = null;
  #list: { readonly requestedAt: number; readonly response: Promise<HttpResponse> } | null = null;
  /** When the Partner API last answered without the list, as in a refusal: there is no response to share. */
  #refusedAt = -Infinity;

  constructor(options: SessionOptions) {
    this.env = options.env ?? process.env;
    this.currentTime = options.currentTime ?? Date.now;
    this.notify = options.notify;
    this.showStatus = options.showStatus ?? (() => undefined);
    this.settings = new SettingsReader({ get: () => undefined }, this.env);
    this.#clock = options.clock ?? systemClock;
    this.#options = options;
  }

  /** Milliseconds of a clock that does not jump. */
  now(): number {
    return this.#clock.now();
  }

  /**
   * Sets the source of the settings. The caller may add settings that were not known yet, but change none: an
   * open client keeps its own.
   *
   * @param hasStack See {@link AccountSession.hasStack}.
   */
  configure(source: ConfigSource, hasStack = this.hasStack): void {
    this.hasStack = hasStack;
    this.settings = new SettingsReader(source, this.env, hasStack);
    this.#validSettings = null;
  }

  /** Returns the settings. @throws {PartnerError} that names everything that is missing or wrong. */
  readSettings(): Settings {
    if (this.#validSettings === null) {
      this.#validSettings = this.settings.read();
      this.secrets.addToken(this.#validSettings.accessToken);
      this.secrets.addHeaders(this.#validSettings.headers);
    }
    return this.#validSettings;
  }

  /** Returns the client, opening it on the first call. @throws {PartnerError} about the settings. */
  open(): Promise<PartnerClient> {
    return (this.#client ??= this.#open());
  }

  /**
   * Returns the response to the list of webhooks. All callers share one; a failure reaches those that wait
   * for it, and is never kept.
   *
   * @param notBefore When it must have been requested, at the earliest, by {@link now}. @default any time
   */
  async requestList(notBefore = -Infinity): Promise<HttpResponse> {
    const client = await this.open();
    if (this.#list === null || this.#list.requestedAt < notBefore) {
      const request = { requestedAt: this.now(), response: client.listWebhooks() };
      this.#list = request;
      request.response.catch(() => {
        if (this.#list === request) this.#list = null;
      });
    }
    return this.#list.response;
  }

  /**
   * Fails unless the Partner API answers at this address, before a creation that could be lost. A refusal is
   * an answer: a token may be allowed to create keys and not to list webhooks.
   */
  async assertReachable(): Promise<void> {
    await this.open(); // What is wrong with the settings or the proxy is no answer.
    const since = this.now() - REACHABLE_FOR;
    if (this.#refusedAt >= since) return;
    await this.requestList(since).catch((error: unknown) => {
      if (!(error instanceof PartnerError) || error.isUnreachable) throw error;
      this.#refusedAt = this.now();
    });
  }

  async #open(): Promise<PartnerClient> {
    const settings = this.readSettings();
    // Loaded late: undici fails to load on an old Node, and a process that only diffs does not need it.
    const { PartnerClient } = await import("../partner-api/client.js");
    return new PartnerClient({
      ...settings,
      settingName: this.settings.settingName,
      env: this.env,
      clock: this.#clock,
      secrets: this.secrets,
      signal: this.#options.signal,
      log: this.env["PARTNERS_DEBUG"] === "1" ? this.#options.log : undefined,
      showStatus: this.showStatus,
    });
  }
}
