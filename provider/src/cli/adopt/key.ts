import { fingerprint } from "../../plugin/key-identity.js";
import { keyProblems } from "../../plugin/key-inputs.js";
import { checkSettings } from "../../plugin/session.js";
import { CommandError } from "../command.js";
import type { StackResource, StackResources } from "../stack-resources.js";
import type { Adoption } from "./adoption.js";
import type { AdoptContext } from "./context.js";
import { keyEntry } from "./import-file.js";
import { assertNamesFree } from "./managed.js";
import type { KeyChoice } from "./options.js";
import { keyProgram, settingFor } from "./program.js";

/**
 * Declares a key that exists: by an argument whose value is stored in the configuration, or, where it is to be imported, by a
 * file that holds the key. Nothing is sent: no operation looks at a key.
 *
 * @param apiKey The key.
 * @param imports Whether a file for `pulumi import` is wanted.
 * @throws {CommandError} if it cannot be adopted; never with any of the key.
 * @throws {ConfigurationError}
 */
export function adoptKey(
  { name, keyId }: KeyChoice,
  apiKey: string,
  imports: boolean,
  context: AdoptContext,
): Adoption {
  const { account, stack } = context;
  const [problem] = keyProblems({ existingApiKey: apiKey });
  if (problem !== undefined)
    throw new CommandError(`What was given is no key that can be adopted: ${problem}`);
  if (keyId?.includes(apiKey))
    throw new CommandError("What --api-key-id gives is the key, or holds it: an id is no secret.");
  if (stack !== null) assertNotHeld(apiKey, stack);
  assertNamesFree("apiKey", [name], context);
  const deletedById = checkSettings().responses.apiKeyId !== undefined;
  if (deletedById && keyId === null)
    throw new CommandError(
      "partners:responses.apiKeyId is set, so keys are deleted by their id: give it by --api-key-id, and --import-file.",
    );

  const setting = imports ? null : settingFor(name);
  if (setting !== null && stack?.hasOwn(setting))
    throw new CommandError(
      `The configuration of the stack has ${setting} already, which may be another key, so nothing was written. Choose another --name, or remove it if nothing needs it: "pulumi config rm ${setting}".`,
    );
  const entries = imports ? [keyEntry(name, { apiKey, keyId }, account)] : [];
  return { program: keyProgram(name, setting), entries, notes: previousKeys(stack), setting };
}

/** @throws {CommandError} if a resource of the stack holds the key, or is about to delete it. */
function assertNotHeld(apiKey: string, { resources, leaving }: StackResources): void {
  const mark = fingerprint(apiKey);
  const holds = (resource: StackResource): boolean => mark !== null && resource.fingerprint === mark;
  const holder = resources.find(holds);
  if (holder !== undefined)
    throw new CommandError(`The stack has this key already, as ${holder.name}, so nothing was written.`);
  const last = leaving.find(holds);
  if (last !== undefined)
    throw new CommandError(
      `The stack is about to delete this key, which was replaced as ${last.name}, so nothing was written. Adopt the key that took its place, or another one.`,
    );
}

/** Of a previous key the state has no fingerprint, so a person has to compare. */
function previousKeys(stack: StackResources | null): string[] {
  const holders = [...(stack?.resources ?? []), ...(stack?.leaving ?? [])].filter(
    ({ hasPreviousKey }) => hasPreviousKey,
  );
  if (holders.length === 0) return [];
  const names = holders.map(({ name }) => name).join(", ");
  return [
    `WARNING: the previous key of ${names} is going to be deleted. Make sure that this is another one.`,
  ];
}
