import { asPartnerError, PartnerError } from "../partner-api/errors.js";
import { assertNotAccessToken, deleteKey, isLastingRefusal } from "./key-deletion.js";
import type { KeyContext } from "./key-holders.js";
import {
  keyStillNeeded,
  openCreationDropped,
  openCreationNotDeleted,
  removalFailed,
  type UndeletedKey,
} from "./key-messages.js";
import type { Key, KeyState } from "./key-state.js";
import { createdKeyOf, readCreation, unreadOf, withCorrectedKeys } from "./open-creation.js";

/**
 * Deletes all keys of a resource that is removed.
 *
 * @throws {PartnerError} after all deletions are sent. Then, the stack keeps the resource as it is.
 */
export async function deleteKeys(context: KeyContext, stored: KeyState): Promise<void> {
  const { session, holders, name } = context;
  const state = withCorrectedKeys(session, stored);
  const { current, previous } = state;
  // After a failed replacement, consumers still use this key.
  if (current !== null && holders.isWithoutKey(name.urn)) throw keyStillNeeded(current, name.urn);

  const outcome = readCreation(context, state);
  const keys = distinctKeys([previous, current, createdKeyOf(outcome)]);
  // Before any other key is deleted: the stack would keep the resource with a key that no longer works.
  for (const key of keys) assertNotAccessToken(context, key);

  const failures: UndeletedKey[] = [];
  const unread = unreadOf(session, outcome);
  // Whoever replaces the resource has asked for another key.
  if (unread?.proposal != null && !holders.isReplaced(name))
    failures.push({ key: null, error: openCreationNotDeleted(unread.creation, name.urn, unread.proposal) });
  else if (unread !== null) session.notify(openCreationDropped(unread.creation, name.urn));

  let mayLackKeys = false;
  for (const key of keys) {
    const fate = await deleteKey(context, key, null).catch(asPartnerError);
    if (fate instanceof PartnerError) failures.push({ key, error: fate });
    mayLackKeys ||= fate instanceof PartnerError ? fate.mayHaveChanged : fate === "gone";
  }
  const [first, ...others] = failures;
  if (first === undefined) return;
  throw removalFailed([first, ...others], {
    urn: name.urn,
    // A 500 may pass, or stay: a service may fail on a key in place of an ID.
    isLasting: failures.every(({ error }) => isLastingRefusal(error) || error.status === 500),
    // Unless something replaces the resource, the stack keeps it with keys that may not work.
    lacksKeys: mayLackKeys && !holders.isReplaced(name),
    hasStack: session.hasStack,
  });
}

function distinctKeys(keys: readonly (Key | null)[]): Key[] {
  return [...new Map(keys.filter((key) => key !== null).map((key) => [key.apiKey, key])).values()];
}
