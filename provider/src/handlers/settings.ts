import type { ClientOptions } from "../api/client.js";
import type { BaseUrl } from "../api/connections.js";
import { SettingsError, type SettingProblem } from "../api/errors.js";
import { API_ROOT, isVisibleAscii } from "../api/operations.js";
import { isArray, isObject, isScalar, parseDocument, parsePointer } from "../json.js";
import { asWord, type ResponseMapping } from "../responses/mapping.js";
import { ACCOUNT_KEY, DEFAULT_ACCOUNT, EXPLICIT_KEY, type SettingName } from "../setting-names.js";

/** The source of settings that a host passes when it configures the plugin. */
export interface ConfigSource {
  /** Returns the decrypted value of a key such as `partners:baseUrl`. */
  get(key: string): string | undefined;
}

/** The validated settings of one account: the options of its client, without those that the process adds. */
export interface Settings extends Omit<ClientOptions, "clock" | "signal" | "log" | "onWait"> {
  readonly responses: ResponseMapping;
  /** The address of the account before it moved to `baseUrl`; `null` if it has not moved. */
  readonly previousBaseUrl: BaseUrl | null;
}

/**
 * Reads the settings from stack configuration, then from the environment. An explicit provider uses only its arguments: with a
 * fallback to the environment, it could send the token of one account to the server of another.
 *
 * @throws {SettingsError} that names everything that is missing or wrong.
 */
export function readSettings(source: ConfigSource, env: NodeJS.ProcessEnv): Settings {
  const problems: SettingProblem[] = [];
  const value = (setting: SettingName): string | null => findSetting(setting, source, env)?.value ?? null;
  const number = <Fallback extends number | null>(
    setting: SettingName,
    fallback: Fallback,
    max: number,
    unit = "",
  ): number | Fallback => {
    const text = value(setting);
    if (text === null) return fallback;
    const parsed = Number(text);
    const isCount = setting === "maxConnections";
    if (parsed > 0 && parsed <= max && (!isCount || Number.isInteger(parsed))) return parsed;
    const what = isCount ? "a whole number" : "a number";
    problems.push({
      kind: "invalid",
      setting,
      text: `must be ${what} above 0 and at most ${max}${unit}`,
    });
    return fallback;
  };

  const settings = {
    baseUrl: readBaseUrl("baseUrl", value, problems),
    previousBaseUrl:
      value("previousBaseUrl") === null ? null : readBaseUrl("previousBaseUrl", value, problems),
    accessToken: readAccessToken(value("accessToken"), problems),
    requestTimeout: number("requestTimeout", 30, 3600, " seconds") * 1000,
    operationTimeout: number("operationTimeout", 120, 86_400, " seconds") * 1000,
    maxConnections: number("maxConnections", 16, 1024),
    requestsPerSecond: number("requestsPerSecond", null, 100_000),
    responses: readMapping(value("responses"), problems),
  };
  problems.push(...separatedPair(source, env));
  const { baseUrl, accessToken } = settings;
  if (problems.length > 0 || baseUrl === null || accessToken === null) throw new SettingsError(problems);
  return { ...settings, baseUrl, accessToken };
}

function readBaseUrl(
  setting: SettingName,
  value: (setting: SettingName) => string | null,
  problems: SettingProblem[],
): BaseUrl | null {
  const text = value(setting);
  const parsed = text === null ? null : parseBaseUrl(text);
  if (parsed === null) problems.push({ kind: "missing", setting });
  else if ("problem" in parsed) problems.push({ kind: "invalid", setting, text: parsed.problem });
  else return parsed;
  return null;
}

/** As the URL parser writes them. Names other than `localhost` could resolve to anything. */
const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/**
 * Parses a base URL.
 *
 * @returns The parts, or the problem, worded to follow "the base URL". The problem never repeats the URL, which may
 * contain credentials.
 */
export function parseBaseUrl(text: string): BaseUrl | { readonly problem: string } {
  if (!URL.canParse(text)) return { problem: "is not a URL; it looks like https://partners.example.com" };
  const { protocol, username, password, hostname, origin, pathname } = new URL(text);
  const loopback = LOOPBACK.test(hostname);
  if (username !== "" || password !== "")
    return { problem: "must not contain a user name or password; the access token is a separate setting" };
  if (protocol !== "https:" && (protocol !== "http:" || !loopback)) {
    return {
      problem:
        "must start with https://; plain http:// would send the access token unencrypted and is allowed only for this machine",
    };
  }
  if (text.includes("?") || text.includes("#")) return { problem: "must not contain a query or a fragment" };
  const prefix = pathname.replace(/\/{1,64}$/, "");
  if (prefix.endsWith(API_ROOT))
    return { problem: `must not include ${API_ROOT}, which is added automatically` };
  return { origin, prefix, loopback };
}

function readAccessToken(token: string | null, problems: SettingProblem[]): string | null {
  const setting = "accessToken";
  const text = 'must contain only visible ASCII characters: no spaces, no newlines, and no "Bearer" in front';
  if (token === null) problems.push({ kind: "missing", setting });
  // Laxer than RFC 6750 (2.1), but it rules out header injection and catches a stray newline.
  else if (isVisibleAscii(token, 8192)) return token;
  else problems.push({ kind: "invalid", setting, text });
  return null;
}

