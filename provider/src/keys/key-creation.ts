import { PartnerError, RequestError, SettingsError } from "../api/errors.js";
import { textsToHide } from "../api/extra-headers.js";
import { redactText, possibleKeys } from "../api/redact.js";
import { responseText } from "../responses/creation-reader.js";
import { lookalikesBeside } from "../responses/key-reader.js";
import { ResourceError } from "../shared/problems.js";
import type { PluginProcess } from "../shared/plugin-process.js";
import type { Applied } from "../shared/resource.js";
import type { WebhookRegistry } from "../webhooks/webhook-registry.js";
import { heldKeys, type KeyResource } from "./key-holders.js";
import type { KeyInputs } from "./key-inputs.js";
import type { KeyState } from "./key-state.js";
import { overlapEnd } from "./rotation-plan.js";
import {
  foundKey,
  nameOfCreated,
  nameOfKey,
  namesOf,
  type CreatedKey,
  type Creation,
  type StoredKey,
} from "./stored-key.js";

/** A change to the keys of a resource. */
export interface KeyChange {
  readonly plugin: PluginProcess;
  readonly resource: KeyResource;
  readonly inputs: KeyInputs;
}

/**
 * Creates a key and makes it the current one. If the key is not found in the response, the current key stays,
 * and the state keeps the response as `unread` until the key is found. If the creation is lost, the state
 * remembers when.
 *
 * @throws {RequestError} if certainly nothing was created.
 */
export async function createKey(change: KeyChange, state: KeyState): Promise<Applied<KeyState>> {
  const { client, webhooks } = await change.plugin.open();
  await assertNoOutage(webhooks);
  const known = { ...state, lostCreationAt: null };
  const deleted = change.plugin.deletedKeys.deletedSoFar();
  try {
    const creation = await client.createApiKey();
    warnIfClockIsOff(change.plugin);
    const trigger = change.inputs.rotation.trigger ?? null;
    const unread = { ...creation.created, trigger };
    return promoteKey(change, { ...known, unread }, creation, deleted);
  } catch (error) {
    if (!(error instanceof RequestError) || error.failure.effect === "none") throw error;
    return { state: { ...known, lostCreationAt: error.failure.failedAt }, failure: error };
  }
}

/**
 * Asks again whether an outage that the check of the token found is over: a creation that meets it has an
 * unknown outcome, and stops the resource until a person has looked for a key.
 *
 * @throws {RequestError} if it is not.
 */
async function assertNoOutage(webhooks: WebhookRegistry): Promise<void> {
  if (!isOutage(webhooks.failure)) return;
  try {
    await webhooks.reach();
  } catch (error) {
    if (isOutage(error)) throw new RequestError({ ...error.failure, holdsCreation: true });
    if (!(error instanceof PartnerError)) throw error;
  }
}

/** Whether the service was not reached. After a 500 or a timeout, only the list may be broken or long. */
function isOutage(error: unknown): error is RequestError {
  if (!(error instanceof RequestError)) return false;
  const { cause } = error.failure;
  return cause.kind === "connection" || [502, 503, 504].includes(error.status ?? 0);
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
 * Makes a created key the current one. If the key is not in its response, or is not a new one although the
 * response may have it elsewhere, the state stays.
 *
 * @param deleted What was deleted before the creation was sent. Only such a key can come back.
 * @throws {ResourceError} if the key is not a new one, and the response is of no more use.
 */
export function promoteKey(
  change: KeyChange,
  state: KeyState,
  creation: Creation,
  deleted: ReadonlySet<string>,
): Applied<KeyState> {
  const { plugin, resource } = change;
  const settings = plugin.readSettings();
  const rotates = state.current !== null;
  const { created } = creation;
  const found = keyOf(plugin, creation, rotates || state.replaced !== null);
  if (found instanceof ResourceError) return { state, failure: found };
  const next = withNewKey(change, state, found);
  // Recorded first: of two processes that get the same key at the same time, at least one finds the other.
  plugin.keyHolders.record(resource, heldKeys(next, settings));
  const own = [state.current, state.previous, state.replaced].some((key) => key?.apiKey === found.apiKey);
  const names = namesOf(found, settings);
  const isBack = names.some((name) => deleted.has(name));
  const leaving = isBack ? null : plugin.keyHolders.leavingHolder(resource, [found.apiKey]);
  const holder = own
    ? { ...resource, response: null }
    : (plugin.keyHolders.otherHolder(resource, [found.apiKey]) ?? leaving);
  if (holder !== null) {
    plugin.keyHolders.record(resource, heldKeys(state, settings));
    // The same response as before has nothing new.
    const isSame = !own && holder.response === plugin.keyHolders.hash(responseText(created.response));
    const pointers = isSame ? null : otherValues(plugin, state, created, found);
    const kept = pointers === null ? null : { name: nameOfCreated(created), pointers };
    const { urn } = holder;
    const same = new ResourceError({ kind: "sameKey", name: nameOfKey(found), urn, rotates, kept });
    if (kept === null) throw same;
    return { state, failure: same };
  }
  plugin.deletedKeys.recordCreation(names);
  plugin.keyHolders.forgetDeletion(names);
  return { state: next, failure: null };
}

/** Returns the key of a creation, or why it was not found. */
export function keyOf(
  plugin: PluginProcess,
  { created, reading }: Creation,
  rotates: boolean,
): StoredKey | ResourceError {
  const settings = plugin.readSettings();
  if (reading.kind === "found") return foundKey(created, reading.apiKey, settings);
  const { response, undecoded } = created;
  const { refusal, reportsFailure, serverMessage: words } = reading;
  const possible = words === null ? [] : [...possibleKeys(responseText(response)), ...possibleKeys(words)];
  return new ResourceError({
    kind: "keyNotFound",
    name: nameOfCreated(created),
    complete: response.complete,
    undecoded: refusal.reason === "not JSON" ? undecoded : null,
    reportsFailure,
    serverMessage: words === null ? null : redactText(words, textsToHide(settings), possible),
    rotates,
    reading: refusal,
  });
}

/**
 * Returns pointers to what else in a response may be the new key: `responses.apiKey` may point to a value
 * that is the same for all keys.
 *
 * @returns `null` if nothing else may be one.
 */
function otherValues(
  plugin: PluginProcess,
  { current, previous, replaced }: KeyState,
  { response }: CreatedKey,
  found: StoredKey,
): readonly string[] | null {
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
  const trigger = state.unread?.trigger ?? state.trigger;
  const next: KeyState = { ...state, current: found, trigger, replaced: null, unread: null };
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

/** Warns if the clock of this machine is hours off. @returns By how much to correct it, in milliseconds. */
export function warnIfClockIsOff(plugin: PluginProcess): number {
  const error = plugin.clockError;
  if (error !== 0) plugin.warn({ kind: "clockOff", hours: Math.round(-error / 3_600_000) });
  return error;
}
