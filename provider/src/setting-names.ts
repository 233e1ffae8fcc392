/**
 * The settings of an account: `partners:` keys in stack configuration, and arguments of a `Provider`. They
 * are in users' files and states, so a name changes only with a major version.
 */
export const SETTING_NAMES = [
  "baseUrl",
  "previousBaseUrl",
  "accessToken",
  "headers",
  "requestTimeout",
  "responses",
] as const;

export type SettingName = (typeof SETTING_NAMES)[number];

/** The settings whose values are secret. */
export const SECRET_SETTINGS = ["accessToken", "headers"] as const satisfies readonly SettingName[];

/** The setting that names the account, and its value in stack configuration if it is not set. */
export const [ACCOUNT, DEFAULT_ACCOUNT] = ["account", "default"] as const;

/** Returns an account: as it is named; else that of a `Provider`, by its name; else the default. */
export function accountOf(given: string | undefined, provider: string | null): string {
  return given || (provider ?? DEFAULT_ACCOUNT);
}

/** Everything that stack configuration and a `Provider` can set. */
export const SETTINGS: readonly string[] = [...SETTING_NAMES, ACCOUNT];

/** The settings that are always text, unlike a number of seconds or an object. */
export const TEXT_SETTINGS: readonly string[] = ["baseUrl", "previousBaseUrl", "accessToken", ACCOUNT];

/** The start of each key of this provider in stack configuration. */
export const NAMESPACE = "partners:";

/** The key, without its namespace, that marks the settings as the arguments of a `Provider`. */
export const EXPLICIT = "explicit";

/** Returns the environment variable of a setting: `PARTNERS_BASE_URL` for `baseUrl`. */
export function variableOf(name: string): string {
  return `PARTNERS_${name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`;
}
