import { failureOf, type PartnerError } from "../partner-api/errors.js";
import {
  deletionRefused,
  deletionUnclear,
  failedDeletions,
  keyStillNeeded,
  keyWasGone,
  sameKeyKept,
  undeletedCreation,
  untrackedCreation,
} from "./key-messages.js";
import { readCreatedKey, type KeyOwner } from "./key-owner.js";
import { identifyKey } from "./key-reader.js";
import { bodyOf, type Key, type KeyState } from "./key-state.js";

/** The statuses that say that a key, or its ID, is not found. */
const NOT_FOUND: readonly number[] = [404, 410];
/** The same for a key after its ID was not found: the key may be no valid ID. */
const NO_VALID_ID: readonly number[] = [...NOT_FOUND, 400, 422];

/** Deletes all keys of a resource that is removed. @throws {PartnerError} after all deletions are sent. */
export async function deleteKeys(owner: KeyOwner, state: KeyState): Promise<void> {
  const { plugin, known, name } = owner;
  const { current, previous, unfinished } = state;
  // After a failed replacement, consumers still use this key. The dynamic host does not say whose it is.
  const lacksKey = name.urn === "" ? known.keyless.size > 0 : known.keyless.has(name.urn);
  if (current !== null && lacksKey) throw keyStillNeeded(current, name.urn);

  const failures: PartnerError[] = [];
  const keys = [previous, current].filter((key) => key !== null);
  if (unfinished !== null) {
    const { key, candidates } = readCreatedKey(plugin, unfinished);
    if (key !== null) keys.push(key);
    else if (candidates === null) plugin.notify(untrackedCreation(unfinished, name.urn));
    else failures.push(undeletedCreation(unfinished, candidates, plugin.settingName));
  }
  for (const key of new Map(keys.map((each) => [each.apiKey, each])).values()) {
    const creator = known.created.get(key.apiKey);
    if (creator !== undefined && creator.id !== name.id) {
      plugin.notify(sameKeyKept(key, creator.urn));
      continue;
    }
    const failure = await failureOf(deleteKey(owner, key));
    if (failure !== null)
      failures.push(isFinal(failure, key) ? deletionRefused(failure, key, name.urn) : failure);
  }
  const [first, ...more] = failures;
  if (first !== undefined) throw failedDeletions([first, ...more]);
}

/** Whether no setting and no other run helps: the service refuses, or may want the ID of an imported key. */
function isFinal({ code, status }: PartnerError, key: Key): boolean {
  return [400, 409, 422].includes(status ?? 0) || (key.response === null && code === "PARTNERS_RESOURCE");
}

/**
 * Deletes a key: by its ID and, if that is not found, by itself, which can delete nothing else.
 *
 * @throws {PartnerError} unless the key is gone.
 */
export async function deleteKey({ plugin, known, name: { urn } }: KeyOwner, key: Key): Promise<void> {
  const { apiKey, response } = key;
  const identity = identifyKey(response && bodyOf(response), apiKey, plugin.readSettings().responses);
  const client = await plugin.open();
  const ids = [...new Set([identity.id ?? apiKey, apiKey])];
  for (const [index, id] of ids.entries()) {
    const failure = await failureOf(client.deleteApiKey(id, [apiKey]));
    if (failure === null || failure.effect === "possible") known.deletions.add(apiKey);
    if (failure === null) return;
    if (!(index === 0 ? NOT_FOUND : NO_VALID_ID).includes(failure.status ?? 0)) throw failure;
  }
  // Not found. That proves something only of what the service knows the key by, and at the right address.
  const isKnown = identity.isKey || ids.length > 1;
  const isOwnEffect = known.deletions.has(apiKey);
  if (isOwnEffect && isKnown) return;
  if (!isOwnEffect && !isKnown) throw deletionUnclear(key, urn, identity, plugin.settingName);
  if (!isOwnEffect) await plugin.assertReachable();
  plugin.notify(keyWasGone(key, urn));
}
