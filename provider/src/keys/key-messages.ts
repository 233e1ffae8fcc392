import { information, warning, type Notice } from "../account/notice.js";
import { quoteForShell, type NameSetting } from "../setting-messages.js";
import { partsOf } from "../adapter/properties.js";
import { wrongImportId } from "../adapter/resource-messages.js";
import { PartnerError, resourceError } from "../partner-api/errors.js";
import { hintOf, type Key, type OpenCreation } from "./key-state.js";

/** What `rotation` and its members must be. */
export const ROTATION_RULES = {
  rotation: "rotation must be an object such as { afterDays: 90, overlapDays: 7 }.",
  trigger: "rotation.trigger must be a string or a number.",
  afterDays: "rotation.afterDays must be a whole number of days from 1 to 36500.",
  overlapDays: "rotation.overlapDays must be a whole number of days from 0 to 36500.",
  chosenOverlap:
    "rotation.afterDays needs rotation.overlapDays: the days for which the old key stays valid, or 0 to " +
    "replace the key and delete the old one in the same update.",
  shortOverlap: "rotation.overlapDays must be less than rotation.afterDays.",
} as const;

/** A creation whose key was not read. */
export interface UnreadCreation {
  readonly creation: OpenCreation;
  /** Which setting may find the key; `null` if none can. */
  readonly proposal: string | null;
}

/** The resource of an open creation. */
interface KeylessResource {
  /** Whether the resource has a key that stays in use. */
  readonly hasKey: boolean;
  readonly urn: string;
  /** Whether there is a stack: `pulumi do` keeps nothing. */
  readonly hasStack: boolean;
}

/** The response to a creation was lost, or no key was recognized in it. It blocks the next creation. */
export function openCreationBlocks(unread: UnreadCreation, resource: KeylessResource): PartnerError {
  const { creation, proposal } = unread;
  const { hasKey, urn, hasStack } = resource;
  if (!hasStack) return noKeyRead(creation, "", ASK_SERVICE);
  const stays = hasKey ? " The current key stays in use." : "";
  if (proposal !== null) {
    const discard = `If the response contains no key, set a new rotation.trigger.${stays}`;
    return noKeyRead(creation, urn, `The stack keeps the response: ${proposal}. ${discard}`);
  }
  // A replacement would also delete a current key.
  const orReplace = hasKey ? "" : ` or run "pulumi up --replace ${shellUrn(urn)}"`;
  const how = `To create another key, set a new rotation.trigger${orReplace}.`;
  const later = "Once that is corrected, set a new rotation.trigger to create another key.";
  const another = `${creation.cause === undefined ? how : later}${stays}`;
  return noKeyRead(creation, urn, `${ASK_SERVICE} ${another}`);
}

/** What only a person can do: the contract lists no keys. */
export const ASK_SERVICE = "Ask the service to delete that key.";

function noKeyRead({ at, response, cause }: OpenCreation, urn: string, then: string): PartnerError {
  const received = response?.isCutOff ? "the response was cut off" : "no key was recognized in the response";
  const reason = response === null ? "its value was lost with the response" : received;
  return new PartnerError(
    response === null ? "PARTNERS_RESOURCE" : "PARTNERS_UNREADABLE",
    `${cause === undefined ? "" : `${cause} `}A key may have been created${inResource("for", urn)} at ` +
      `${minuteOf(at)}, but ${reason}. ${then}`,
    { mayHaveChanged: true },
  );
}

/** Returns an error that says something more of one resource, so that each shows it in full. */
export function withSentence(error: PartnerError, sentence: string): PartnerError {
  return error.withMessage(`${error.message} ${sentence}`, { summary: null });
}

/** Nothing tracks an open creation any more: a person has acted, or the resource is removed. */
export function openCreationDropped({ at, response }: OpenCreation, urn: string): Notice {
  const created = `may have been created${inResource("for", urn)} at ${minuteOf(at)}`;
  const value = response === null ? "Its value is unknown" : "Its response was discarded";
  return warning(`A key that no stack tracks ${created}. ${value}. ${ASK_SERVICE}`);
}

/** A resource is removed, but an open creation may have a key. @param proposal How to find it. */
export function openCreationNotDeleted({ at }: OpenCreation, urn: string, proposal: string): PartnerError {
  return new PartnerError(
    "PARTNERS_UNREADABLE",
    `The key created at ${minuteOf(at)} was not deleted: it was not recognized in the response. ` +
      `To delete it, ${proposal}. If the response does not contain it, ask the service to delete it, and ` +
      `${stateDelete(urn)}.`,
  );
}

/**
 * The service returned a key that is not new.
 *
 * @param holder The URN of who has it, which may be `urn`.
 * @param setting The name of the setting that may have found a wrong value; `null` if none has.
 */
export function sameKey(urn: string, holder: string, setting: string | null): PartnerError {
  const [whose, remedy] =
    holder === urn
      ? ["the current key", "set overlapDays to 0, deleteBeforeReplace to true, and a new rotation.trigger"]
      : [`the key${inResource("of", holder) || " of another resource"}`, "declare one PartnerApiKey"];
  const orSetting = setting === null ? "" : ` If ${setting} does not point to the key, correct it.`;
  return resourceError(
    `The service returned ${whose} again, not a new one. If it allows only one key, ${remedy}.${orSetting}`,
  );
}

