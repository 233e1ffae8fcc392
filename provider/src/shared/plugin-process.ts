import type { ClientOptions } from "../api/client.js";
import type { ChangingOperation } from "../api/operations.js";
import { systemClock } from "../api/rate-limiter.js";
import { KeyHolders, type KeyEntry } from "../keys/key-holders.js";
import { DeletedKeys } from "../keys/deleted-keys.js";
import type { Journal } from "./journal.js";
import { interpretResponses, type PartnerService } from "./partner-service.js";
import type { Notice } from "./problems.js";
import { GONE_KEYS } from "../setting-names.js";
import {
  accountName,
  isExplicit,
  readSettings,
  settingOrigins,
  type ConfigSource,
  type Settings,
} from "./settings.js";
import { WebhookRegistry } from "../webhooks/webhook-registry.js";
import { DeclaredWebhooks } from "../webhooks/webhook-release.js";
import type { JournalEntry } from "../webhooks/run-claims.js";

/** Milliseconds by which clocks may differ. A time zone that is taken for UTC makes an hour. */
const CLOCK_TOLERANCE = 3_600_000;

/** What a host provides to a {@link PluginProcess}. */
export interface ProcessOptions extends Pick<
  ClientOptions,
  "clock" | "signal" | "log" | "onWait" | "remainingTime"
> {
  /** @default the environment of this process */
  readonly env?: NodeJS.ProcessEnv;
  /** Shows a warning to the user. Called once per distinct notice. */
  readonly warn: (notice: Notice) => void;
  /**
   * Shows how many changes to webhooks are finished, replacing what it showed before.
   *
   * @default nothing is shown
   */
  readonly progress?: (done: number, total: number) => void;
  /** Connects the processes of one engine run. @default there are no other processes */
  readonly journal?: Journal<JournalEntry>;
  /** The same for keys. @default there are no other processes */
  readonly keyJournal?: Journal<KeyEntry>;
  /** Whether the engine can be told to read a resource before each preview and update. @default false */
  readonly canRefreshFirst?: boolean;
  /** Milliseconds since the epoch. @default `Date.now` */
  readonly currentTime?: () => number;
}

/** The client and the webhook registry, opened when the first request is needed. */
export interface Session {
  readonly client: PartnerService;
  readonly webhooks: WebhookRegistry;
}

/**
 * The state that all handlers of one plugin process share. A host creates one: the engine runs one process
 * per provider instance in each of its operations.
 */
export class PluginProcess {
  readonly env: NodeJS.ProcessEnv;
  readonly currentTime: () => number;
  /**
   * The keys of which a person says that they are gone, or were never created: their fingerprints, or the
   * times of their creation. Set for a single run, so a `Provider` has it from the environment as well.
   */
  readonly goneKeys: ReadonlySet<string>;
  readonly progress: (done: number, total: number) => void;
  readonly #options: ProcessOptions;
  readonly #shownNotices = new Set<string>();
  #source: ConfigSource = { get: () => undefined };
  #hasNoStack = false;
  #settings: Settings | null = null;
  #session: Promise<Session> | null = null;
  #client: PartnerService | null = null;
  #declaredWebhooks: DeclaredWebhooks | null = null;
  #deletedKeys: DeletedKeys | null = null;
  #keyHolders: KeyHolders | null = null;

  constructor(options: ProcessOptions) {
    this.#options = options;
    this.env = options.env ?? process.env;
    this.currentTime = options.currentTime ?? (() => Date.now());
    this.goneKeys = new Set(this.env[GONE_KEYS]?.split(/[\s,]+/).filter((name) => name !== ""));
    this.progress = options.progress ?? (() => undefined);
  }

  /**
   * Sets the source of the settings. Never throws. May be called again, always with the same settings.
   *
   * @param hasNoStack See {@link hasNoStack}.
   */
  configure(source: ConfigSource, hasNoStack = false): void {
    this.#source = source;
    this.#hasNoStack = hasNoStack;
    this.#settings = null;
  }

  /**
   * Whether there is no stack that could keep anything, as in `pulumi do`. Then, only the list, which may
   * lag, tells what earlier commands have changed.
   */
  get hasNoStack(): boolean {
    return this.#hasNoStack;
  }

