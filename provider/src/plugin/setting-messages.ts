import { PartnerError, resourceError } from "../partner-api/errors.js";
import { API_ROOT } from "../partner-api/operations.js";
import { NAMESPACE, variableOf } from "../setting-names.js";
import { warning, type Notice } from "./resource.js";

/** Names a setting as the user knows it: `partners:account`, `PARTNERS_ACCOUNT`, `the Provider's account`. */
export type NameSetting = (name: string) => string;

/** The settings are missing or wrong. @param problems One sentence for each. */
export function wrongSettings(problems: readonly string[]): PartnerError {
  const text = [...new Set(problems)].join(" ");
  return new PartnerError("PARTNERS_CONFIGURATION", `${text} Nothing was sent.`, {
    summary: "The settings are not valid",
  });
}

/** A required setting has no value. */
export function missingSetting(setting: string, isExplicit: boolean): string {
  if (isExplicit) return `Set the Provider's ${setting}. A Provider does not read environment variables.`;
  const [secret, example] =
    setting === "accessToken" ? ["--secret ", ""] : ["", " https://partners.example.com"];
  const key = NAMESPACE + setting;
  return `Set ${key} or ${variableOf(setting)}, as in "pulumi config set ${secret}${key}${example}".`;
}

/** The environment has a secret, but stack configuration has the address. */
export function unusedVariable(setting: string): string {
  const [address, variable] = [`${NAMESPACE}baseUrl`, variableOf("baseUrl")];
  return (
    `${variableOf(setting)} is used only with ${variable}, but the address is set in ${address}: ` +
    `set ${NAMESPACE}${setting}, or move the address to ${variable}.`
  );
}

/** A setting breaks a rule. @param rule Follows "it". */
export function invalidSetting(setting: string, rule: string, name: NameSetting): string {
  return `Correct ${name(setting)}: it ${rule}.`;
}

/** The rules of settings. */
export const RULES = {
  visibleAscii: 'must contain only letters, digits and punctuation: no spaces, no newlines, no "Bearer"',
  url: "is not a URL; it should look like https://partners.example.com",
  noCredentials: "must not contain a user name or password; the access token is a separate setting",
  https:
    "must start with https://, except for this machine: plain http:// would expose the token and the keys",
  noQuery: "must not contain a query or a fragment",
  noApiRoot: `must not include ${API_ROOT}, which is added automatically`,
  headers: "must be a JSON object of header names and their values as text",
  reservedHeader: (name: string) => `must not contain the header ${name}, which only the provider may set`,
  seconds: "must be a number of seconds from 0.001 to 86400",
} as const;

/** This version of Node cannot run undici. */
export function oldNode(version: string, minimum: string): string {
  return `Node ${version} is too old: put Node ${minimum} or newer on the PATH of the Pulumi CLI.`;
}

/** Something has an argument that does not exist. @param of A type token, or an argument. */
export function unknownArgument(of: string, known: readonly string[]): string {
  return `${of.split(":").at(-1) ?? ""} has an unknown argument; valid arguments: ${known.join(", ")}.`;
}

/** The ID of an import is of no use. @param expected Names what to write instead. */
export function wrongImportId(expected: string): PartnerError {
  return resourceError(`To import this resource, use ${expected}. Nothing was imported.`);
}

/** The configured account is not the one that the resource belongs to. */
export function otherAccount(owner: string, present: string, name: NameSetting): PartnerError {
  const [quoted, setting] = [JSON.stringify(owner), name("account")];
  return resourceError(
    `The resource belongs to account ${quoted}, but ${setting} is ${JSON.stringify(present)}. ` +
      `Pass the Provider of ${quoted} to it again, or set ${setting} back to ${quoted}. Nothing was sent.`,
  );
}

/** The configured address is not the one that the resource belongs to. */
export function otherServer(owner: string, present: string, name: NameSetting): PartnerError {
  return resourceError(
    `The resource belongs to ${owner}, not to ${present}. ` +
      `If this is another account, set ${name("baseUrl")} back. If the account has moved, ` +
      `set ${name("previousBaseUrl")} to ${owner} for the next "pulumi up". Nothing was sent.`,
    { summary: `The resource belongs to ${owner}, not to ${present}` },
  );
}

/** A program's hook has repeated a call that keeps failing. @param failure Its error. */
export function keptAfterRepetitions(failure: PartnerError): Notice {
  return warning(
    `${failure.message} This failed four times, so the stack keeps what it has. Run "pulumi up" again.`,
  );
}
