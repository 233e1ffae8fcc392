import { PartnerError, RequestError } from "../../api/errors.js";
import { reportsFailure } from "../../responses/failure-report.js";
import { readApiKeyId } from "../../responses/key-reader.js";
import { PartialFailure } from "../contract.js";
import type { KeyInputs } from "./key-inputs.js";
import {
  fingerprint,
  readKeptResponse,
  rereadKey,
  responseText,
  withoutPreviousKey,
  type CreatedKey,
  type KeyState,
  type StoredKey,
} from "./key-state.js";
import { ResourceError } from "../problems.js";
import type { PluginProcess } from "../plugin-process.js";
import { keyOutputs, overlapEnd, type RotationStep } from "./rotation-plan.js";

/** A change to the keys of the resource with this ID. */
interface KeyChange {
  readonly plugin: PluginProcess;
  readonly id: string;
  readonly inputs: KeyInputs;
}

/** Performs a step of a plan, and returns the new state. */
export async function performStep(step: RotationStep, change: KeyChange, state: KeyState): Promise<KeyState> {
  if (step === "read") return readKeys(change, state);
  if (step === "rotate") return rotateKey(change, state);
  if (step === "expire") return expirePrevious(change, state);
  return state; // The engine itself performs a replacement.
}

/**
 * Creates a key and makes it the current one. If the request fails, the state does not change. If the key is
 * not found in the response, the current key stays, and the state keeps the response as `unread` until the
 * key is found.
 */
export async function createKey(change: KeyChange, state: KeyState): Promise<KeyState> {
  const { client } = await change.plugin.open();
  const unread = await client.createApiKey();
  const trigger = change.inputs.rotation.trigger ?? state.trigger;
  return promoteKey(change, { ...state, trigger, unread }, unread);
}

/**
 * Rotates a key in place. The previous key is deleted first, so that there are never three keys and the
 * creation is the last request. If the creation fails, the current key stays, without the previous one.
 */
async function rotateKey(change: KeyChange, state: KeyState): Promise<KeyState> {
  if (state.previous === null) return createKey(change, state);
  const remaining = await expirePrevious(change, state);
  return createKey(change, remaining).catch((error: unknown) => {
    // If the key is not found, the failure already keeps what remains.
    if (!(error instanceof PartnerError)) throw error;
    throw failureThatKeeps(remaining, change, new ResourceError({ kind: "partlyDone", next: error }));
  });
}

/**
 * Deletes the previous key. If that fails, but the key may be gone, the key expires now: a program that goes
 * back to a longer overlap must not call it valid.
 */
async function expirePrevious(change: KeyChange, state: KeyState): Promise<KeyState> {
  const { plugin } = change;
  const previousExpiresAt = new Date(plugin.currentTime()).toISOString();
  if (state.previous)
    await deleteKey(plugin, state.previous).catch((error: unknown) => {
      if (!(error instanceof RequestError) || error.failure.effect === "none") throw error;
      throw failureThatKeeps({ ...state, previousExpiresAt }, change, error);
    });
  return withoutPreviousKey(state);
}

/**
 * Reads the keys from their stored responses again. If a new key is still not found, the state does not
 * change.
 */
function readKeys(change: KeyChange, state: KeyState): KeyState {
  if (state.unread) return promoteKey(change, state, state.unread);
  const { responses } = change.plugin.readSettings();
  const reread = (key: StoredKey | null): StoredKey | null => key && (rereadKey(key, responses) ?? key);
  return { ...state, current: reread(state.current), previous: reread(state.previous) };
}

/**
 * Makes a created key the current one.
 *
 * @throws {PartialFailure} that keeps the state, if the key is not in its response.
 */
function promoteKey(change: KeyChange, state: KeyState, unread: CreatedKey): KeyState {
  const { plugin, inputs } = change;
  const found = findKey(plugin, unread, state.current !== null);
  if (found instanceof ResourceError) throw failureThatKeeps(state, change, found);
  const next = { ...state, current: found, createdAt: unread.createdAt, unread: null };
  if (state.current === null) return next;
  const now = plugin.currentTime();
  return {
    ...next,
    rotatedAt: new Date(now).toISOString(),
    previous: state.current,
    previousExpiresAt: new Date(overlapEnd(inputs.rotation, now)).toISOString(),
  };
}

function failureThatKeeps(state: KeyState, { id, inputs }: KeyChange, reason: PartnerError): PartialFailure {
  return new PartialFailure(id, keyOutputs(state, inputs), reason);
}

/**
 * Deletes all keys in order; none if a new key is not found.
 *
 * @throws {PartnerError} that says whether one was deleted.
 */
export async function deleteKeys(plugin: PluginProcess, state: KeyState): Promise<void> {
  const created = state.unread && findKey(plugin, state.unread, state.current !== null);
  if (created instanceof ResourceError) throw created;
  let deleted = false;
  for (const key of [state.previous, created, state.current].filter((key) => key !== null)) {
    try {
      await deleteKey(plugin, key);
      deleted = true;
    } catch (error) {
      if (!deleted || !(error instanceof PartnerError)) throw error;
      throw new ResourceError({ kind: "partlyDone", next: error });
    }
  }
}

/** Finds a created key in its response, or says why it cannot. */
function findKey(plugin: PluginProcess, created: CreatedKey, rotates: boolean): StoredKey | ResourceError {
  const { response, createdAt } = created;
  const reading = readKeptResponse(response, plugin.readSettings().responses);
  if (reading.kind === "found") return { apiKey: reading.apiKey, response };
  return new ResourceError({
    kind: "keyNotFound",
    createdAt,
    complete: response.complete,
    reportsFailure: reportsFailure(responseText(response)),
    rotates,
    reading,
  });
}

/**
 * Deletes a key. A key that is already gone counts as deleted: 410 proves it. A 404 can also mean that the
 * base URL is wrong, so it counts only if the webhook list can be read with the same settings.
 */
async function deleteKey(plugin: PluginProcess, key: StoredKey): Promise<void> {
  const { keyRequests } = plugin;
  const { responses } = plugin.readSettings();
  const { client } = await plugin.open();
  const { apiKey } = rereadKey(key, responses) ?? key;
  if (keyRequests.deletionOf(apiKey) === "certain") return; // In an earlier call, which the engine repeats.
  const id = key.response && readApiKeyId(responseText(key.response), responses);
  try {
    await client.deleteApiKey(id ?? apiKey, apiKey);
  } catch (error) {
    if (!(error instanceof RequestError)) throw error;
    const { status, failure } = error;
    if (failure.effect === "possible") keyRequests.recordDeletion(apiKey, "possible");
    const repeated = keyRequests.deletionOf(apiKey) !== "none";
    // What an earlier attempt may have done is said once: with the error of the last one.
    if (status !== 404 && status !== 410)
      throw repeated ? new RequestError({ ...failure, effect: "possible" }) : error;
    if (status === 404) await assertReadable(plugin);
    const gone = status === 404 && id === null ? "mayExist" : "gone";
    plugin.warn({
      kind: "keyWasGone",
      fingerprint: fingerprint(apiKey),
      why: repeated ? "repeated" : gone,
    });
  }
  keyRequests.recordDeletion(apiKey, "certain");
}

async function assertReadable(plugin: PluginProcess): Promise<void> {
  const { webhooks } = await plugin.open();
  try {
    await webhooks.list();
  } catch (listError) {
    if (!(listError instanceof PartnerError)) throw listError;
    throw new ResourceError({ kind: "deletionUnclear", listError });
  }
}