  get account(): string {
    return accountName(this.#source);
  }

  get isExplicit(): boolean {
    return isExplicit(this.#source);
  }

  /** Where the value of each setting comes from, for messages. */
  get settingOrigins(): ReturnType<typeof settingOrigins> {
    return settingOrigins(this.#source, this.env);
  }

  /** See {@link ProcessOptions.canRefreshFirst}. */
  get canRefreshFirst(): boolean {
    return this.#options.canRefreshFirst ?? false;
  }

  /** Which webhooks the program declares, and which are released. Only a stack with webhooks needs it. */
  get declaredWebhooks(): DeclaredWebhooks {
    return (this.#declaredWebhooks ??= new DeclaredWebhooks(this, this.#options.journal ?? null));
  }

  /** The keys that this process has deleted. */
  get deletedKeys(): DeletedKeys {
    return (this.#deletedKeys ??= new DeletedKeys());
  }

  /** Which resources have which keys. Only a stack with keys needs it. */
  get keyHolders(): KeyHolders {
    return (this.#keyHolders ??= new KeyHolders(this.#options.keyJournal ?? null, this));
  }

  /** Aborts when the process is asked to stop. */
  get signal(): AbortSignal | undefined {
    return this.#options.signal;
  }

  /** The names of the operations that are waiting for a response, and may change something. */
  get pendingChanges(): readonly ChangingOperation[] {
    const pending = this.#client?.pendingOperations() ?? [];
    return pending.filter((operation) => operation !== "listWebhooks");
  }

  /** By how many milliseconds this machine's clock is behind the service's; 0 if it is not hours off. */
  get clockError(): number {
    const offset = this.#client?.clockOffset() ?? 0;
    return Math.abs(offset) < CLOCK_TOLERANCE ? 0 : offset;
  }

  /**
   * Milliseconds since the epoch by this machine's clock or, if that is hours off, by the service's. One
   * wrong clock must not cut short or extend what all runs of a stack count on.
   */
  agreedTime(): number {
    return this.currentTime() + this.clockError;
  }

  /** Returns the settings. @throws {SettingsError} that names everything that is missing or wrong. */
  readSettings(): Settings {
    if (this.#settings !== null) return this.#settings;
    this.#settings = readSettings(this.#source, this.env);
    const { origin, loopback } = this.#settings.baseUrl;
    // Here, because a run that changes nothing may send no request, and must not pass for a safe one.
    if (origin.startsWith("http:") && !loopback) this.warn({ kind: "plainHttp", host: new URL(origin).host });
    return this.#settings;
  }

  /** Whether the webhook list is read. @throws {SettingsError} */
  get readsWebhooks(): boolean {
    return this.readSettings().readWebhooks;
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

  async #open(): Promise<Session> {
    const settings = this.readSettings();
    // Loaded late: undici fails to load on a Node that is too old, and a process that only diffs does not
    // need it.
    const { createClient } = await import("../api/client.js");
    const { baseUrl } = settings;
    const log = this.env["PARTNERS_DEBUG"] === "1" ? this.#options.log : undefined;
    const client = interpretResponses(
      createClient({ ...this.#options, ...settings, env: this.env, log }),
      settings,
    );
    this.#client = client;
    if (this.env["NODE_TLS_REJECT_UNAUTHORIZED"] === "0" && baseUrl.origin.startsWith("https:"))
      this.warn({ kind: "tlsNotVerified" });
    const service: PartnerService = {
      ...client,
      listWebhooks: async (first) => {
        const list = await client.listWebhooks(first);
        if (list.odd.length > 0) this.warn({ kind: "oddRecords", records: list.odd });
        return list;
      },
    };
    const { clock = systemClock, signal, remainingTime } = this.#options;
    const webhooks = new WebhookRegistry(service, {
      currentTime: this.currentTime,
      sleep: (milliseconds) => clock.sleep(milliseconds, signal),
      timeLeft: () => remainingTime?.() ?? settings.operationTimeout,
      readsList: settings.readWebhooks,
    });
    return { client, webhooks };
  }
}