/** The service refuses another key, but a replacement that failed before may have left the old one. */
export function oldKeyMayRemain(failure: PartnerError): PartnerError {
  // The summary stays: of many resources, one message is enough.
  const sentence =
    'If "pulumi stack" lists a resource twice, that does not help: ask the service to delete its old key, ' +
    "and run this again.";
  return failure.withMessage(`${failure.message} ${sentence}`, {});
}

/** The service returned a key that this run has deleted: created again, or an old response repeated. */
export function deletedKeyAgain(key: Key, urn: string): Notice {
  const what = `The service returned ${keyName(key, urn)} again, which this run has deleted`;
  return warning(`${what}. If it does not work, set a new rotation.trigger.`);
}

/** `responses.apiKey` finds another key in a kept response than the stack has. */
export function keyCorrected(urn: string, settingName: NameSetting): Notice {
  const setting = settingName("responses.apiKey");
  return warning(
    `"pulumi up" changes the key${inResource("of", urn)} to what ${setting} finds in the response that the ` +
      "stack keeps. Nothing is sent for that.",
  );
}

/** An update rotates a key. @param end When the overlap ends, ISO 8601; `null` without one. */
export function rotationAhead(key: Key, urn: string, why: "trigger" | "age", end: string | null): Notice {
  const day = key.createdAt?.slice(0, "2026-02-19".length) ?? "at an unknown time";
  const what = `${keyName(key, urn)} (${why === "trigger" ? "new rotation.trigger" : `created ${day}`})`;
  return information(
    end === null
      ? `"pulumi up" is about to replace ${what}: it creates another key, and deletes this one.`
      : `"pulumi up" rotates ${what}; it stays valid until ${minuteOf(end)}.`,
  );
}

/** A key is due, but the previous one is still valid. @param end When its overlap ends, ISO 8601. */
export function rotationWaits(key: Key, urn: string, end: string): Notice {
  const what = `The rotation of ${keyName(key, urn)} is due`;
  return information(`${what}, and waits for the end of the overlap at ${minuteOf(end)}.`);
}

/** A run with a wrong clock has created the key. @param time When it took over, ISO 8601. */
export function keyFromFuture(key: Key, urn: string, time: string): Notice {
  return warning(
    `A clock was wrong: ${keyName(key, urn)} took over at ${minuteOf(time)}, later than now. Until then, ` +
      "its age does not rotate it. If today's clock is right, set a new rotation.trigger.",
  );
}

/** An update deletes the previous key. @param isEarly Whether its overlap is not over. */
export function previousKeyEnds(previous: Key, urn: string, isEarly: boolean): Notice {
  const text = `"pulumi up" deletes ${keyName(previous, urn, "previous ")}`;
  return isEarly
    ? warning(`${text}, before its overlap ends.`)
    : information(`${text}: its overlap is over.`);
}

/** The ID of an import names no variable. It is not shown: it may be the key itself. */
export function wrongKeyId(): PartnerError {
  return wrongImportId(
    '"env:" followed by the name of the environment variable that holds the key, such as env:OLD_KEY',
  );
}

/** The ID of an import names a variable that has no value. */
export function variableNotSet(variable: string): PartnerError {
  return resourceError(`The environment variable ${variable} is not set. Nothing was imported.`);
}

/** The variable of an import holds what cannot be a key. Its value is described without being shown. */
export function unusableKey(variable: string): PartnerError {
  return resourceError(
    `The value of ${variable} is not a key: a key has letters, digits and punctuation, but no spaces or ` +
      "line breaks, and is not only dots. Nothing was imported.",
  );
}

/** A program asks whether a key exists. */
export function cannotCheckExistence(): PartnerError {
  return resourceError("The Partner API cannot tell whether a key exists. Nothing was sent.");
}

/** Tells how to forget a resource. After a replacement, a stack has two entries of one URN. */
export function stateDelete(urn: string): string {
  return `run "pulumi state delete ${shellUrn(urn)}" and, of two entries, choose "(Pending Deletion)"`;
}

/** Names a key by what does not reveal it, and as the stack shows it. */
export function keyName({ apiKey, createdAt, storedAs }: Key, urn: string, which = ""): string {
  const hint = hintOf(storedAs ?? apiKey);
  if (hint !== null) return `the ${which}key …${hint}${inResource("of", urn)}`;
  if (createdAt === null) return `the ${which}key${inResource("of", urn)}`;
  return `the ${which}key created ${minuteOf(createdAt)}${inResource("for", urn)}`;
}

/** Names a resource as the program does; empty if the host does not know it. */
export function inResource(preposition: "of" | "for", urn: string): string {
  return urn === "" ? "" : ` ${preposition} "${partsOf(urn).name}"`;
}

/** Returns a URN to paste into a shell; a placeholder if the host does not know it. */
export function shellUrn(urn: string): string {
  return quoteForShell(urn === "" ? "URN" : urn);
}

/** @param time ISO 8601. */
function minuteOf(time: string): string {
  return Number.isNaN(Date.parse(time)) ? "an unknown time" : `${time.slice(0, 16).replace("T", " ")} UTC`;
}
