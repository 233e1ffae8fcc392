import type { ClientOptions } from "../api/client.js";
import type { BaseUrl } from "../api/connections.js";
import { SettingsError, type PairedSetting, type SettingProblem, type SettingRule } from "../api/errors.js";
import { API_ROOT, isVisibleAscii } from "../api/operations.js";
import { readMapping, type ResponseMapping } from "../responses/mapping.js";
import { ACCOUNT_KEY, DEFAULT_ACCOUNT, EXPLICIT_KEY, type SettingName } from "../registration.js";

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
  /** The address of the account, as the state records it; then its previous address, if it has moved. */
  readonly servers: readonly [string, ...string[]];
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
  const baseUrl = reader.address("baseUrl", reader.required("baseUrl"));
  const previousBaseUrl = reader.address("previousBaseUrl", reader.text("previousBaseUrl"));
  const accessToken = reader.required("accessToken");
  // Laxer than RFC 6750 (2.1), but it rules out header injection and catches a stray newline.
  if (accessToken !== null && !isVisibleAscii(accessToken, 8192))
    reader.refuse("accessToken", "visibleAscii");
  const settings = {
    requestTimeout: (reader.number("requestTimeout", 0.001, 86_400) ?? 30) * 1000,
    operationTimeout: (reader.number("operationTimeout", 0.001, 86_400) ?? 120) * 1000,
    maxConnections: reader.number("maxConnections", 1, 1024) ?? 16,
    requestsPerSecond: reader.number("requestsPerSecond", 0.001, 1000),
    refreshBeforeUpdate: reader.flag("refreshBeforeUpdate"),
    responses: readMapping(reader.text("responses") ?? "{}", (setting, rule) => {
      reader.refuse(setting, rule);
    }),
  };
  const problems = [...reader.problems, ...separatedPair(source, env)];
  if (problems.length > 0 || baseUrl === null || accessToken === null) throw new SettingsError(problems);
  const previous = previousBaseUrl === null ? [] : [addressOf(previousBaseUrl)];
  return { ...settings, baseUrl, accessToken, servers: [addressOf(baseUrl), ...previous] };
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
    return this.#source.get(`partners:${setting}`) || fromEnvironment(setting, this.#env) || null;
  }

  required(setting: SettingName): string | null {
    const text = this.text(setting);
    if (text === null) this.problems.push({ kind: "missing", setting });
    return text;
  }

  /** @param text The value of the setting. */
  address(setting: SettingName, text: string | null): BaseUrl | null {
    const parsed = text === null ? null : parseBaseUrl(text);
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

  flag(setting: SettingName): boolean {
    const text = this.text(setting);
    if (text !== null && text !== "true" && text !== "false") this.refuse(setting, "flag");
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

/** Returns the parts of a base URL, or the rule that it breaks. */
export function parseBaseUrl(text: string): BaseUrl | (SettingRule & string) {
  if (!URL.canParse(text)) return "url";
  const { protocol, username, password, hostname, origin, pathname } = new URL(text);
  const loopback = LOOPBACK.test(hostname);
  if (username !== "" || password !== "") return "noCredentials";
  if (protocol !== "https:" && (protocol !== "http:" || !loopback)) return "https";
  if (text.includes("?") || text.includes("#")) return "noQuery";
  const prefix = pathname.replace(/\/{1,64}$/, "");
  if (prefix.endsWith(API_ROOT)) return "noApiRoot";
  return { origin, prefix, loopback };
}

/**
 * Finds an address and a token that do not belong together: a pipeline sets `PARTNERS_BASE_URL` and
 * `PARTNERS_ACCESS_TOKEN` for all of its stacks, and the file of one stack replaces only one of the two.
 * Then, a token could reach the server of another account.
 */
function separatedPair(source: ConfigSource, env: NodeJS.ProcessEnv): SettingProblem[] {
  const configured = (name: PairedSetting): string | undefined => source.get(`partners:${name}`);
  const [replaced, kept]: [PairedSetting, PairedSetting] = configured("baseUrl")
    ? ["baseUrl", "accessToken"]
    : ["accessToken", "baseUrl"];
  const variable = fromEnvironment(replaced, env);
  const isPair = variable && fromEnvironment(kept, env) && !isExplicit(source);
  const isHalf = configured(replaced) && !configured(kept);
  if (!isPair || !isHalf || variable === configured(replaced)) return [];
  return [{ kind: "separatedPair", replaced, kept }];
}

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
  if (version.localeCompare(MIN_NODE, "en", { numeric: true }) >= 0) return;
  throw new SettingsError([{ kind: "oldNode", version, minimum: MIN_NODE }]);
}
