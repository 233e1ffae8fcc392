import { parseBaseUrl, type BaseUrl } from "../api/base-url.js";
import { ConfigurationError } from "../api/errors.js";
import type { ClientOptions } from "../api/partner-client.js";
import { parseResponseMapping, type ResponseMapping } from "../api/responses.js";
import type { SettingName } from "../setting-names.js";
import { findSetting, isExplicit, variableOf, type ConfigSource } from "./setting-lookup.js";

/** The settings of one account, checked: what a client is made of, but for what the process adds. */
export type Settings = Omit<ClientOptions, "timing" | "signal" | "log" | "observe">;

/**
 * Reads the settings: stack configuration before environment. An explicit provider has its arguments only, as falling
 * back to the environment would send the token of one account to the server of another.
 *
 * @throws {ConfigurationError} that names everything that is missing or wrong.
 */
export function readSettings(config: ConfigSource, env: NodeJS.ProcessEnv): Settings {
  const reader = new SettingsReader(config, env);
  const settings = {
    baseUrl: reader.baseUrl(),
    accessToken: reader.accessToken(),
    requestTimeout: reader.number("requestTimeout", 30, 3600, " seconds") * 1000,
    operationTimeout: reader.number("operationTimeout", 120, 86_400, " seconds") * 1000,
    maxConnections: Math.ceil(reader.number("maxConnections", 16, 1024)),
    requestsPerSecond: reader.number("requestsPerSecond", null, 100_000),
    responses: reader.responses(),
  };
  if (reader.problems.length > 0 || settings.baseUrl === null || settings.accessToken === null) {
    const count = reader.problems.length === 1 ? "A setting is" : `${reader.problems.length} settings are`;
    throw new ConfigurationError(`${count} missing or wrong, so nothing was sent`, reader.problems.join(" "));
  }
  return { ...settings, baseUrl: settings.baseUrl, accessToken: settings.accessToken };
}

class SettingsReader {
  readonly problems: string[] = [];
  readonly #config: ConfigSource;
  readonly #env: NodeJS.ProcessEnv;
  readonly #explicit: boolean;

  constructor(config: ConfigSource, env: NodeJS.ProcessEnv) {
    this.#config = config;
    this.#env = env;
    this.#explicit = isExplicit(config);
  }

  baseUrl(): BaseUrl | null {
    const text = this.#required("baseUrl", "https://partners.example.com", "");
    if (text === null) return null;
    const parsed = parseBaseUrl(text);
    if (!("problem" in parsed)) return parsed;
    this.problems.push(`${this.#name("baseUrl")} ${parsed.problem}.`);
    return null;
  }

  accessToken(): string | null {
    const token = this.#required("accessToken", "", "--secret ");
    if (token === null) return null;
    // RFC 6750 (2.1) allows less; this much keeps a header from being split and a stray newline from going unnoticed.
    if (/^[\x21-\x7e]{1,8192}$/.test(token)) return token;
    this.problems.push(
      `${this.#name("accessToken")} must be of visible ASCII characters only: look for white space or a newline at its ends.`,
    );
    return null;
  }

  number<Fallback extends number | null>(
    key: SettingName,
    fallback: Fallback,
    most: number,
    unit: "" | " seconds" = "",
  ): number | Fallback {
    const text = this.#value(key);
    if (text === null) return fallback;
    const value = text.trim() === "" ? NaN : Number(text);
    if (value > 0 && value <= most) return value;
    this.problems.push(`${this.#name(key)} must be a number above 0 and at most ${most}${unit}.`);
    return fallback;
  }

  responses(): ResponseMapping {
    const { mapping, problems } = parseResponseMapping(this.#value("responses") ?? {});
    const where = this.#explicit ? "Of the Provider: " : "partners:";
    for (const problem of problems) this.problems.push(where + problem);
    return mapping;
  }

  #value(key: SettingName): string | null {
    return findSetting(key, this.#config, this.#env)?.value ?? null;
  }

  #required(key: SettingName, sample: string, flags: string): string | null {
    const value = this.#value(key);
    if (value !== null) return value;
    this.problems.push(
      this.#explicit
        ? `Give the Provider its argument ${key}; the environment is not consulted for an explicit provider.`
        : `Set ${key}: "pulumi config set ${flags}partners:${key}${sample && ` ${sample}`}", or the environment variable ${variableOf(key)}.`,
    );
    return null;
  }

  /** How a person finds the setting. */
  #name(key: SettingName): string {
    return this.#explicit ? `The argument ${key} of the Provider` : `partners:${key} (${variableOf(key)})`;
  }
}
