import type { ClientOptions } from "../api/client.js";
import type { BaseUrl } from "../api/connections.js";
import { SettingsError, type SettingProblem } from "../api/errors.js";
import { API_ROOT, isVisibleAscii } from "../api/operations.js";
import { parseDocument } from "../json-text.js";
import { isArray, isObject, isScalar, parsePointer, type JsonScalar } from "../json.js";
import { asWord, type ResponseMapping } from "../responses/mapping.js";
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
  const problems: SettingProblem[] = [];
  /** Looks up a setting. An empty value counts as not set. */
  const find = (setting: SettingName): string | null => {
    const variable = isExplicit(source) ? undefined : env[variableOf(setting)];
    return source.get(`partners:${setting}`) || variable || null;
  };
  const refuse = (setting: string, text: string): null => {
    problems.push({ kind: "invalid", setting, text });
    return null;
  };
  const required = (setting: SettingName): string | null => {
    const text = find(setting);
    if (text === null) problems.push({ kind: "missing", setting });
    return text;
  };
  const address = (setting: SettingName, text: string | null): BaseUrl | null => {
    const parsed = text === null ? null : parseBaseUrl(text);
    return typeof parsed === "string" ? refuse(setting, parsed) : parsed;
  };
  const number = (setting: SettingName, min: number, max: number): number | null => {
    const text = find(setting);
    const value = text === null ? null : Number(text);
    if (value === null || (value >= min && value <= max)) return value;
    return refuse(setting, `must be a number from ${min} to ${max}`);
  };

  const flag = (setting: SettingName): boolean => {
    const text = find(setting);
    if (text !== null && text !== "true" && text !== "false") refuse(setting, `must be ${FLAG}`);
    return text === "true";
  };

  const baseUrl = address("baseUrl", required("baseUrl"));
  const previousBaseUrl = address("previousBaseUrl", find("previousBaseUrl"));
  const accessToken = required("accessToken");
  // Laxer than RFC 6750 (2.1), but it rules out header injection and catches a stray newline.
  if (accessToken !== null && !isVisibleAscii(accessToken, 8192))
    refuse("accessToken", 'must contain only visible ASCII characters: no spaces, no newlines, no "Bearer"');
  const settings = {
    requestTimeout: (number("requestTimeout", 0.001, 86_400) ?? 30) * 1000,
    operationTimeout: (number("operationTimeout", 0.001, 86_400) ?? 120) * 1000,
    maxConnections: number("maxConnections", 1, 1024) ?? 16,
    requestsPerSecond: number("requestsPerSecond", 0.001, 1000),
    refreshBeforeUpdate: flag("refreshBeforeUpdate"),
    responses: readMapping(find("responses"), refuse),
  };
  problems.push(...separatedPair(source, env));
  if (problems.length > 0 || baseUrl === null || accessToken === null) throw new SettingsError(problems);
  const previous = previousBaseUrl === null ? [] : [addressOf(previousBaseUrl)];
  return { ...settings, baseUrl, accessToken, servers: [addressOf(baseUrl), ...previous] };
}

function addressOf({ origin, prefix }: BaseUrl): string {
  return origin + prefix;
}

/** As the URL parser writes them. Names other than `localhost` could resolve to anything. */
const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/**
 * Returns the parts of a base URL, or its problem. The problem never repeats the URL, which may contain
 * credentials.
 */
export function parseBaseUrl(text: string): BaseUrl | string {
  if (!URL.canParse(text)) return "is not a URL; it looks like https://partners.example.com";
  const { protocol, username, password, hostname, origin, pathname } = new URL(text);
  const loopback = LOOPBACK.test(hostname);
  if (username !== "" || password !== "")
    return "must not contain a user name or password; the access token is a separate setting";
  if (protocol !== "https:" && (protocol !== "http:" || !loopback))
    return "must start with https://; plain http:// would send the access token unencrypted and is allowed only for this machine";
  if (text.includes("?") || text.includes("#")) return "must not contain a query or a fragment";
  const prefix = pathname.replace(/\/{1,64}$/, "");
  if (prefix.endsWith(API_ROOT)) return `must not include ${API_ROOT}, which is added automatically`;
  return { origin, prefix, loopback };
}

/**
 * An address and a token in the environment belong together. If stack configuration replaces only one of
 * them, a token could reach the server of another account.
 */
function separatedPair(source: ConfigSource, env: NodeJS.ProcessEnv): SettingProblem[] {
  const configured = (name: string): string | undefined => source.get(`partners:${name}`);
  const [name, other] = configured("baseUrl") ? ["baseUrl", "accessToken"] : ["accessToken", "baseUrl"];
  const replaced = env[variableOf(name)];
  const isPair = replaced && env[variableOf(other)] && !isExplicit(source);
  const isHalf = configured(name) && !configured(other);
  if (!isPair || !isHalf || replaced === configured(name)) return [];
  const text = `partners:${name} replaces ${variableOf(name)} but not ${variableOf(other)}, so a token could reach the wrong server. Set partners:${other} as well.`;
  return [{ kind: "environment", text }];
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
  const text = `Node ${version} is too old. Install Node ${MIN_NODE} or newer, and put it on the PATH of the Pulumi CLI.`;
  throw new SettingsError([{ kind: "environment", text }]);
}

const POINTER = 'a JSON Pointer such as "/data/key"';
const WORDS = "a list of one or more strings, numbers, booleans or nulls";
const FLAG = "true or false";

/** What each member of `responses` must be. */
const MEMBERS: Readonly<Record<keyof ResponseMapping, string>> = {
  apiKey: POINTER,
  apiKeyId: POINTER,
  webhooks: POINTER,
  webhookId: POINTER,
  webhookState: POINTER,
  active: WORDS,
  disabled: WORDS,
  complete: FLAG,
};

/**
 * Reads the setting `responses` from JSON.
 *
 * @param refuse Records a problem, worded to follow the name of the setting.
 */
function readMapping(text: string | null, refuse: (setting: string, text: string) => void): ResponseMapping {
  const setting = text === null ? {} : parseDocument(text);
  if (!isObject(setting)) {
    refuse("responses", "must be a JSON object");
    return {};
  }
  const members = Object.entries(setting).filter(([, value]) => value !== null);
  const rules = new Map(Object.entries(MEMBERS));
  for (const [name, value] of members) {
    const rule = rules.get(name);
    // The name is not repeated, because it could be anything.
    if (!rule) refuse("responses", `has an unknown member; valid members: ${[...rules.keys()].join(", ")}`);
    else if (kindOf(value) !== rule) refuse(`responses.${name}`, `must be ${rule}`);
  }
  const [active, disabled] = [wordsOf(setting["active"]), wordsOf(setting["disabled"])];
  if (disabled.some((word) => active.includes(word)))
    refuse("responses.disabled", "must not have a value in common with responses.active");
  return Object.fromEntries(members);
}

function kindOf(value: unknown): string | null {
  if (isWordList(value)) return WORDS;
  if (typeof value === "boolean") return FLAG;
  return typeof value === "string" && parsePointer(value) !== null ? POINTER : null;
}

function isWordList(value: unknown): value is readonly JsonScalar[] {
  return isArray(value) && value.length > 0 && value.every(isScalar);
}

function wordsOf(value: unknown): string[] {
  return isWordList(value) ? value.map(asWord) : [];
}
