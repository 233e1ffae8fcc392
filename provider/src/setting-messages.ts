import type { JsonScalar } from "./bodies/json.js";
import type { ResponseMapping } from "./bodies/response-mapping.js";
import { NAMESPACE, SECRET_SETTINGS, SETTINGS, variableOf } from "./setting-names.js";

/**
 * Names a setting, or a part such as `responses.active[0]`, as the user knows it: `partners:baseUrl` (quoted
 * for a shell if necessary), `PARTNERS_BASE_URL`, or `the Provider's baseUrl`.
 */
export type NameSetting = (name: string) => string;

/** Where a setting is set; if it is not, where it would be. */
export type SettingPlace = "Provider" | "configuration" | "environment";

/**
 * Says how to set a member of `responses`, in a form to paste: a clause such as `set … to …`.
 *
 * @param values The values to choose from. The form has the only one. Otherwise it has a placeholder: whoever
 * pastes it cannot choose by accident.
 */
export type ProposeMember = (
  member: Exclude<keyof ResponseMapping, "active" | "disabled">,
  values: readonly JsonScalar[],
) => string;

const PLACEHOLDER = "POINTER";

/** See {@link ProposeMember}. @param present What `responses` holds already. */
export function memberProposal(
  place: SettingPlace,
  present: ResponseMapping,
  member: Parameters<ProposeMember>[0],
  values: readonly JsonScalar[],
): string {
  const [first = PLACEHOLDER] = values;
  const value = values.length > 1 ? PLACEHOLDER : first;
  const key = `${NAMESPACE}responses.${member}`;
  const all = JSON.stringify({ ...present, [member]: value });
  const form = {
    Provider: `set the Provider's responses.${member} to ${JSON.stringify(value)}`,
    configuration: `run "pulumi config set --path ${key} ${quoteForShell(String(value))}"`,
    environment: `set ${variableOf("responses")} to ${quoteForShell(all)}`,
  }[place];
  if (value !== PLACEHOLDER) return form;
  const choices = values.map((each) => JSON.stringify(each)).join(" or ");
  const what = choices === "" ? "the JSON Pointer of the value" : `${choices}, whichever is right`;
  return `${form} (replace ${PLACEHOLDER} with ${what})`;
}

/** What ends a text in single quotes in PowerShell, unless it is doubled. */
const POWERSHELL_QUOTES = /['\u2018-\u201b]/g;

/** Quotes an argument, if necessary, for the shell of the platform: on Windows, for PowerShell. */
export function quoteForShell(text: string, platform = process.platform): string {
  return /^(?!@)[\w./:@-]+$/.test(text) ? text : textForShell(text, platform);
}

/** Returns a text in quotes for the shell of the platform. */
export function textForShell(text: string, platform = process.platform): string {
  const isWindows = platform === "win32";
  return `'${isWindows ? text.replace(POWERSHELL_QUOTES, "$&$&") : text.replaceAll("'", "'\\''")}'`;
}

/** The settings are missing or wrong. @param problems One sentence for each. */
export function invalidSettings(problems: readonly string[]): { message: string; summary: string } {
  const message = `${[...new Set(problems)].join(" ")} Nothing was sent.`;
  return { message, summary: "The settings are not valid" };
}

/** A required setting has no value. */
export function missingSetting(setting: string, isExplicit: boolean): string {
  if (isExplicit) return `Set the Provider's ${setting}. A Provider does not read environment variables.`;
  const [secret, example] =
    setting === "accessToken" ? ["--secret ", ""] : ["", " https://partners.example.com"];
  const key = NAMESPACE + setting;
  return `Set ${key} or ${variableOf(setting)}, as in "pulumi config set ${secret}${key}${example}".`;
}

/** A required setting has no value, where only the environment is read. */
export function missingVariable(setting: string): string {
  return `Set ${variableOf(setting)} in the environment: "pulumi do" does not read stack configuration.`;
}

/** The environment has a secret, but stack configuration has the address. */
export function unusedVariable(setting: string): string {
  const [address, variable] = [`${NAMESPACE}baseUrl`, variableOf("baseUrl")];
  const isRequired = setting === "accessToken";
  const otherwise = isRequired ? `move the address to ${variable}` : `unset ${variableOf(setting)}`;
  return (
    `${variableOf(setting)} is used only with ${variable}, but the address is set in ${address}: ` +
    `set ${NAMESPACE}${setting}, or ${otherwise}.`
  );
}

/** A setting breaks a rule. @param rule Follows "it". */
export function invalidSetting(name: string, rule: string): string {
  return `Correct ${name}: it ${rule}.`;
}

/** The rules of settings. */
export const RULES = {
  visibleAscii: 'must contain only letters, digits and punctuation: no spaces, no newlines, no "Bearer"',
  url: "is not a URL; it should look like https://partners.example.com",
  noCredentials: "must not contain a user name or password; the access token is a separate setting",
  https:
    "must start with https://, except for this machine: plain http:// would expose the token and the keys",
  noQuery: "must not contain a query or a fragment",
  noApiRoot: (path: string) => `must not include ${path}, which is added automatically`,
  headers: "must be a JSON object of header names and their values as text",
  reservedHeader: (name: string) => `must not contain the header ${name}, which only the provider may set`,
  seconds: "must be a number of seconds from 0.001 to 86400",
} as const;

/** This version of Node cannot run undici. */
export function oldNode(version: string, minimum: string): string {
  return `Node ${version} is too old: put Node ${minimum} or newer on the PATH of the Pulumi CLI.`;
}

/**
 * Says which arguments do not exist, in one sentence; `null` if all do. A name that could be data is not
 * repeated.
 *
 * @param of What takes the arguments: a resource, a function, a `Provider`, or an argument.
 * @param known The names of the arguments that exist.
 */
export function unknownArguments(
  of: string,
  names: readonly string[],
  known: readonly string[],
): string | null {
  const unknown = names.filter((name) => !known.includes(name));
  if (unknown.length === 0) return null;
  const shown = unknown.filter((name) => /^[A-Za-z_]{1,40}$/.test(name)).map((name) => `"${name}"`);
  const what = shown.length > 0 ? `no argument ${shown.join(", ")}` : "an unknown argument";
  return `${of} has ${what}; valid arguments: ${known.join(", ")}.`;
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