/**
 * An address and a token in the environment belong together. If stack configuration replaces only one of them, a token could
 * reach the server of another account.
 */
function separatedPair(source: ConfigSource, env: NodeJS.ProcessEnv): SettingProblem[] {
  const [baseUrl, token] = [findSetting("baseUrl", source, env), findSetting("accessToken", source, env)];
  if (!baseUrl || !token || baseUrl.from === token.from) return [];
  const isAddress = baseUrl.from === "configuration";
  const [name, other] = isAddress ? ["baseUrl", "accessToken"] : ["accessToken", "baseUrl"];
  const replaced = env[variableOf(name)];
  if (!replaced || replaced === (isAddress ? baseUrl : token).value) return [];
  const text = `partners:${name} replaces ${variableOf(name)} but not ${variableOf(other)}, so a token could reach the wrong server. Set partners:${other} as well.`;
  return [{ kind: "environment", text }];
}

function readMapping(value: string | null, problems: SettingProblem[]): ResponseMapping {
  const parsed = parseResponseMapping(value ?? {});
  for (const { member, text } of parsed.problems)
    problems.push({ kind: "invalid", setting: member === null ? "responses" : `responses.${member}`, text });
  return parsed.mapping;
}

/** Looks up a setting. An empty value counts as not set. @returns `null` if the setting is not set. */
export function findSetting(
  name: SettingName,
  source: ConfigSource,
  env: NodeJS.ProcessEnv,
): { readonly value: string; readonly from: "configuration" | "environment" } | null {
  const configured = source.get(`partners:${name}`);
  if (configured) return { value: configured, from: "configuration" };
  const value = isExplicit(source) ? undefined : env[variableOf(name)];
  return value ? { value, from: "environment" } : null;
}

/** Returns the environment variable of a setting: `PARTNERS_BASE_URL` for `baseUrl`. */
export function variableOf(name: string): string {
  return `PARTNERS_${name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`;
}

/** Returns the name of the account. Resources keep it as an input, which changes when they move to another account. */
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

/** A problem with a member of the setting `responses`. */
interface MappingProblem {
  /** The name of the member; `null` if the whole setting is invalid. Unknown names are shown only if they are short and plain. */
  readonly member: string | null;
  /** The problem, worded to follow the name of the setting, such as `must be a list`. Never repeats a value. */
  readonly text: string;
}

const POINTER = { accepts: isPointer, text: 'must be a JSON Pointer such as "/data/key"' };
/** The whole document can be the key or the list, but not an ID or a state. */
const INNER_POINTER = { ...POINTER, accepts: (value: unknown) => isPointer(value) && value !== "" };
const WORD_LIST = {
  accepts: isWordList,
  text: "must be a list of one or more strings, numbers, booleans or nulls",
};
const FLAG = { accepts: (value: unknown) => typeof value === "boolean", text: "must be true or false" };

const MEMBERS: Readonly<Record<string, { accepts: (value: unknown) => boolean; text: string }>> = {
  apiKey: POINTER,
  apiKeyId: INNER_POINTER,
  webhooks: POINTER,
  webhookId: INNER_POINTER,
  webhookState: INNER_POINTER,
  active: WORD_LIST,
  disabled: WORD_LIST,
  complete: FLAG,
} satisfies Record<keyof ResponseMapping, unknown>;

/**
 * Parses the setting `responses`. Never throws.
 *
 * @param value An object, or the JSON text of one; `undefined` and `null` mean that the setting is not set.
 * @returns The valid members, and the problems of the others.
 * @example parseResponseMapping({ apiKey: "data.key" }).problems // [{ member: "apiKey", text: "must be a JSON Pointer …" }]
 */
export function parseResponseMapping(value: unknown): {
  readonly mapping: ResponseMapping;
  readonly problems: readonly MappingProblem[];
} {
  const setting = typeof value === "string" ? parseDocument(value) : (value ?? {});
  if (!isObject(setting)) return { mapping: {}, problems: [{ member: null, text: "must be a JSON object" }] };

  const members: Record<string, unknown> = {};
  const problems: MappingProblem[] = [];
  for (const [name, given] of Object.entries(setting)) {
    const member = Object.hasOwn(MEMBERS, name) ? MEMBERS[name] : undefined;
    // The CLI may store a flag as text.
    const value = member === FLAG && (given === "true" || given === "false") ? given === "true" : given;
    if (member === undefined) {
      const shown = /^[A-Za-z_-]{1,24}$/.test(name) ? name : "*";
      const names = Object.keys(MEMBERS).join(", ");
      problems.push({ member: shown, text: `is not a setting; use one of ${names}` });
    } else if (value !== null && value !== undefined) {
      if (member.accepts(value)) members[name] = value;
      else problems.push({ member: name, text: member.text });
    }
  }
  const mapping: ResponseMapping = members;
  const activeWords = new Set(mapping.active?.map(asWord));
  if (mapping.disabled?.some((word) => activeWords.has(asWord(word)))) {
    problems.push({ member: "disabled", text: "must not have a value in common with responses.active" });
    delete members["active"];
    delete members["disabled"];
  }
  return { mapping, problems };
}

function isPointer(value: unknown): boolean {
  return typeof value === "string" && parsePointer(value) !== null;
}

function isWordList(value: unknown): boolean {
  return isArray(value) && value.length > 0 && value.every(isScalar);
}
