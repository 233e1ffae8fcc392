/** The settings that an account has, by name: keys of stack configuration behind `partners:`, and arguments of a `Provider`. */
export const SETTING_NAMES = [
  ...(["baseUrl", "accessToken", "requestTimeout", "operationTimeout"] as const),
  ...(["maxConnections", "requestsPerSecond", "responses"] as const),
] as const;

/** One of {@link SETTING_NAMES}. */
export type SettingName = (typeof SETTING_NAMES)[number];
