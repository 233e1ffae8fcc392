import { PartnerError, RequestError, SettingsError } from "../api/errors.js";
import { textsToHide } from "../api/extra-headers.js";
import { redactText, possibleKeys, serverMessage } from "../api/redact.js";
import { reportsFailure } from "../responses/failure-report.js";
import { lookalikesBeside } from "../responses/key-reader.js";
import { ResourceError, type LostCreation } from "../shared/problems.js";
import type { PluginProcess } from "../shared/plugin-process.js";
import type { Applied } from "../shared/resource.js";
import { deleteKey, heldKeys, namesFor, sharedPart } from "./key-deletion.js";
import type { KeyResource } from "./key-holders.js";
import type { KeyInputs } from "./key-inputs.js";
import { withoutPreviousKey, type KeyState } from "./key-state.js";
import { isPreviousExpired, overlapEnd, type RotationStep } from "./rotation-plan.js";
import {
  foundKey,
  nameOfCreated,
  nameOfKey,
  readKeptResponse,
  rereadKey,
  responseText,
  type CreatedKey,
  type StoredKey,
} from "./stored-key.js";

/** A change to the keys of a resource. */
interface KeyChange {
  readonly plugin: PluginProcess;
  readonly resource: KeyResource;
  readonly inputs: KeyInputs;
}

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
 * Creates a key and makes it the current one. If the key is not found in the response, the current key stays,
 * and the state keeps the response as `unread` until the key is found. If the creation is lost, the state
 * remembers when.
 */
export async function createKey(change: KeyChange, state: KeyState): Promise<Applied<KeyState>> {
  const { client } = await change.plugin.open();
  const known = { ...state, lostCreationAt: null };
  const deleted = change.plugin.deletedKeys.deletedSoFar();
  try {
    const created = await client.createApiKey();
    clockError(change.plugin); // Warns.
    const trigger = change.inputs.rotation.trigger ?? state.trigger;
    return promoteKey(change, { ...known, trigger, unread: created }, created, deleted);
  } catch (error) {
    if (!(error instanceof RequestError) || error.failure.effect === "none") throw error;
    return { state: { ...known, lostCreationAt: error.failure.failedAt }, failure: error };
  }
}

/**
 * Whether a call may have created a key before it failed, so that another one must not. An unexpected error
 * may have come afterwards.
 */
export function mayHaveCreatedKey(failure: unknown): boolean {
  if (failure instanceof RequestError)
    return failure.failure.operation === "createApiKey" && failure.failure.effect === "possible";
  if (failure instanceof ResourceError) {
    if (failure.problem.kind === "partlyDone") return mayHaveCreatedKey(failure.problem.next);
    return failure.problem.kind === "keyNotFound" || failure.problem.kind === "sameKey";
  }
  return !(failure instanceof SettingsError);
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
    failure: new ResourceError({ kind: "partlyDone", next }),
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
  const same = kept && sharedPart(plugin, key, kept);
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
  if (client.clockOffset() === null)
    await webhooks.list().catch((error: unknown) => {
      if (!(error instanceof PartnerError)) throw error;
    });
  return clockError(plugin) === 0 || isPreviousExpired(state, inputs.rotation, plugin.agreedTime());
}

/** Warns if the clock of this machine is hours off. @returns By how much to correct it, in milliseconds. */
function clockError(plugin: PluginProcess): number {
  const difference = plugin.agreedTime() - plugin.currentTime();
  if (difference !== 0) plugin.warn({ kind: "clockOff", hours: Math.round(-difference / 3_600_000) });
  return difference;
}

/**
 * Reads the keys from their stored responses again. If a new key is still not found, the state does not
 * change.
 */
function readKeys(change: KeyChange, state: KeyState): Applied<KeyState> {
  if (state.unread) {
    try {
      return promoteKey(change, state, state.unread, new Set());
    } catch (error) {
      if (!(error instanceof ResourceError && error.problem.kind === "sameKey")) throw error;
      // It was no new key, so that nothing is left to read.
      return { state: { ...state, unread: null }, failure: error };
    }
  }
  const settings = change.plugin.readSettings();
  const reread = (key: StoredKey | null): StoredKey | null => key && (rereadKey(key, settings) ?? key);
  return reached({ ...state, current: reread(state.current), previous: reread(state.previous) });
}

/**
 * Makes a created key the current one. If the key is not in its response, or is not a new one although the
 * response may have it elsewhere, the state stays.
 *
 * @param deleted What was deleted before the creation was sent. Only such a key can come back.
 * @throws {ResourceError} if the key is not a new one, and the response is of no more use.
 */
