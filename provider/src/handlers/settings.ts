import gte from "semver/functions/gte.js";

import { parseBaseUrl, type BaseUrl } from "../api/base-url.js";
import type { ClientOptions } from "../api/client.js";
import { SettingsError, type SettingProblem } from "../api/errors.js";
import { parseResponseMapping, type ResponseMapping } from "../responses/mapping.js";
import { ACCOUNT_KEY, DEFAULT_ACCOUNT, EXPLICIT_KEY, type SettingName } from "../setting-names.js";

/** Where the values of settings come from: what a host hands over when it configures the plugin. */
export interface ConfigSource {
  /** Returns the decrypted value of a key such as `partners:baseUrl`. */
  get(key: string): string | undefined;
}

/** The settings of one account, checked: what a client is made of, except for what the process adds. */
export interface Settings extends Omit<ClientOptions, "clock" | "signal" | "log" | "onWait"> {
  /** Where the account was before `baseUrl`; `null` if it has not moved. */
  readonly previousBaseUrl: BaseUrl | null;
}

/** The value of a setting, and which of the two places it is from. */
export interface FoundSetting {
  readonly value: string;
  readonly from: "configuration" | "environment";
}

/**
 * Reads the settings: stack configuration first, then the environment. An explicit provider has its arguments only, as falling
 * back to the environment would send the token of one account to the server of another.
 *
 * @throws {SettingsError} that names everything that is missing or wrong.
 */
export function readSettings(source: ConfigSource, env: NodeJS.ProcessEnv): Settings {
  const problems: SettingProblem[] = [];
  const value = (setting: SettingName): string | null => findSetting(setting, source, env)?.value ?? null;
  const number = <Fallback extends number | null>(
    setting: SettingName,
    fallback: Fallback,
    most: number,
    unit = "",
  ): number | Fallback => {
    const text = value(setting);
    if (text === null) return fallback;
    const parsed = text.trim() === "" ? NaN : Number(text);
    if (parsed > 0 && parsed <= most) return parsed;
    problems.push({
      kind: "invalid",
      setting,
      text: `must be a number above 0 and at most ${most}${unit}`,
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
    maxConnections: Math.ceil(number("maxConnections", 16, 1024)),
    requestsPerSecond: number("requestsPerSecond", null, 100_000),
    responses: readMapping(value("responses"), problems),
  };
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

function readAccessToken(token: string | null, problems: SettingProblem[]): string | null {
  const setting = "accessToken";
  // RFC 6750 (2.1) allows less; this much keeps a header from being split and a stray newline from going unnoticed.
  if (token !== null && /^[\x21-\x7e]{1,8192}$/.test(token)) return token;
  const text = "must contain only visible ASCII characters; check for white space or a newline at its ends";
  problems.push(token === null ? { kind: "missing", setting } : { kind: "invalid", setting, text });
  return null;
}

function readMapping(value: string | null, problems: SettingProblem[]): ResponseMapping {
  const parsed = parseResponseMapping(value ?? {});
  for (const { member, text } of parsed.problems)
    problems.push({ kind: "invalid", setting: member === null ? "responses" : `responses.${member}`, text });
  return parsed.mapping;
}

/** Looks a setting up; an empty one counts as not set. @returns `null` if it is set nowhere. */
export function findSetting(
  name: SettingName,
  source: ConfigSource,
  env: NodeJS.ProcessEnv,
): FoundSetting | null {
  const configured = source.get(`partners:${name}`);
  if (configured) return { value: configured, from: "configuration" };
  const value = isExplicit(source) ? undefined : env[variableOf(name)];
  return value ? { value, from: "environment" } : null;
}

/** The environment variable of a setting: `baseUrl` → `PARTNERS_BASE_URL`. */
export function variableOf(name: string): string {
  return `PARTNERS_${name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`;
}

/** The name of the account: the input by which a resource that moves to another account is noticed. */
export function accountName(source: ConfigSource): string {
  return source.get(ACCOUNT_KEY) || DEFAULT_ACCOUNT; // An empty one counts as not set.
}

/** Whether the settings are the arguments of a `Provider`. */
export function isExplicit(source: ConfigSource): boolean {
  return source.get(EXPLICIT_KEY) === "true";
}

/** What undici 8 asks for in its package.json. */
const OLDEST_NODE = "22.19.0";

/** @throws {SettingsError} if this Node cannot run undici. */
export function assertNodeVersion(version: string): void {
  if (gte(version, OLDEST_NODE)) return;
  const text = `Node ${version} is too old. Install Node ${OLDEST_NODE} or newer, and put it on the PATH of the Pulumi CLI.`;
  throw new SettingsError([{ kind: "environment", text }]);
}
