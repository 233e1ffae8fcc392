import { warning, type Notice } from "../account/notice.js";
import type { NameSetting } from "../setting-messages.js";
import { resourceError, type PartnerError } from "../partner-api/errors.js";

/** A change has arguments that a check would refuse. @param problems One sentence for each. */
export function invalidArguments(problems: readonly string[]): PartnerError {
  const why = "If the program is right, a policy has changed its arguments.";
  return resourceError(`${problems.join(" ")} ${why} Nothing was sent.`);
}

/** The ID of an import is of no use. @param expected Names what to write instead. */
export function wrongImportId(expected: string): PartnerError {
  return resourceError(`To import this resource, use ${expected}. Nothing was imported.`);
}

/** A program gives what only a provider can set. The value could be anything, so it is not repeated. */
export function notAnArgument(name: "account" | "server", present: string): string {
  const what = name === "account" ? "account" : "address";
  const chosen = `The option "provider" chooses the ${what}, here ${JSON.stringify(present)}`;
  return `${name} is not an argument. ${chosen}.`;
}

/** The configured account is not the one that the resource belongs to. */
export function otherAccount(owner: string, present: string, name: NameSetting): PartnerError {
  const [quoted, setting] = [JSON.stringify(owner), name("account")];
  return resourceError(
    `The resource belongs to account ${quoted}, but ${setting} is ${JSON.stringify(present)}. ` +
      `Set ${setting} back to ${quoted}. Nothing was sent.`,
  );
}

/** A resource of a `Provider` has lost it. Stack configuration of the same name could be another account. */
export function providerMissing(owner: string): PartnerError {
  const quoted = JSON.stringify(owner);
  return resourceError(
    `The resource belongs to the Provider of account ${quoted}, and now has no Provider. ` +
      'Pass it again, with the option "provider". Nothing was sent.',
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

/** A program's hook has repeated a call that keeps failing. @param failure The message of its error. */
export function keptAfterRepetitions(failure: string): Notice {
  return warning(`${failure} This failed four times, so the stack keeps what it has.`);
}
