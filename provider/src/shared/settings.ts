import type { ClientOptions } from "../api/client.js";
import type { BaseUrl } from "../api/connections.js";
import { SettingsError, type PairedSetting, type SettingProblem, type SettingRule } from "../api/errors.js";
import { readHeaders, type ExtraHeaders } from "../api/extra-headers.js";
import { API_ROOT, isVisibleAscii } from "../api/operations.js";
import { readMapping, type ResponseMapping } from "../responses/mapping.js";
import {
  ACCOUNT_KEY,
  DEFAULT_ACCOUNT,
  EXPLICIT_KEY,
  SETTING_NAMES,
  type SettingName,
} from "../setting-names.js";

/** The source of settings that a host passes when it configures the plugin. */
export interface ConfigSource {
  /** Returns the decrypted value of a key such as `partners:baseUrl`. */
  get(key: string): string | undefined;
}

/** The validated settings of one account: the options of its client, without those that the process adds. */
export interface Settings extends Omit<ClientOptions, "clock" | "signal" | "log" | "onWait"> {
  readonly responses: ResponseMapping;
  /** Whether the engine reads each webhook resource before each preview and update. */
  readonly refreshBeforeUpdate: boolean;
  /** Whether the webhook list is read. */
  readonly readWebhooks: boolean;
  /** The address of the account, as the state records it; then its previous address, if it has moved. */
  readonly servers: readonly [string, ...string[]];
  /**
   * Tells accounts of one server apart: the access token and the headers, one of which may name a tenant. It
   * never leaves the process unhashed. Secret.
   */
  readonly identity: string;
}

/**
 * Reads the settings from stack configuration, then from the environment. An explicit provider uses only its
 * arguments: with a fallback to the environment, it could send the token of one account to the server of
 * another.
 *
 * @throws {SettingsError} that names everything that is missing or wrong.
 */
export function readSettings(source: ConfigSource, env: NodeJS.ProcessEnv): Settings {
  assertNodeVersion(process.versions.node);
  const reader = new SettingsReader(source, env);
  const allowsHttp = reader.flag("allowTokenOverPlainHttp");
  const baseUrl = reader.address("baseUrl", reader.required("baseUrl"), allowsHttp);
  // Nothing is sent there.
  const previousBaseUrl = reader.address("previousBaseUrl", reader.text("previousBaseUrl"), true);
  const accessToken = reader.required("accessToken");
  // Laxer than RFC 6750 (2.1), but it rules out header injection and catches a stray newline.
  if (accessToken !== null && !isVisibleAscii(accessToken, 8192))
    reader.refuse("accessToken", "visibleAscii");
  const headers = readHeaders(reader.text("headers") ?? "{}", (rule) => {
    reader.refuse("headers", rule);
  });
  const settings = {
    requestTimeout: (reader.number("requestTimeout", 0.001, 86_400) ?? 30) * 1000,
    operationTimeout: (reader.number("operationTimeout", 0.001, 86_400) ?? 120) * 1000,
    maxConnections: reader.number("maxConnections", 1, 1024) ?? 16,
    requestsPerSecond: reader.number("requestsPerSecond", 0.001, 1000),
    refreshBeforeUpdate: reader.flag("refreshBeforeUpdate"),
    readWebhooks: reader.flag("readWebhooks", true),
    responses: readMapping(reader.text("responses") ?? "{}", (setting, rule) => {
      reader.refuse(setting, rule);
    }),
  };
  if (settings.refreshBeforeUpdate && !settings.readWebhooks)
    reader.refuse("refreshBeforeUpdate", "needsList");
  const problems = [...reader.problems, ...separatedPairs(source, env)];
  if (problems.length > 0 || baseUrl === null || accessToken === null) throw new SettingsError(problems);
  const previous = previousBaseUrl === null ? [] : [addressOf(previousBaseUrl)];
  const servers = [addressOf(baseUrl), ...previous] as const;
  return { ...settings, baseUrl, accessToken, headers, servers, identity: identityOf(accessToken, headers) };
}

/** Where the value of a setting comes from. */
export type SettingOrigin = "configuration" | "environment";

/**
 * Returns the origin of each setting that has a value, valid or not. The settings of an explicit provider are
 * all its arguments.
 */
export function settingOrigins(
  source: ConfigSource,
  env: NodeJS.ProcessEnv,
): Readonly<Partial<Record<string, SettingOrigin>>> {
  const reader = new SettingsReader(source, env);
  return Object.fromEntries(
    SETTING_NAMES.flatMap((setting) => {
      const found = reader.find(setting);
      return found === null ? [] : [[setting, found.origin]];
    }),
  );
}

function identityOf(accessToken: string, headers: ExtraHeaders): string {
  const names = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
  return names.length === 0 ? accessToken : JSON.stringify([accessToken, ...names.sort()]);
}

/** Reads settings of each type, and collects their problems. What is missing or wrong is `null`. */
class SettingsReader {
  readonly problems: SettingProblem[] = [];
  readonly #source: ConfigSource;
  readonly #env: NodeJS.ProcessEnv;

  constructor(source: ConfigSource, env: NodeJS.ProcessEnv) {
    this.#source = source;
    this.#env = isExplicit(source) ? {} : env;
  }

  /** Returns a setting; `null` if it is not set. An empty value counts as not set. */
  text(setting: SettingName): string | null {
    return this.find(setting)?.text ?? null;
  }

