import { warning, type Notice } from "../account/notice.js";
import { partsOf } from "../adapter/properties.js";
import { PartnerError, resourceError } from "../partner-api/errors.js";
import { API_ROOT, OPERATIONS } from "../partner-api/operations.js";
import { quoted } from "../partner-api/request-messages.js";
import { isNotFound } from "../partner-api/statuses.js";
import type { NameSetting } from "../setting-messages.js";
import { mayMissRoute, type KeyIdentifier } from "./deletion-identifier-reader.js";
import { ASK_SERVICE, keyName, shellUrn, stateDelete, withSentence } from "./key-messages.js";
import type { Key } from "./key-state.js";

/** What a rotation that fails has done all the same. */
export const PREVIOUS_DELETED = "The previous key was deleted.";

/** A deletion is skipped: another resource has the key. @param holder Its URN, perhaps `urn`. */
export function keyHeldByOther(key: Key, urn: string, holder: string): Notice {
  const { name } = partsOf(holder);
  const other = name === "" ? "another resource" : JSON.stringify(name);
  const whose = holder === urn && urn !== "" ? "its replacement" : other;
  return warning(`Did not delete ${keyName(key, urn)}: ${whose} has the same key.`);
}

/** A deletion is skipped: all that identifies the key also identifies one that stays in use. */
export function keyIdInUse(key: Key, urn: string): Notice {
  return warning(`Did not delete ${keyName(key, urn)}: another key has the same ID.`);
}

/** The key authenticates the provider, so that its deletion would be the last request. */
export function keyIsAccessToken(key: Key, urn: string, settingName: NameSetting): PartnerError {
  const what = `${keyName(key, urn)}: the provider itself uses it as ${settingName("accessToken")}`;
  const text = `Cannot delete ${what}. Set another access token first.`;
  return new PartnerError("PARTNERS_CONFIGURATION", text);
}

/** A resource is removed because it was replaced, but its replacement has no key, or may be without one. */
export function keyStillNeeded(key: Key, urn: string): PartnerError {
  const why = urn === "" ? "another key could not be created" : "its replacement has no key";
  return resourceError(`Did not delete ${keyName(key, urn)}: ${why}. Fix that error first.`);
}

/** What the service answered to one identifier of a key. */
export interface DeletionAnswer {
  readonly identifier: KeyIdentifier;
  /** `nothing deleted`: a success whose body says so, or was cut off and may have said so. */
  readonly answer: PartnerError | "nothing deleted";
}

/** What is known of a deletion besides the answers. */
interface FailedDeletion {
  readonly server: string;
  /** How to say by which value the service deletes keys; `null` if no value is left to propose. */
  readonly proposal: string | null;
  /** Whether the last answer may be another one later. */
  readonly mayPass: boolean;
}

/**
 * The service has deleted a key by none of its identifiers. The remedies of the single answers would blame
 * the address or the token for what was only tried.
 */
export function keyNotDeleted(
  key: Key,
  answers: readonly DeletionAnswer[],
  { server, proposal, mayPass }: FailedDeletion,
): PartnerError {
  const { method, template } = OPERATIONS.deleteApiKey;
  const failures = answers.map(({ answer }) => answer).filter((answer) => answer instanceof PartnerError);
  const list = answers.map(({ identifier, answer }) => {
    const said = answer instanceof PartnerError ? (answer.status ?? answer.code) : answer;
    return `${identifierName(identifier, key)}: ${said}`;
  });
  const summary = `${method} ${server}${API_ROOT}${template} deleted nothing (${list.join("; ")})`;
  const isRouted = answers.some(
    ({ identifier, answer }) =>
      answer instanceof PartnerError && isNotFound(answer.status) && mayMissRoute(identifier.value),
  );
  const words = failures.findLast(({ serverWords }) => serverWords !== null)?.serverWords ?? null;
  const parts = [
    `${summary}.`,
    isRouted ? NOT_ROUTED : "",
    mayPass ? "Run this again later." : "",
    proposal === null
      ? ""
      : `If the service deletes keys by what it did not find, the key is gone: ${proposal}.`,
    words === null ? "" : quoted(words),
  ];
  const text = parts.filter((part) => part !== "").join(" ");
  const mayHaveChanged = failures.some((failure) => failure.mayHaveChanged);
  const facts = { mayHaveChanged, summary, isRefusal: !mayPass };
  const last = failures.at(-1);
  return mayPass && last !== undefined ? last.withMessage(text, facts) : resourceError(text, facts);
}