function promoteKey(
  change: KeyChange,
  state: KeyState,
  unread: CreatedKey,
  deleted: ReadonlySet<string>,
): Applied<KeyState> {
  const { plugin, resource } = change;
  const rotates = state.current !== null;
  const found = findKey(plugin, unread, rotates || state.replaced !== null);
  if (found instanceof ResourceError) return { state, failure: found };
  const next = withNewKey(change, state, found);
  // Recorded first: of two processes that get the same key at the same time, at least one finds the other.
  plugin.keyHolders.record(resource, heldKeys(plugin, next));
  const own = [state.current, state.previous, state.replaced].some((key) => key?.apiKey === found.apiKey);
  const names = namesFor(plugin, found);
  const isBack = names.some((name) => deleted.has(name));
  const leaving = isBack ? null : plugin.keyHolders.leavingHolder(resource, [found.apiKey]);
  const holder = own
    ? { ...resource, response: null }
    : (plugin.keyHolders.otherHolder(resource, [found.apiKey]) ?? leaving);
  if (holder !== null) {
    plugin.keyHolders.record(resource, heldKeys(plugin, state));
    // The same response as before has nothing new.
    const isSame = !own && holder.response === plugin.keyHolders.hash(responseText(unread.response));
    const pointers = isSame ? [] : otherValues(plugin, state, unread, found);
    const kept = pointers.length > 0 ? { name: nameOfCreated(unread), pointers } : null;
    const { urn } = holder;
    const same = new ResourceError({ kind: "sameKey", name: nameOfKey(found), urn, rotates, kept });
    if (kept === null) throw same;
    return { state, failure: same };
  }
  plugin.deletedKeys.recordCreation(names);
  plugin.keyHolders.forgetDeletion(names);
  return reached(next);
}

/**
 * Returns pointers to what else in a response may be the new key: `responses.apiKey` may point to a value
 * that is the same for all keys.
 */
function otherValues(
  plugin: PluginProcess,
  { current, previous, replaced }: KeyState,
  { response }: CreatedKey,
  found: StoredKey,
): readonly string[] {
  const earlier = [current, previous, replaced].map((key) => key?.response ?? null);
  const known = earlier.map((kept) => (kept === null ? "" : responseText(kept))).join("\n");
  const { accessToken, headers } = plugin.readSettings();
  const sent = Object.values(headers);
  return lookalikesBeside(responseText(response), found.apiKey, accessToken, (text) => {
    return known.includes(text) || sent.includes(text);
  });
}

/** Returns the state in which a key is the current one, and the one before it is the previous one. */
function withNewKey({ plugin, inputs }: KeyChange, state: KeyState, found: StoredKey): KeyState {
  const next: KeyState = { ...state, current: found, replaced: null, unread: null };
  if (state.current === null) return next;
  const now = plugin.currentTime();
  // Whichever clock is wrong, the overlap is not too short.
  const end = overlapEnd(inputs.rotation, Math.max(now, plugin.agreedTime()));
  return {
    ...next,
    rotatedAt: new Date(now).toISOString(),
    previous: state.current,
    previousExpiresAt: new Date(end).toISOString(),
    overlapDays: inputs.rotation.overlapDays ?? 0,
  };
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
  const created = state.unread && findKey(plugin, state.unread, state.current !== null);
  if (created instanceof ResourceError) throw created;
  const keys = [state.previous, created, state.current].filter((key) => key !== null);
  // From now on, this resource protects its keys no longer.
  plugin.keyHolders.leave(resource, heldKeys(plugin, { ...state, current: state.current ?? created }));
  let deleted = false;
  for (const [index, key] of keys.entries()) {
    // A deletion of a later one deletes this one as well.
    const shared = keys.slice(index + 1).map((later) => sharedPart(plugin, key, later));
    if (shared.includes("id") && !shared.includes("key"))
      plugin.warn({ kind: "keyWasGone", name: nameOfKey(key), why: "sameId" });
    if (shared.some((part) => part !== null)) continue;
    try {
      await deleteKey(plugin, resource, key);
      deleted = true;
    } catch (error) {
      plugin.keyHolders.record(resource, heldKeys(plugin, state));
      if (!deleted || !(error instanceof PartnerError)) throw error;
      throw new ResourceError({ kind: "partlyDone", next: error });
    }
  }
}

/** Finds a created key in its response, or says why it cannot. */
function findKey(plugin: PluginProcess, created: CreatedKey, rotates: boolean): StoredKey | ResourceError {
  const { response } = created;
  const settings = plugin.readSettings();
  const reading = readKeptResponse(response, settings);
  if (reading.kind === "found") return foundKey(created, reading.apiKey, settings);
  const text = responseText(response);
  const words = serverMessage(text);
  const possible = [...possibleKeys(text), ...possibleKeys(words ?? "")];
  return new ResourceError({
    kind: "keyNotFound",
    name: nameOfCreated(created),
    complete: response.complete,
    undecoded: reading.reason === "not JSON" ? created.undecoded : null,
    reportsFailure: reportsFailure(text),
    serverMessage: words === null ? null : redactText(words, textsToHide(settings), possible),
    rotates,
    reading,
  });
}

function lostCreation({ lostCreationAt, current }: KeyState): LostCreation {
  return { kind: "lostCreation", at: lostCreationAt ?? "", rotates: current !== null, deletes: false };
}
