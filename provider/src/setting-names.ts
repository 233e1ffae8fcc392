/**
 * The settings of an account: `partners:` keys in stack configuration, and arguments of a `Provider`. They
 * are in users' files and states, so a name changes only with a major version.
 */
export const SETTING_NAMES = [
  "baseUrl",
  "previousBaseUrl",
  "allowTokenOverPlainHttp",
  "accessToken",
  "headers",
  "requestTimeout",
  "operationTimeout",
  "maxConnections",
  "requestsPerSecond",
  "refreshBeforeUpdate",
  "readWebhooks",
  "responses",
] as const;

/** The settings whose values are secret. */
export const SECRET_SETTINGS = ["accessToken", "headers"] as const satisfies readonly SettingName[];

export type SettingName = (typeof SETTING_NAMES)[number];

/** Everything that stack configuration and a `Provider` can set. */
export const SETTINGS: readonly string[] = [...SETTING_NAMES, "account"];

export const ACCOUNT_KEY = "partners:account";

/** The name of the stack configuration's account if {@link ACCOUNT_KEY} is not set. */
export const DEFAULT_ACCOUNT = "default";

/** The configuration key that marks the settings as the arguments of a `Provider`. */
export const EXPLICIT_KEY = "partners:explicit";

/** The environment variable that names keys which a person has found to be gone. */
export const GONE_KEYS = "PARTNERS_GONE_KEYS";

/** Whether a key of stack configuration is meant for this provider, but is not one of its settings. */
export function isUnknownKey(key: string): boolean {
  return key.startsWith(NAMESPACE) && !SETTINGS.includes(key.slice(NAMESPACE.length));
}

const NAMESPACE = "partners:";

/** Returns a warning about a setting that does not exist. @param key The setting, as the user knows it. */
export function unknownSettingText(key: string): string {
  const path = key.includes(".") ? " To set a part of responses, use pulumi config set --path." : "";
  const valid = `Valid settings: ${SETTINGS.join(", ")}.`;
  return `"${key}" is not a pulumi-partners setting, so it has no effect. ${valid}${path}`;
}

/** Returns a warning about a secret in stack configuration that is not encrypted. */
export function plainSecretText(name: (typeof SECRET_SETTINGS)[number]): string {
  const remedy = name === "accessToken" ? "rotate the token" : "replace the values at the gateway";
  const key = `partners:${name}`;
  return `${key} is stored in plain text. Run "pulumi config set --secret ${key}" and ${remedy}.`;
}

/**
 * Returns the name of an account as text: languages without types pass a number as it is. `null` if it is not
 * set, as is an empty name.
 *
 * @throws {TypeError} for anything else.
 */
export function accountText(account: unknown): string | null {
  if (account == null || account === "") return null;
  if (typeof account === "number") return String(account);
  if (typeof account === "string") return account;
  throw new TypeError("account must be text.");
}

/** What is wrong with an access token that is not text: as a number, it may have lost its last digits. */
export const NUMERIC_TOKEN = "accessToken must be text: quote it.";
