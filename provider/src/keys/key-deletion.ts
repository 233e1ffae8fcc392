import { asPartnerError, PartnerError } from "../partner-api/errors.js";
import { isAboutId, isNotFound, isRefused, isTemporary, isThrottled } from "../partner-api/statuses.js";
import type { KeyContext } from "./key-holders.js";
import { identifiersOf, mayMissRoute, type KeyIdentifier } from "./key-identifier-reader.js";
import {
  keyHeldByOther,
  keyIdInUse,
  keyIsAccessToken,
  keyNotDeleted,
  keyWasGone,
  type DeletionAnswer,
} from "./key-messages.js";
import { bodyOf, includesKey, valuesOf, type Key } from "./key-state.js";

/** What became of a key. `gone`: deleted, or unknown to the service. `kept`: another resource has it. */
export type Fate = "gone" | "kept";

/**
 * Deletes a key, unless another resource has it. What also identifies a key that stays in use is not sent: it
 * is the ID of an account, or one that the service has given out again.
 *
 * @param current The key that the resource goes on using; `null` if none.
 * @throws {PartnerError} if the key could not be deleted.
 */
export async function deleteKey(context: KeyContext, key: Key, current: Key | null): Promise<Fate> {
  const { session, holders, name } = context;
  const others = holders.othersThatStay(name);
  const holder = others.find(({ keys }) => includesKey(keys, key));
  if (holder !== undefined) {
    holders.release(key, name);
    session.notify(keyHeldByOther(key, name.urn, holder.urn));
    return "kept";
  }

  const keysInUse = [...(current === null ? [] : [current]), ...others.flatMap(({ keys }) => keys)];
  const idsInUse = keysInUse.flatMap((each) => identifiersIn(context, each)).map(({ value }) => value);
  const identifiers = identifiersIn(context, key).filter(({ value }) => !idsInUse.includes(value));
  if (identifiers.length === 0) {
    session.notify(keyIdInUse(key, name.urn));
    return "kept";
  }

  assertNotAccessToken(context, key);
  const answers = await sendIdentifiers(context, identifiers);
  if (answers !== null) {
    if (mayPass(answers) || !proveGone(answers)) throw notDeletedError(context, key, answers);
    await session.assertReachable(); // At a wrong address, a 404 proves nothing.
    session.notify(keyWasGone(key, name.urn));
  }
  holders.release(key); // If the service returns it again, it has created it again.
  return "gone";
}

/** The deletion of the access token would be the last request. @throws {PartnerError} if the key is it. */
export function assertNotAccessToken({ session, name }: KeyContext, key: Key): void {
  if (valuesOf(key).includes(session.readSettings().accessToken))
    throw keyIsAccessToken(key, name.urn, session.settings.settingName);
}

/** Whether the service has refused a deletion, and will again until something else changes. */
export function isLastingRefusal({ code, status }: PartnerError): boolean {
  return code === "PARTNERS_RESOURCE" || isRefused(status);
}

function identifiersIn({ session }: KeyContext, key: Key): KeyIdentifier[] {
  return identifiersOf(key.response && bodyOf(key.response), valuesOf(key), session.readSettings().responses);
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
    const failure = result === false ? null : result;
    answers.push({ identifier, failure });
    if (failure !== null && !isAboutIdentifier(failure)) break;
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
  const failure = answers.at(-1)?.failure ?? null;
  if (failure === null) return false;
  return failure.status === null || isTemporary(failure.status) || isThrottled(failure.status);
}

/** Whether the answers show that the service does not have the key. */
function proveGone(answers: readonly DeletionAnswer[]): boolean {
  // A person has said what deletes keys: the service may answer anything to the rest.
  const chosen = answers.filter(({ identifier }) => identifier.isChosen);
  return (chosen.length > 0 ? chosen : answers).every(
    (answer) => isNothing(answer) && (answer.identifier.isChosen || !mayMissRoute(answer.identifier.value)),
  );
}

/** Whether the service has answered that it has nothing with this identifier. */
function isNothing({ failure }: DeletionAnswer): boolean {
  return failure === null || isNotFound(failure.status);
}

/** Returns why no identifier deleted a key. */
function notDeletedError(
  { session }: KeyContext,
  key: Key,
  answers: readonly DeletionAnswer[],
): PartnerError {
  const failures = answers.flatMap(({ failure }) => failure ?? []);
  const [first] = failures;
  // The failure of the only request says enough, unless it blames the address for a 404. Each 500 may pass.
  const isOnly = answers.length === 1 && !isNotFound(first?.status ?? null);
  if (first !== undefined && (isOnly || answers.every(({ failure }) => failure?.status === 500)))
    return first;
  // Once it is chosen, a value that was not found shows that the key is gone.
  const notFound = answers.filter((answer) => isNothing(answer) && !mayMissRoute(answer.identifier.value));
  const pointers = notFound.flatMap(({ identifier }) => identifier.pointer ?? []);
  const proposal = pointers.length === 0 ? null : session.settings.proposeMember("apiKeyId", pointers);
  const server = session.readSettings().servers[0];
  return keyNotDeleted(key, answers, { server, proposal, mayPass: mayPass(answers) });
}
