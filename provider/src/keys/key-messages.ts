import { PartnerError, resourceError } from "../partner-api/errors.js";
import { partsOf } from "../plugin/properties.js";
import { information, warning, type Notice } from "../plugin/resource.js";
import { wrongImportId } from "../plugin/resource-messages.js";
import type { NameSetting } from "../setting-messages.js";
import { hintOf, type Key, type UnfinishedCreation } from "./key-state.js";
import type { DueReason } from "./rotation.js";

/** What `rotation` and its members must be. */
export const ROTATION_RULES = {
  rotation: "rotation must be an object such as { afterDays: 90, overlapDays: 7 }.",
  trigger: "rotation.trigger must be a string.",
  afterDays: "rotation.afterDays must be a whole number of days from 1 to 36500.",
  overlapDays: "rotation.overlapDays must be set: a number of days from 0 to 36500, and at most afterDays.",
} as const;

/** The response to a creation was lost, or contains no key. It blocks the next creation. */
export function keyLost({ at, response }: UnfinishedCreation, hasKey: boolean, urn: string): PartnerError {
  const code = response === null ? "PARTNERS_RESOURCE" : "PARTNERS_UNREADABLE";
  const received = response?.isCutOff ? "the response was cut off" : "the response contains no key";
  const reason = response === null ? "its value was lost with the response" : received;
  const blocked = creationBlocked(at, reason, hasKey, urn);
  const replace = hasKey ? "" : ` or run "pulumi up --replace ${quoted(urn)}"`;
  return new PartnerError(code, `${blocked} Set a new rotation.trigger${replace}.`, { effect: "possible" });
}

/** The response to a creation may contain a key. @param candidates Those of a `KeyReading`. */
export function keyUnrecognized(
  { at }: UnfinishedCreation,
  candidates: readonly string[],
  hasKey: boolean,
  urn: string,
  settingName: NameSetting,
): PartnerError {
  const reason = "no key was recognized in the response, which the stack keeps";
  const pointer = `Set ${settingName("responses.apiKey")} to ${oneOf(candidates)}`;
  const text = `${creationBlocked(at, reason, hasKey, urn)} ${pointer}, or set a new rotation.trigger.`;
  return new PartnerError("PARTNERS_UNREADABLE", text, { effect: "possible" });
}

/** The response to a creation was lost. @param unfinished What that means. */
export function lostCreation(cause: PartnerError, unfinished: PartnerError): PartnerError {
  return withMessage(cause, `${cause.message} ${unfinished.message}`);
}

/** A rotation that has deleted the previous key fails. */
export function previousDeleted(failure: PartnerError): PartnerError {
  return withMessage(failure, `${failure.message} The previous key was deleted.`);
}

/** Nothing tracks a creation any more: a person has acted, or the resource is removed. */
export function untrackedCreation({ at, response }: UnfinishedCreation, urn: string): Notice {
  const created = `may have been created${inResource("for", urn)} at ${minuteOf(at)}`;
  const value = response === null ? "Its value is unknown" : "Its response was discarded";
  return warning(`A key that no stack tracks ${created}. ${value}.`);
}

/** A resource is removed, but the response to a creation may hold a key. */
export function undeletedCreation(
  { at }: UnfinishedCreation,
  candidates: readonly string[],
  settingName: NameSetting,
): PartnerError {
  return new PartnerError(
    "PARTNERS_UNREADABLE",
    `The key created at ${minuteOf(at)} was not deleted: it was not recognized in the response. ` +
      `Set ${settingName("responses.apiKey")} to ${oneOf(candidates)} and run this again.`,
  );
}

/** The service returned a key that a resource has. @param holder The other one; `null` if it is the same. */
export function sameKey(holder: string | null): PartnerError {
  const [whose, remedy] =
    holder === null
      ? ["the current key", "set overlapDays to 0, deleteBeforeReplace to true, and a new rotation.trigger"]
      : [`the key${inResource("of", holder) || " of another resource"}`, "declare one PartnerApiKey"];
  return resourceError(
    `The service returned ${whose} again, not a new one. If it allows only one key, ${remedy}.`,
  );
}

/** A deletion is skipped: the service returned the same key for another resource, or for its replacement. */
export function sameKeyKept(key: Key, urn: string): Notice {
  return warning(`The service returned ${keyName(key, urn)} again, not a new one, so it was not deleted.`);
}

/** A resource is removed because it was replaced, but its replacement has no key, or may be without one. */
export function keyStillNeeded(key: Key, urn: string): PartnerError {
  const why = urn === "" ? "another key could not be created" : "its replacement has no key";
  return resourceError(`Did not delete ${keyName(key, urn)}: ${why}. Fix that error first.`);
}

