import { PartnerError, RequestError, type RequestFailure } from "../api/errors.js";
import { readApiKeyId } from "../responses/key-reader.js";
import type { ResponseMapping } from "../responses/mapping.js";
import { PartialFailure, type Properties } from "./contract.js";
import {
  currentKeyOf,
  fingerprint,
  outputsOf,
  previousKeyOf,
  readKeptResponse,
  rereadKey,
  responseText,
  withoutPreviousKey,
  type CreatedKey,
  type KeyState,
  type StoredKey,
} from "./key-state.js";
import { ResourceError } from "./problems.js";
import type { PluginProcess, Session } from "./process.js";
import { overlapEnd, rotationOf, type RotationStep } from "./rotation-plan.js";

/** A change to the keys of one resource, in one run. */
export interface KeyChange {
  readonly plugin: PluginProcess;
  readonly session: Session;
  /** The ID of the resource. */
  readonly id: string;
  /** The checked inputs. */
  readonly news: Properties;
}

type Perform = (change: KeyChange, state: KeyState) => KeyState | Promise<KeyState>;

/** Performs a step of a plan, and returns the new state. The engine itself performs a replacement. */
export const STEPS: Readonly<Record<RotationStep, Perform | null>> = {
  none: null,
  replace: null,
  read: readKeys,
  rotate: rotateKey,
  expire: expirePrevious,
};

/** Creates a key and makes it the current one. If the creation fails, the state does not change; the response is always kept. */
export async function createKey(change: KeyChange, state: KeyState): Promise<KeyState> {
  const unread = await change.session.client.createApiKey();
  const trigger = rotationOf(change.news).trigger ?? state.internal.trigger;
  return promoteKey(change, { ...state, internal: { ...state.internal, trigger, unread } }, unread);
}

/**
 * Deletes all keys of a resource in order. If a new key is not found in its response, none is deleted.
 *
 * @throws {PartnerError} that says whether a key was deleted before the failure.
 */
export async function deleteKeys(plugin: PluginProcess, session: Session, state: KeyState): Promise<void> {
  let deleted = false;
  for (const key of allKeysOf(state, session.settings.responses)) {
    try {
      await deleteKey(plugin, session, key);
      deleted = true;
    } catch (error) {
      if (!deleted || !(error instanceof PartnerError)) throw error;
      throw new ResourceError({ kind: "partlyDone", next: error });
    }
  }
}

/**
 * Rotates a key in place. The previous key is deleted first, so that there are never three keys and the creation is the last
 * request. If the creation fails, the current key stays, without the previous one.
 */
async function rotateKey(change: KeyChange, state: KeyState): Promise<KeyState> {
  if (state.previousApiKey === null) return createKey(change, state);
  const remaining = await expirePrevious(change, state);
  return createKey(change, remaining).catch((error: unknown) => {
    if (!(error instanceof PartnerError)) throw error; // If the key is not found, the failure already keeps what remains.
    const reason = new ResourceError({ kind: "partlyDone", next: error });
    throw new PartialFailure(change.id, outputsOf(remaining, change.news["account"]), reason);
  });
}

/** Deletes the previous key. If that fails, the state does not change. */
async function expirePrevious({ plugin, session }: KeyChange, state: KeyState): Promise<KeyState> {
  const previous = previousKeyOf(state);
  if (previous) await deleteKey(plugin, session, previous);
  return withoutPreviousKey(state);
}

/** Reads the keys from their stored responses again. If a new key is still not found, the state does not change. */
function readKeys(change: KeyChange, state: KeyState): KeyState {
  const { unread } = state.internal;
  return unread ? promoteKey(change, state, unread) : rereadKeys(state, change.session.settings.responses);
}

/**
 * Makes a created key the current one.
 *
 * @throws {PartialFailure} if the key is not found in the response to its creation. Both the response and the current key stay.
 */
function promoteKey({ plugin, session, id, news }: KeyChange, state: KeyState, unread: CreatedKey): KeyState {
  const found = findKey(state, unread, session.settings.responses);
  if (found instanceof ResourceError) throw new PartialFailure(id, outputsOf(state, news["account"]), found);
  const now = plugin.currentTime();
  const isRotation = state.apiKey !== null;
  return {
    ...state,
    ...found,
    createdAt: unread.createdAt,
    rotatedAt: isRotation ? new Date(now).toISOString() : null,
    previousApiKey: state.apiKey,
    previousExpiresAt: isRotation ? new Date(overlapEnd(rotationOf(news), now)).toISOString() : null,
    internal: { ...state.internal, previousResponse: state.response, unread: null },
  };
}

/** Reads both keys from their stored responses again, with the current mapping. */
function rereadKeys(state: KeyState, mapping: ResponseMapping): KeyState {
  const [current, previous] = [currentKeyOf(state), previousKeyOf(state)];
  return {
    ...state,
    apiKey: current && rereadKey(current, mapping).apiKey,
    previousApiKey: previous && rereadKey(previous, mapping).apiKey,
  };
}

/** Returns all keys of a resource. @throws {ResourceError} if a created key is not found in its response. */
function allKeysOf(state: KeyState, mapping: ResponseMapping): StoredKey[] {
  const { unread } = state.internal;
  const created = unread && findKey(state, unread, mapping);
  if (created instanceof ResourceError) throw created;
  return [previousKeyOf(state), created, currentKeyOf(state)].filter((key) => key !== null);
}

/** Finds a created key in its response, or says why it cannot. */
function findKey(
  state: KeyState,
  { response, createdAt }: CreatedKey,
  mapping: ResponseMapping,
): StoredKey | ResourceError {
  const reading = readKeptResponse(response, mapping);
  if (reading.kind === "found") return { apiKey: reading.apiKey, response };
  const { complete } = response;
  const rotates = state.apiKey !== null;
  return new ResourceError({ kind: "keyNotFound", createdAt, complete, rotates, reading });
}

/**
 * Deletes a key. A key that is already gone counts as deleted: 410 proves it. A 404 can also mean that the base URL is wrong,
 * so it counts only if the webhook list can be read with the same settings.
 *
 * @throws {PartnerError}
 */
async function deleteKey(plugin: PluginProcess, session: Session, key: StoredKey): Promise<void> {
  const { client, settings } = session;
  const { apiKey } = rereadKey(key, settings.responses);
  const id = key.response && readApiKeyId(responseText(key.response), settings.responses);
  try {
    await client.deleteApiKey(id ?? apiKey);
  } catch (error) {
    const status = error instanceof RequestError ? error.status : null;
    if (!(error instanceof RequestError) || (status !== 404 && status !== 410)) throw error;
    const { failure } = error;
    if (status === 404) await assertReadable(session, failure);
    // If an attempt may have taken effect, it deleted the key.
    const mayExist = status === 404 && failure.effect === "none" && id === null;
    plugin.warn({ kind: "keyWasGone", fingerprint: fingerprint(apiKey), status, mayExist });
  }
}

async function assertReadable({ webhooks }: Session, failure: RequestFailure): Promise<void> {
  try {
    await webhooks.lookUp([]);
  } catch (listError) {
    if (!(listError instanceof PartnerError)) throw listError;
    throw new ResourceError({ kind: "deletionUnclear", failure, listError });
  }
}
