/**
 * The settings of an account: `partners:` keys in stack configuration, and arguments of a `Provider`. The program and the plugin
 * share this file, because they must not import each other.
 */
export const SETTING_NAMES = [
  "baseUrl",
  "previousBaseUrl",
  "accessToken",
  "requestTimeout",
  "operationTimeout",
  "maxConnections",
  "requestsPerSecond",
  "responses",
] as const;

/** One of {@link SETTING_NAMES}. */
export type SettingName = (typeof SETTING_NAMES)[number];

/** Everything that stack configuration and a `Provider` can set. */
export const SETTINGS: readonly string[] = [...SETTING_NAMES, "account"];

/** Returns a warning about a setting that does not exist. @param key The setting, as the user knows it. */
export function unknownSettingText(key: string): string {
  return `"${key}" is not a pulumi-partners setting, so it has no effect. Valid settings: ${SETTINGS.join(", ")}.`;
}

/** The configuration key that names the account. */
export const ACCOUNT_KEY = "partners:account";

/** The name of the stack configuration's account if {@link ACCOUNT_KEY} is not set. */
export const DEFAULT_ACCOUNT = "default";

/** The configuration key that marks the settings as the arguments of a `Provider`. */
export const EXPLICIT_KEY = "partners:explicit";