/** A 404 does not prove that a key is gone. The pointers lead to its ID, if there is one, and to the key. */
export function deletionUnclear(
  key: Key,
  urn: string,
  { idPointer, keyPointer }: { readonly idPointer: string | null; readonly keyPointer: string },
  settingName: NameSetting,
): PartnerError {
  const byId = idPointer === null ? "" : `"${idPointer}" if it deletes keys by this ID, or to `;
  return resourceError(
    `The service returned 404 for ${keyName(key, urn)}: it may identify keys by an ID. ` +
      `Set ${settingName("responses.apiKeyId")} to ${byId}"${keyPointer}" if it deletes by the key itself.`,
    { status: 404 },
  );
}

/** A key of a resource that is removed cannot be deleted: here, `state delete` is a way out. */
export function deletionRefused(failure: PartnerError, key: Key, urn: string): PartnerError {
  const lastResort = `If ${keyName(key, urn)} no longer works, run "pulumi state delete ${quoted(urn)}".`;
  return withMessage(failure, `${failure.message} ${lastResort}`);
}

/** Several deletions of a removal failed. */
export function failedDeletions(failures: readonly [PartnerError, ...PartnerError[]]): PartnerError {
  const [first] = failures;
  if (failures.length === 1) return first;
  const effect = failures.some((failure) => failure.effect === "possible") ? "possible" : "none";
  return new PartnerError(first.code, failures.map(({ message }) => message).join(" "), { effect });
}

/** The service did not find a key. @param idPointer Where an ID is that was not sent; `null` if nowhere. */
export function keyWasGone(
  key: Key,
  urn: string,
  idPointer: string | null,
  settingName: NameSetting,
): Notice {
  const gone = `The service did not find ${keyName(key, urn)}, so it counts as deleted.`;
  const setting =
    idPointer === null ? "" : `, and set ${settingName("responses.apiKeyId")} to "${idPointer}"`;
  return warning(`${gone} If it still works, delete it there${setting}.`);
}

/** An update rotates a key. @param validUntil When the overlap ends, ISO 8601; `null` without one. */
export function rotationAhead(key: Key, urn: string, why: DueReason, validUntil: string | null): Notice {
  const day = key.createdAt?.slice(0, "2026-02-19".length) ?? "at an unknown time";
  const what = `${keyName(key, urn)} (${why === "trigger" ? "new rotation.trigger" : `created ${day}`})`;
  return information(
    validUntil === null
      ? `"pulumi up" replaces ${what} and deletes it.`
      : `"pulumi up" rotates ${what}; it stays valid until ${minuteOf(validUntil)}.`,
  );
}

/** An update deletes the previous key. @param isEarly Whether its overlap is not over. */
export function previousKeyEnds(previous: Key, urn: string, isEarly: boolean): Notice {
  const text = `"pulumi up" deletes ${keyName(previous, urn, "previous ")}`;
  return isEarly
    ? warning(`${text}, before its overlap ends.`)
    : information(`${text}: its overlap is over.`);
}

/** The ID of an import names no usable key. It is not shown: it may be the key itself. */
export function wrongKeyId(): PartnerError {
  return wrongImportId(
    '"env:" followed by the name of the environment variable that holds the key, such as env:OLD_KEY',
  );
}

/** A program asks whether a key exists. */
export function cannotCheckExistence(): PartnerError {
  return resourceError("The Partner API cannot tell whether a key exists. Nothing was sent.");
}

function creationBlocked(at: string, reason: string, hasKey: boolean, urn: string): string {
  const stays = hasKey ? " The current key stays in use." : "";
  return `A key may have been created${inResource("for", urn)} at ${minuteOf(at)}, but ${reason}.${stays}`;
}

/** Returns an error with another message. */
function withMessage({ code, effect, status }: PartnerError, message: string): PartnerError {
  return new PartnerError(code, message, { effect, status });
}

/** Names a key by what does not reveal it. */
function keyName({ apiKey, createdAt }: Key, urn: string, which = ""): string {
  const hint = hintOf(apiKey);
  if (hint !== null) return `the ${which}key …${hint}${inResource("of", urn)}`;
  if (createdAt === null) return `the ${which}key${inResource("of", urn)}`;
  return `the ${which}key created ${minuteOf(createdAt)}${inResource("for", urn)}`;
}

/** Names a resource as the program does; empty if the host does not know it. */
function inResource(preposition: "of" | "for", urn: string): string {
  return urn === "" ? "" : ` ${preposition} "${partsOf(urn).name}"`;
}

/** Quotes a URN for a shell: it may contain a `$`. */
function quoted(urn: string): string {
  return urn === "" ? "URN" : `'${urn}'`;
}

function oneOf(pointers: readonly string[]): string {
  return pointers.map((pointer) => `"${pointer}"`).join(" or ") || "its JSON Pointer";
}

/** @param time ISO 8601. */
function minuteOf(time: string): string {
  return Number.isNaN(Date.parse(time)) ? "an unknown time" : `${time.slice(0, 16).replace("T", " ")} UTC`;
}
