import { ignorePartnerError, PartnerError, RequestError } from "../api/errors.js";
import { ResourceError, type LostCreation } from "../shared/problems.js";
import type { PluginProcess } from "../shared/plugin-process.js";
import type { Applied } from "../shared/resource.js";
import { createKey, keyOf, promoteKey, warnIfClockIsOff, type KeyChange } from "./key-creation.js";
import { deleteKey } from "./key-deletion.js";
import { heldKeys, type KeyResource } from "./key-holders.js";
import { withoutPreviousKey, type KeyState } from "./key-state.js";
import { isPreviousExpired, type RotationStep } from "./rotation-plan.js";
import { nameOfKey, readAgain, rereadKey, sharedPart, type StoredKey } from "./stored-key.js";

/** Performs a step of a plan. Throws a {@link PartnerError} only if it has reached nothing. */
export async function performStep(
  step: RotationStep,
  change: KeyChange,
  state: KeyState,
): Promise<Applied<KeyState>> {
  switch (step) {
    case "read":
      return readKeys(change, state);
    case "create":
      return createKey(change, state);
    case "rotate":
      return rotateKey(change, state);
    case "expire":
      return (await isExpiredAtService(change, state)) ? expirePrevious(change, state) : reached(state);
    case "blocked":
      throw new ResourceError(lostCreation(state));
    default:
      return reached(state); // The engine itself performs a replacement.
  }
}

function reached(state: KeyState): Applied<KeyState> {
  return { state, failure: null };
}

/**
 * Rotates a key in place. The previous key is deleted first, so that there are never three keys and the
 * creation is the last request. If the creation fails, the current key stays, without the previous one.
 */
async function rotateKey(change: KeyChange, state: KeyState): Promise<Applied<KeyState>> {
  const { trigger } = change.inputs.rotation;
  const isAsked = trigger != null && trigger !== state.trigger;
  // Only a wrong clock can make a key due by age while its predecessor is valid.
  if (state.previous !== null && !isAsked && !(await isExpiredAtService(change, state)))
    return reached(state);
  const { state: remaining, failure } = await expirePrevious(change, state);
  if (failure !== null) return { state: remaining, failure };
  if (!remaining.hasEndedPrevious) return createKey(change, remaining);
  const partlyDone = (next: PartnerError): Applied<KeyState> => ({
    state: remaining,
    failure: new ResourceError({ kind: "partlyDone", deleted: "previous", next }),
  });
  try {
    const created = await createKey(change, remaining);
    // If the key is not found, the failure already says what happened.
    if (created.failure === null || created.failure instanceof ResourceError) return created;
    return { ...partlyDone(created.failure), state: created.state };
  } catch (error) {
    if (!(error instanceof PartnerError)) throw error;
    return partlyDone(error);
  }
}

/**
 * Deletes the previous key, if there is one. If that fails, but the key may be gone, the key expires now: a
 * program that goes back to a longer overlap must not call it valid.
 */
async function expirePrevious(change: KeyChange, state: KeyState): Promise<Applied<KeyState>> {
  const { plugin, resource } = change;
  const { previous, current } = state;
  const previousExpiresAt = new Date(plugin.currentTime()).toISOString();
  try {
    if (previous) await deleteUnlessShared(plugin, resource, previous, current);
    return reached(withoutPreviousKey(state));
  } catch (error) {
    if (!(error instanceof RequestError) || error.failure.effect === "none") throw error;
    return { state: { ...state, previousExpiresAt }, failure: error };
  }
}

/** Deletes a key, unless that would also delete another key of the same resource. */
async function deleteUnlessShared(
  plugin: PluginProcess,
  resource: KeyResource,
  key: StoredKey,
  kept: StoredKey | null,
): Promise<void> {
  const same = kept && sharedPart(key, kept, plugin.readSettings());
  if (same === null) return deleteKey(plugin, resource, key);
  plugin.warn({ kind: "keyKept", name: nameOfKey(key), urn: resource.urn, same });
}

/**
 * Whether the overlap of the previous key is over by the clock of the service as well, which every run of a
 * stack shares.
 */
async function isExpiredAtService({ plugin, inputs }: KeyChange, state: KeyState): Promise<boolean> {
  // A program that shortens the overlap asks for the deletion.
  if (!(Date.parse(state.previousExpiresAt ?? "") <= plugin.currentTime())) return true;
  const { client, webhooks } = await plugin.open();
  if (client.clockOffset() === null) await webhooks.reach().catch(ignorePartnerError);
  return warnIfClockIsOff(plugin) === 0 || isPreviousExpired(state, inputs.rotation, plugin.agreedTime());
}

/**
 * Reads the keys from their stored responses again. If a new key is still not found, the state does not
 * change.
 */
function readKeys(change: KeyChange, state: KeyState): Applied<KeyState> {
  const settings = change.plugin.readSettings();
  if (state.unread) {
    try {
      return promoteKey(change, state, readAgain(state.unread, settings), new Set());
    } catch (error) {
      if (!(error instanceof ResourceError && error.problem.kind === "sameKey")) throw error;
      // It was no new key, so that nothing is left to read.
      return { state: { ...state, unread: null }, failure: error };
    }
  }
  const reread = (key: StoredKey | null): StoredKey | null => key && (rereadKey(key, settings) ?? key);
  return reached({ ...state, current: reread(state.current), previous: reread(state.previous) });
}

/**
 * Deletes all keys of a resource in order; none if a new key is not found, or if a creation was lost.
 *
 * @throws {PartnerError} that says whether one was deleted.
 */
export async function deleteKeys(
  plugin: PluginProcess,
  resource: KeyResource,
  state: KeyState,
): Promise<void> {
  if (state.lostCreationAt !== null) throw new ResourceError({ ...lostCreation(state), deletes: true });
  const settings = plugin.readSettings();
  const creation = state.unread && readAgain(state.unread, settings);
  const created = creation && keyOf(plugin, creation, state.current !== null);
  if (created instanceof ResourceError) throw created;
  const keys = [state.previous, created, state.current].filter((key) => key !== null);
  // From now on, this resource protects its keys no longer.
  plugin.keyHolders.leave(resource, heldKeys({ ...state, current: state.current ?? created }, settings));
  let deleted = false;
  for (const [index, key] of keys.entries()) {
    // A deletion of a later one deletes this one as well.
    const shared = keys.slice(index + 1).map((later) => sharedPart(key, later, settings));
    if (shared.includes("id") && !shared.includes("key"))
      plugin.warn({ kind: "keyWasGone", name: nameOfKey(key), why: "sameId" });
    if (shared.some((part) => part !== null)) continue;
    try {
      await deleteKey(plugin, resource, key);
      deleted = true;
    } catch (error) {
      plugin.keyHolders.record(resource, heldKeys(state, settings));
      if (!deleted || !(error instanceof PartnerError)) throw error;
      throw new ResourceError({ kind: "partlyDone", deleted: "one", next: error });
    }
  }
}

function lostCreation({ lostCreationAt, current }: KeyState): LostCreation {
  return { kind: "lostCreation", at: lostCreationAt ?? "", rotates: current !== null, deletes: false };
}