  /** Returns a setting with its origin. */
  find(setting: SettingName): { readonly text: string; readonly origin: SettingOrigin } | null {
    const configured = this.#source.get(`partners:${setting}`);
    if (configured) return { text: configured, origin: "configuration" };
    const text = fromEnvironment(setting, this.#env);
    return text ? { text, origin: "environment" } : null;
  }

  required(setting: SettingName): string | null {
    const text = this.text(setting);
    if (text === null) this.problems.push({ kind: "missing", setting });
    return text;
  }

  /** @param text The value of the setting. @param allowsHttp See {@link parseBaseUrl}. */
  address(setting: SettingName, text: string | null, allowsHttp: boolean): BaseUrl | null {
    const parsed = text === null ? null : parseBaseUrl(text, allowsHttp);
    if (typeof parsed !== "string") return parsed;
    this.refuse(setting, parsed);
    return null;
  }

  number(setting: SettingName, min: number, max: number): number | null {
    const text = this.text(setting);
    const value = text === null ? null : Number(text);
    if (value === null || (value >= min && value <= max)) return value;
    this.refuse(setting, { min, max });
    return null;
  }

  flag(setting: SettingName, byDefault = false): boolean {
    const text = this.text(setting) ?? String(byDefault);
    if (text !== "true" && text !== "false") this.refuse(setting, "flag");
    return text === "true";
  }

  /** @param setting A setting, or a member of `responses`. */
  refuse(setting: string, rule: SettingRule): void {
    this.problems.push({ kind: "invalid", setting, rule });
  }
}

function addressOf({ origin, prefix }: BaseUrl): string {
  return origin + prefix;
}

/** As the URL parser writes them. Names other than `localhost` could resolve to anything. */
const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/**
 * Returns the parts of a base URL, or the rule that it breaks.
 *
 * @param allowsHttp Whether it may be an `http://` address of another machine. @default false
 */
export function parseBaseUrl(text: string, allowsHttp = false): BaseUrl | (SettingRule & string) {
  if (!URL.canParse(text)) return "url";
  const { protocol, username, password, hostname, origin, pathname } = new URL(text);
  const loopback = LOOPBACK.test(hostname);
  if (username !== "" || password !== "") return "noCredentials";
  if (protocol !== "https:" && (protocol !== "http:" || !(loopback || allowsHttp))) return "https";
  if (text.includes("?") || text.includes("#")) return "noQuery";
  const prefix = pathname.replace(/\/{1,64}$/, "");
  if (prefix.endsWith(API_ROOT)) return "noApiRoot";
  return { origin, prefix, loopback };
}

/**
 * Finds an address and a secret that do not belong together: a pipeline sets `PARTNERS_BASE_URL`,
 * `PARTNERS_ACCESS_TOKEN` and `PARTNERS_HEADERS` for all of its stacks, and the file of one stack replaces
 * only some of them. Then, a secret could reach the server of another account. Headers alone may be replaced:
 * each stack may have its own tenant.
 */
function separatedPairs(source: ConfigSource, env: NodeJS.ProcessEnv): SettingProblem[] {
  if (isExplicit(source)) return [];
  const configured = (name: PairedSetting): string | undefined => source.get(`partners:${name}`);
  return PAIRS.flatMap(([replaced, kept]) => {
    const variable = fromEnvironment(replaced, env);
    const isPair = variable && fromEnvironment(kept, env);
    const isHalf = configured(replaced) && !configured(kept);
    if (!isPair || !isHalf || variable === configured(replaced)) return [];
    return [{ kind: "separatedPair", replaced, kept }];
  });
}

const PAIRS: readonly (readonly [replaced: PairedSetting, kept: PairedSetting])[] = [
  ["baseUrl", "accessToken"],
  ["baseUrl", "headers"],
  ["accessToken", "baseUrl"],
];

/** Returns a setting without its last newline: secrets that are mounted as files end with one. */
function fromEnvironment(setting: SettingName, env: NodeJS.ProcessEnv): string | undefined {
  return env[variableOf(setting)]?.replace(/\r?\n$/, "");
}

/** Returns the environment variable of a setting: `PARTNERS_BASE_URL` for `baseUrl`. */
export function variableOf(name: string): string {
  return `PARTNERS_${name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`;
}

/**
 * Returns the name of the account. Resources keep it as an input, which changes when they move to another
 * account.
 */
export function accountName(source: ConfigSource): string {
  return source.get(ACCOUNT_KEY) || DEFAULT_ACCOUNT; // An empty name counts as not set.
}

/** Whether the settings are the arguments of a `Provider`. */
export function isExplicit(source: ConfigSource): boolean {
  return source.get(EXPLICIT_KEY) === "true";
}

/** The minimum that undici 8 declares in its package.json. */
const MIN_NODE = "22.19.0";

/** @throws {SettingsError} if this version of Node cannot run undici. */
export function assertNodeVersion(version: string): void {
  if (isAtLeast(version, MIN_NODE)) return;
  throw new SettingsError([{ kind: "oldNode", version, minimum: MIN_NODE }]);
}

/** Compares versions. `localeCompare` would load the tables of all languages, for 7 ms of each process. */
function isAtLeast(version: string, minimum: string): boolean {
  const [own, least] = [numbersIn(version), numbersIn(minimum)];
  const place = least.findIndex((number, index) => number !== own[index]);
  return place === -1 || (own[place] ?? 0) > (least[place] ?? 0);
}

function numbersIn(version: string): number[] {
  return version.split(".").map((part) => parseInt(part, 10));
}
