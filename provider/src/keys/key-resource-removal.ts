import { asPartnerError, PartnerError } from "../partner-api/errors.js";
import { assertNotAccessToken, deleteKey } from "./key-deletion.js";
import type { KeyContext } from "./key-holders.js";
import {
  keyStillNeeded,
  openCreationDropped,
  openCreationNotDeleted,
  removalFailed,
  type UndeletedKey,
} from "./key-messages.js";
import { withCorrectedKeys } from "./kept-responses.js";
import type { Key, KeyState } from "./key-state.js";
import { createdKeyOf, readCreation, unreadOf, type CreationOutcome } from "./open-creation.js";

/**
 * Deletes all keys of a resource that is removed. It sends all deletions, whatever one of them says.
 *
 * @throws {PartnerError} before the first one, if a key must not be deleted; after the last, if one failed.
 *   Then, the stack keeps the resource as it is.
 */
export async function removeResource(context: KeyContext, stored: KeyState): Promise<void> {
  const { session, holders, name } = context;
  const state = withCorrectedKeys(session, stored);
  const { current, previous } = state;
  // After a failed replacement, consumers still use this key.
  if (current !== null && holders.isWithoutKey(name.urn)) throw keyStillNeeded(current, name.urn);
  const outcome = readCreation(context, state);
  const keys = distinctKeys([previous, current, createdKeyOf(outcome)]);
  // Before any other key is deleted: the stack would keep the resource with a key that no longer works.
  for (const key of keys) assertNotAccessToken(context, key);

  const failures: UndeletedKey[] = settleForRemoval(context, outcome);
  let mayLackKeys = false;
  for (const key of keys) {
    const result = await deleteKey(context, key, null).catch(asPartnerError);
    if (result instanceof PartnerError) failures.push({ key, error: result });
    if (result instanceof PartnerError ? result.mayHaveChanged : result) mayLackKeys = true;
  }
  const [first, ...others] = failures;
  if (first === undefined) return;
  throw removalFailed([first, ...others], {
    urn: name.urn,
    // A 500 may pass, or stay: a service may fail on a key in place of an ID.
    isLasting: failures.every(({ error }) => error.isRefusal || error.status === 500),
    // Unless something replaces the resource, the stack keeps it with keys that may not work.
    lacksKeys: mayLackKeys && !holders.isReplaced(name),
    hasStack: session.hasStack,
  });
}

/** Drops an open creation, with a warning, unless a setting may still find its key. */
function settleForRemoval({ session, holders, name }: KeyContext, outcome: CreationOutcome): UndeletedKey[] {
  const unread = unreadOf(session, outcome);
  if (unread === null) return [];
  const { creation, proposal } = unread;
  // Whoever replaces the resource has asked for another key.
  if (proposal !== null && !holders.isReplaced(name))
    return [{ key: null, error: openCreationNotDeleted(creation, name.urn, proposal) }];
  session.notify(openCreationDropped(creation, name.urn));
  return [];
}

function distinctKeys(keys: readonly (Key | null)[]): Key[] {
  return [...new Map(keys.filter((key) => key !== null).map((key) => [key.apiKey, key])).values()];
}
