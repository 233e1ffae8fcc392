/**
 * The settings of an account: keys of stack configuration behind `partners:`, and arguments of a `Provider`. Shared by the
 * program and the plugin, which must not import each other.
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

/** All that stack configuration and a `Provider` can set. */
export const SETTINGS: readonly string[] = [...SETTING_NAMES, "account"];

/** The configuration key that names the account. */
export const ACCOUNT_KEY = "partners:account";

/** The name of the account of stack configuration, where {@link ACCOUNT_KEY} is not set. */
export const DEFAULT_ACCOUNT = "default";

/** The configuration key by which a `Provider` of the program tells its process that it is not a default provider. */
export const EXPLICIT_KEY = "partners:explicit";
