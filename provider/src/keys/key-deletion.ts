import { asPartnerError, PartnerError } from "../partner-api/errors.js";
import { isAboutId, isNotFound, isTemporary, isThrottled } from "../partner-api/statuses.js";
import type { KeyContext } from "./key-holders.js";
import { identifiersOf, mayMissRoute, type KeyIdentifier } from "./deletion-identifier-reader.js";
import {
  keyHeldByOther,
  keyIdInUse,
  keyIsAccessToken,
  keyNotDeleted,
  keyWasGone,
  type DeletionAnswer,
} from "./deletion-messages.js";
import { bodyOf, includesKey, valuesOf, type Key } from "./key-state.js";

/**
 * Deletes a key, unless another resource has it. What also identifies a key that stays in use is not sent: it
 * is the ID of an account, or one that the service has given out again.
 *
 * @param current The key that the resource goes on using; `null` if none.
 * @returns `false` if the key was left alone, which a warning says.
 * @throws {PartnerError} if the key could not be deleted.
 */
export async function deleteKey(context: KeyContext, key: Key, current: Key | null): Promise<boolean> {
  const { session, holders, name } = context;
  if (holders.hasDeleted(key)) return true; // Another resource had it, too.
  holders.leave(name, key); // Before any request: no other resource must leave it to this one from now on.
  const others = holders.othersThatStay(name);
  const holder = others.find(({ keys }) => includesKey(keys, key));
  if (holder !== undefined) {
    session.notify(keyHeldByOther(key, name.urn, holder.urn));
    return false;
  }

  const keysInUse = [...(current === null ? [] : [current]), ...others.flatMap(({ keys }) => keys)];
  const idsInUse = keysInUse.flatMap((each) => identifiersIn(context, each)).map(({ value }) => value);
  // Whoever created the key may have left it to this resource, and the service may delete it only by its ID.
  const created = holders.withResponse(key);
  const identifiers = identifiersIn(context, created).filter(({ value }) => !idsInUse.includes(value));
  if (identifiers.length === 0) {
    session.notify(keyIdInUse(key, name.urn));
    return false;
  }

  assertNotAccessToken(context, key);
  const answers = await sendIdentifiers(context, identifiers);
  if (answers !== null) {
    if (mayPass(answers) || !proveGone(answers)) throw notDeletedError(context, key, answers);
    await session.assertReachable(); // At a wrong address, a 404 proves nothing.
    session.notify(keyWasGone(key, name.urn));
  }
  holders.markGone(key, answers === null);
  return true;
}

/** The deletion of the access token would be the last request. @throws {PartnerError} if the key is it. */
export function assertNotAccessToken({ session, name }: KeyContext, key: Key): void {
  if (valuesOf(key).includes(session.readSettings().accessToken))
    throw keyIsAccessToken(key, name.urn, session.settings.settingName);
}

function identifiersIn({ session }: KeyContext, key: Key): KeyIdentifier[] {
  return identifiersOf(key.response && bodyOf(key.response), key, session.readSettings().responses);
}

/**
 * Sends the identifiers of a key until one deletes it, each only after an answer about the one before. Any
 * other answer is about us, or the key, and would be the same.
 *
 * @returns what was answered; `null` once the key is deleted.
 */
async function sendIdentifiers(
  { session }: KeyContext,
  identifiers: readonly KeyIdentifier[],
): Promise<DeletionAnswer[] | null> {
  const client = await session.open();
  const answers: DeletionAnswer[] = [];
  for (const identifier of identifiers) {
    const result = await client.deleteApiKey(identifier.value).catch(asPartnerError);
    if (result === true) return null;
    const answer = result === false ? "nothing deleted" : result;
    answers.push({ identifier, answer });
    if (answer !== "nothing deleted" && !isAboutIdentifier(answer)) break;
  }
  return answers;
}

/** Whether a failure leaves open that another identifier is right. */
function isAboutIdentifier({ code, status, isUnreachable }: PartnerError): boolean {
  if (code === "PARTNERS_UNREADABLE") return !isUnreachable; // A success whose body reports a failure.
  return code === "PARTNERS_STATUS" && isAboutId(status);
}

/** Whether the last answer may be another one later: no response, or a service that is down or busy. */
function mayPass(answers: readonly DeletionAnswer[]): boolean {
  const failure = answers.at(-1)?.answer;
  if (!(failure instanceof PartnerError)) return false;
  return failure.status === null || isTemporary(failure.status) || isThrottled(failure.status);
}

/** Whether the answers show that the service does not have the key. */
function proveGone(answers: readonly DeletionAnswer[]): boolean {
  // A person has said what deletes keys: the service may answer anything to the rest.
  const chosen = answers.filter(({ identifier }) => identifier.isChosen);
  return chosen.length > 0 ? chosen.every(isAbsent) : answers.every(provesAbsence);
}

/** Whether an answer says that nothing has this identifier. */
function isAbsent({ answer }: DeletionAnswer): boolean {
  return answer === "nothing deleted" || isNotFound(answer.status);
}

/** Likewise, unless a router may have found another route, or none. */
function provesAbsence(answer: DeletionAnswer): boolean {
  return isAbsent(answer) && !mayMissRoute(answer.identifier.value);
}

/** Returns why no identifier deleted a key. */
function notDeletedError(context: KeyContext, key: Key, answers: readonly DeletionAnswer[]): PartnerError {
  const enough = failureThatSaysEnough(answers);
  if (enough !== null) return enough;
  const { session } = context;
  // Once it is chosen, a value that was not found shows that the key is gone.
  const notFound = answers.filter(provesAbsence);
  const pointers = notFound.flatMap(({ identifier }) => identifier.pointer ?? []);
  const proposal = pointers.length === 0 ? null : session.settings.proposeMember("apiKeyId", pointers);
  const server = session.readSettings().servers[0];
  return keyNotDeleted(key, answers, { server, proposal, mayPass: mayPass(answers) });
}

/** Returns the failure of the only request, or of all if each is a 500, which may pass; otherwise `null`. */
function failureThatSaysEnough(answers: readonly DeletionAnswer[]): PartnerError | null {
  const [first] = answers.map(({ answer }) => answer);
  // Of a 404, the remedy would be about the address.
  if (!(first instanceof PartnerError) || isNotFound(first.status)) return null;
  const areAll500 = answers.every(({ answer }) => answer instanceof PartnerError && answer.status === 500);
  return answers.length === 1 || areAll500 ? first : null;
}
