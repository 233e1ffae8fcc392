import { ACCOUNT_KEY, DEFAULT_ACCOUNT } from "../account-name.js";
import type { SettingName } from "../setting-names.js";

/** Where the values of settings come from: what the host hands to `configure`. */
export interface ConfigSource {
  /** Returns the decrypted value of a key such as `partners:baseUrl`. */
  get(key: string): string | undefined;
}

/** The configuration key by which a `Provider` of the program tells its process that it is none of the default ones. */
export const EXPLICIT_KEY = "partners:explicit";

/** The value of a setting, and which of the two places it is from. */
export interface FoundSetting {
  readonly value: string;
  readonly from: "configuration" | "environment";
}

/** Looks a setting up; empty is as good as not set. @returns `null` if it is set nowhere. */
export function findSetting(
  name: SettingName,
  config: ConfigSource,
  env: NodeJS.ProcessEnv,
): FoundSetting | null {
  const configured = config.get(`partners:${name}`);
  if (configured !== undefined && configured !== "") return { value: configured, from: "configuration" };
  const value = isExplicit(config) ? undefined : env[variableOf(name)];
  return value === undefined || value === "" ? null : { value, from: "environment" };
}

/** `baseUrl` → `PARTNERS_BASE_URL`. */
export function variableOf(name: SettingName): string {
  return `PARTNERS_${name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`;
}

/** What a person calls the account: the stamped input by which a resource that moves to another account is noticed. */
export function accountName(config: ConfigSource): string {
  return config.get(ACCOUNT_KEY) || DEFAULT_ACCOUNT; // Empty is as good as not set.
}

/** Whether the settings are the arguments of a `Provider`. */
export function isExplicit(config: ConfigSource): boolean {
  return config.get(EXPLICIT_KEY) === "true";
}
