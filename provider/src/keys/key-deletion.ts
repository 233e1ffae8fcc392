import { failureOf, type PartnerError } from "../partner-api/errors.js";
import { isInvalid, isNotFound } from "../partner-api/statuses.js";
import type { AccountSession } from "../plugin/account-session.js";
import type { ResourceName } from "../plugin/properties.js";
import { readCreatedKey, withCorrectedKeys } from "./created-key.js";
import type { KeyHolders } from "./key-holders.js";
import {
  failedDeletions,
  keyHeldByOther,
  keyIsAccessToken,
  keyNotAccepted,
  keyStillNeeded,
  keyWasGone,
  removalFailed,
  undeletedCreation,
  untrackedCreation,
} from "./key-messages.js";
import type { Key, KeyState } from "./key-state.js";

/** A resource that has keys, and what its process knows. */
export interface KeyContext {
  readonly session: AccountSession;
  readonly holders: KeyHolders;
  readonly name: ResourceName;
}

/** Deletes all keys of a resource that is removed. @throws {PartnerError} after all deletions are sent. */
export async function deleteKeys(context: KeyContext, stored: KeyState): Promise<void> {
  const { session, holders, name } = context;
  const { current, previous, unfinished } = withCorrectedKeys(session, stored);
  // After a failed replacement, consumers still use this key.
  if (current !== null && holders.isWithoutKey(name.urn)) throw keyStillNeeded(current, name.urn);

  const failures: PartnerError[] = [];
  const keys = [previous, current].filter((key) => key !== null);
  if (unfinished !== null) {
    const { key, candidates } = readCreatedKey(session, unfinished);
    if (key !== null) keys.push(key);
    else if (candidates === null) session.notify(untrackedCreation(unfinished, name.urn));
    else failures.push(undeletedCreation(unfinished, candidates, name.urn, session.proposeMember));
  }
  const distinctKeys = new Map(keys.map((key) => [key.apiKey, key])).values();
  for (const key of distinctKeys) {
    const failure = await failureOf(deleteKey(context, key));
    if (failure !== null) failures.push(session.hasStack ? removalFailed(failure, key, name.urn) : failure);
  }
  const [first, ...more] = failures;
  if (first !== undefined) throw failedDeletions([first, ...more]);
}

/**
 * Deletes a key, unless another resource has it. Each of its identifiers is sent only if the service did not
 * find, or did not accept, the one before it.
 *
 * @param current The current key of the resource, if `key` is the previous one. What also identifies a key
 * that stays is an account's ID, or one that the service has given out again, and is not sent.
 * @throws {PartnerError} unless the key is gone.
 */
export async function deleteKey(
  { session, holders, name }: KeyContext,
  key: Key,
  current: Key | null = null,
): Promise<void> {
  const staying = holders.othersThan(name).filter(({ isLeaving }) => !isLeaving);
  const holder = staying.find(({ keys }) => keys.includes(key.apiKey));
  if (holder !== undefined) {
    session.notify(keyHeldByOther(key, name.urn, holder.urn));
    return;
  }
  if (key.apiKey === session.readSettings().accessToken)
    throw keyIsAccessToken(key, name.urn, session.settingName);

  const idsInUse = new Set(staying.flatMap(({ identifiers }) => identifiers));
  if (current !== null) for (const { value } of holders.identifiersOf(current)) idsInUse.add(value);
  const identifiers = holders.identifiersOf(key).filter(({ value }) => !idsInUse.has(value));
  const client = await session.open();
  const failures: PartnerError[] = [];
  for (const { value } of identifiers) {
    const failure = await failureOf(client.deleteApiKey(value, [key.apiKey]));
    if (failure === null) return;
    if (!isNotFound(failure.status) && !isInvalid(failure.status)) throw failure;
    failures.push(failure);
  }
  const [first] = failures;
  // Of an imported key, no response is kept in which a setting could find an ID.
  if (first && isInvalid(first.status) && key.response !== null) {
    const others = identifiers.slice(1).flatMap(({ pointer }) => pointer ?? []);
    throw keyNotAccepted(first, others, session.proposeMember);
  }
  await session.assertReachable(); // At a wrong address, a 404 proves nothing.
  session.notify(keyWasGone(key, name.urn));
}