const NOT_ROUTED =
  "A 404 does not show that the key is gone: it has a character that many servers decode before they look " +
  "for the route.";

function identifierName({ value, pointer }: KeyIdentifier, { apiKey, storedAs }: Key): string {
  if (value === apiKey) return "the key";
  if (value === storedAs) return "the key in the stack";
  return pointer === null ? "its ID" : `its ID at ${pointer}`;
}

/** The service refuses to delete the previous key, whose overlap is over. */
export function previousNotDeleted(failure: PartnerError): PartnerError {
  return withSentence(failure, "To give up that key without deleting it, set a new rotation.trigger.");
}

/** The service refuses to delete the previous key, and a person has acted: no resource has it any more. */
export function keyGivenUp(previous: Key, urn: string, failure: PartnerError): Notice {
  const why = failure.summary ?? failure.message;
  return warning(`Gave up ${keyName(previous, urn, "previous ")}: ${why}. ${ASK_SERVICE}`);
}

/** A key that a removal has not deleted, and why. */
export interface UndeletedKey {
  /** `null`: that of an open creation, which was not read. */
  readonly key: Key | null;
  readonly error: PartnerError;
}

/** What is known after a removal that failed. */
interface FailedRemoval {
  readonly urn: string;
  /** Whether all that failed may fail for ever: refusals, and a 500. */
  readonly isLasting: boolean;
  /** Whether the stack keeps the resource, and some of its keys may be deleted. */
  readonly lacksKeys: boolean;
  /** Whether there is a stack. */
  readonly hasStack: boolean;
}

/** Keys of a resource that is removed were not deleted: says how to keep the resource, or to forget it. */
export function removalFailed(
  failures: readonly [UndeletedKey, ...UndeletedKey[]],
  { urn, isLasting, lacksKeys, hasStack }: FailedRemoval,
): PartnerError {
  const forgetIf = (condition: string): string => `If ${condition}, ${stateDelete(urn)}.`;
  const keep = `To keep the resource, declare it and run "pulumi up --replace ${shellUrn(urn)}".`;
  const remediesFor = (keys: string): string[] => [
    ...(hasStack && isLasting ? [forgetIf(keys)] : []),
    ...(hasStack && lacksKeys ? [keep] : []),
  ];
  const [{ error: first }, ...others] = failures;
  if (others.length === 0) return remediesFor("that key no longer works").reduce(withSentence, first);

  const byReason = Map.groupBy(failures, ({ error }) => error.message);
  const reasons = Array.from(byReason, ([message, undeleted]) => {
    const names = undeleted.flatMap(({ key }) => (key === null ? [] : [keyName(key, "")]));
    return names.length === 0 ? message : `Did not delete ${names.join(" and ")}. ${message}`;
  });
  const mayHaveChanged = failures.some(({ error }) => error.mayHaveChanged);
  const message = [...reasons, ...remediesFor("those keys no longer work")].join(" ");
  return first.withMessage(message, { mayHaveChanged, status: null, summary: null });
}

/** The service does not know any identifier of a key. */
export function keyWasGone(key: Key, urn: string): Notice {
  const gone = `The service does not know ${keyName(key, urn)}, so it counts as deleted.`;
  return warning(`${gone} If it still works, delete it at the service.`);
}
