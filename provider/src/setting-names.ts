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

/** Everything that stack configuration and a `Provider` can set. */
export const SETTINGS: readonly string[] = [...SETTING_NAMES, ACCOUNT];

/** The settings that are nothing but text, unlike a number of seconds or an object. */
export const TEXT_SETTINGS: readonly string[] = ["baseUrl", "previousBaseUrl", "accessToken", ACCOUNT];

/** The start of each key of this provider in stack configuration. */
export const NAMESPACE = "partners:";

/** The key, without its namespace, that marks the settings as the arguments of a `Provider`. */
export const EXPLICIT = "explicit";

/** Returns the environment variable of a setting: `PARTNERS_BASE_URL` for `baseUrl`. */
export function variableOf(name: string): string {
  return `PARTNERS_${name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`;
}

/** Warns about stack configuration: secrets that are not encrypted, and names that are not settings. */
export function configurationWarnings(
  project: string,
  keys: readonly string[],
  isEncrypted: (key: string) => boolean,
): string[] {
  const names = keys.filter((key) => key.startsWith(NAMESPACE)).map((key) => key.slice(NAMESPACE.length));
  const plain = SECRET_SETTINGS.filter((name) => names.includes(name) && !isEncrypted(NAMESPACE + name));
  return [...plain.map(plainSecret), ...unknownSettings(project, names, NAMESPACE)];
}

/** Warns about names that are not settings. @param prefix What users write before them. */
export function unknownSettings(project: string, names: readonly string[], prefix: string): string[] {
  if (project === "partners") return []; // They are the project's own settings.
  const valid = `Valid settings: ${SETTINGS.join(", ")}.`;
  const path = " To set a part of responses, use pulumi config set --path.";
  return names
    .filter((name) => !SETTINGS.includes(name))
    .map((name) => {
      const text = `"${prefix}${name}" is not a pulumi-partners setting, so it has no effect. ${valid}`;
      return name.includes(".") ? text + path : text;
    });
}

/** Says that a setting of {@link TEXT_SETTINGS} is not text. As a number, a token may have lost digits. */
export function mustBeText(setting: string): string {
  return `${setting} must be text: quote it.`;
}

function plainSecret(name: (typeof SECRET_SETTINGS)[number]): string {
  const remedy = name === "accessToken" ? "rotate the token" : "replace the values at the gateway";
  const key = NAMESPACE + name;
  return `${key} is stored in plain text. Run "pulumi config set --secret ${key}" and ${remedy}.`;
}
