import { failureOf, type PartnerError } from "../partner-api/errors.js";
import { readCreatedKey, type KeyContext } from "./key-context.js";
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
import { identifyKey } from "./key-reader.js";
import { bodyOf, type Key, type KeyState } from "./key-state.js";

/** The statuses that say that a key, or its ID, is not found. */
const NOT_FOUND: readonly number[] = [404, 410];
/** The same for a key after its ID was not found: the key may not be a valid ID. */
const INVALID_ID: readonly number[] = [...NOT_FOUND, 400, 422];

/** Deletes all keys of a resource that is removed. @throws {PartnerError} after all deletions are sent. */
export async function deleteKeys(context: KeyContext, state: KeyState): Promise<void> {
  const { plugin, known, name } = context;
  const { current, previous, unfinished } = state;
  // After a failed replacement, consumers still use this key. The dynamic host does not say whose it is.
  const lacksKey = name.urn === "" ? known.urnsWithoutKey.size > 0 : known.urnsWithoutKey.has(name.urn);
  if (current !== null && lacksKey) throw keyStillNeeded(current, name.urn);

  const failures: PartnerError[] = [];
  const keys = [previous, current].filter((key) => key !== null);
  if (unfinished !== null) {
    const { key, candidates } = readCreatedKey(plugin, unfinished);
    if (key !== null) keys.push(key);
    else if (candidates === null) plugin.notify(untrackedCreation(unfinished, name.urn));
    else failures.push(undeletedCreation(unfinished, candidates, plugin.settingName));
  }
  const distinctKeys = new Map(keys.map((key) => [key.apiKey, key])).values();
  for (const key of distinctKeys) {
    const creator = known.createdFor.get(key.apiKey);
    if (creator !== undefined && creator.id !== name.id) {
      plugin.notify(sameKeyKept(key, creator.urn));
      continue;
    }
    const failure = await failureOf(deleteKey(context, key));
    if (failure !== null)
      failures.push(needsManualCleanup(failure, key) ? deletionRefused(failure, key, name.urn) : failure);
  }
  const [first, ...more] = failures;
  if (first !== undefined) throw failedDeletions([first, ...more]);
}

/** Whether neither a setting nor another run would help: an imported key may need an ID that nobody kept. */
function needsManualCleanup({ code, status }: PartnerError, key: Key): boolean {
  return [400, 409, 422].includes(status ?? 0) || (key.response === null && code === "PARTNERS_RESOURCE");
}

/**
 * Deletes a key: by its ID and, if that is not found, by itself, which can delete nothing else.
 *
 * @throws {PartnerError} unless the key is gone.
 */
export async function deleteKey({ plugin, known, name: { urn } }: KeyContext, key: Key): Promise<void> {
  const { apiKey, response } = key;
  const identity = identifyKey(response && bodyOf(response), apiKey, plugin.readSettings().responses);
  const client = await plugin.open();
  const ids = [...new Set([identity.id ?? apiKey, apiKey])];
  for (const [index, id] of ids.entries()) {
    const failure = await failureOf(client.deleteApiKey(id, [apiKey]));
    if (failure === null || failure.effect === "possible") known.deletions.add(apiKey);
    if (failure === null) return;
    if (!(index === 0 ? NOT_FOUND : INVALID_ID).includes(failure.status ?? 0)) throw failure;
  }
  // A 404 proves a deletion only for the identifier that the service uses.
  const isRightId = identity.isDeletedByKey || ids.length > 1;
  const isOwnEffect = known.deletions.has(apiKey);
  if (isOwnEffect && isRightId) return;
  if (!isOwnEffect) {
    if (!isRightId && !identity.isNamed) throw deletionUnclear(key, urn, identity, plugin.settingName);
    await plugin.assertReachable(); // At a wrong address, a 404 proves nothing.
  }
  plugin.notify(keyWasGone(key, urn, isRightId ? null : identity.idPointer, plugin.settingName));
}
