import type { BaseUrl } from "../api/base-url.js";
import type { PartnerClient, Wait } from "../api/client.js";
import type { Clock } from "../api/clock.js";
import { SettingsError } from "../api/errors.js";
import type { ResponseMapping } from "../responses/mapping.js";
import type { Notice } from "./problems.js";
import {
  accountName,
  assertNodeVersion,
  isExplicit,
  readSettings,
  type ConfigSource,
  type Settings,
} from "./settings.js";
import { WebhookDeclarations } from "./webhook-declarations.js";
import { WebhookRegistry } from "./webhook-registry.js";

/** What a {@link PluginProcess} gets from its host. */
export interface ProcessOptions {
  /** @default that of this process */
  readonly env?: NodeJS.ProcessEnv;
  /** Tells the person who runs Pulumi. Called once for each notice, however often it comes up. */
  readonly warn: (notice: Notice) => void;
  /** Shows how far a change of many webhooks is; what it showed before is out of date. @default nobody is told */
  readonly progress?: (progress: Progress) => void;
  /** Shows what takes long, while it lasts. @default nothing is shown */
  readonly onWait?: (wait: Wait) => void;
  /** Aborted when the process is told to stop. */
  readonly signal?: AbortSignal;
  /** Milliseconds since the epoch. @default `Date.now` */
  readonly currentTime?: () => number;
  /** What the waits between requests go by. @default the system's time and chance */
  readonly clock?: Clock;
}

/** How far a change of many webhooks is. */
export interface Progress {
  /** The name of the account. */
  readonly account: string;
  /** Webhooks that are through, whether they could be changed or not. */
  readonly done: number;
  readonly total: number;
}

/** What is open once a request is needed. */
export interface Session {
  readonly settings: Settings;
  readonly client: PartnerClient;
  readonly webhooks: WebhookRegistry;
}

/**
 * All that the handlers of one plugin process share. A host creates one: the engine runs one process for each provider instance
 * and operation.
 */
export class PluginProcess {
  /** Milliseconds since the epoch. */
  readonly currentTime: () => number;
  /** What the program manages in this run: a deletion leaves it alone, so that a rename undoes nothing. */
  readonly declarations = new WebhookDeclarations();
  readonly #options: ProcessOptions;
  readonly #env: NodeJS.ProcessEnv;
  readonly #told = new Set<string>();
  #source: ConfigSource = { get: () => undefined };
  #settings: Settings | SettingsError | null = null;
  #session: Promise<Session> | null = null;
  #client: PartnerClient | null = null;

  constructor(options: ProcessOptions) {
    this.#options = options;
    this.#env = options.env ?? process.env;
    this.currentTime = options.currentTime ?? (() => Date.now());
  }

  /** Stores where settings come from. Never throws; may be called again, always with the same settings. */
  configure(source: ConfigSource): void {
    this.#source = source;
    this.#settings = null;
  }

  /** The name of the account that this process works for. */
  get account(): string {
    return accountName(this.#source);
  }

  /** Whether the settings are the arguments of a `Provider`. */
  get isExplicit(): boolean {
    return isExplicit(this.#source);
  }

  /** The operations that have been sent and not been answered yet, by name. */
  get pendingOperations(): readonly string[] {
    return this.#client?.pendingOperations ?? [];
  }

  /** A variable of the environment, trimmed of nothing; `undefined` if it is not set, or empty. */
  variable(name: string): string | undefined {
    return this.#env[name] || undefined;
  }

  /** The settings or, where they are missing or wrong, all that is wrong with them. */
  get settings(): Settings | SettingsError {
    this.#settings ??= readAll(this.#source, this.#env);
    return this.#settings;
  }

  /** Where things are in responses; nothing is known where the settings cannot be read. */
  get mapping(): ResponseMapping {
    return this.settings instanceof SettingsError ? {} : this.settings.responses;
  }

  /** The address that this process works with, as it can be kept in state; `null` where the settings cannot be read. */
  get server(): string | null {
    return this.settings instanceof SettingsError ? null : addressOf(this.settings.baseUrl);
  }

  /** The address that the same account had before, if the settings say so. */
  get previousServer(): string | null {
    return this.settings instanceof SettingsError ? null : addressOf(this.settings.previousBaseUrl);
  }

  /** Opens the session at its first use. @throws {SettingsError} */
  open(): Promise<Session> {
    this.#session ??= this.#open();
    return this.#session;
  }

  /** Tells the person who runs Pulumi, once. */
  warn(notice: Notice): void {
    const facts = JSON.stringify(notice);
    if (this.#told.has(facts)) return;
    this.#told.add(facts);
    this.#options.warn(notice);
  }

  /** Shows how far a change of many webhooks is. */
  progress(progress: Progress): void {
    this.#options.progress?.(progress);
  }

  async #open(): Promise<Session> {
    const { settings } = this;
    if (settings instanceof SettingsError) throw settings;
    // Loaded late: undici fails to load on a Node that is too old, and a process that only diffs needs none of it.
    const { createClient } = await import("../api/client.js");
    const { signal, clock, onWait } = this.#options;
    const client = createClient({
      ...settings,
      ...(signal && { signal }),
      ...(clock && { clock }),
      ...(onWait && { onWait }),
      ...debugLog(this.#env, this.isExplicit ? ` account=${JSON.stringify(this.account)}` : ""),
    });
    this.#client = client;
    return { settings, client, webhooks: new WebhookRegistry(client, this.currentTime) };
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

/** The client's log: a line for each attempt on stderr, if `PARTNERS_DEBUG` is 1. @param suffix For each line. */
export function debugLog(env: NodeJS.ProcessEnv, suffix = ""): { readonly log?: (line: string) => void } {
  if (env["PARTNERS_DEBUG"] !== "1") return {};
  return { log: (line) => void process.stderr.write(`${line}${suffix}\n`) };
}
