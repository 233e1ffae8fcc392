import { PartnerError } from "../partner-api/errors.js";
import type { Applied } from "../plugin/resource.js";
import type { KeyResponse } from "../registration.js";
import { readCreatedKey, type KeyContext } from "./key-context.js";
import { deleteKey } from "./key-deletion.js";
import { keyLost, keyUnrecognized, lostCreation, previousDeleted, sameKey } from "./key-messages.js";
import { keptResponse, type Key, type KeyState } from "./key-state.js";
import { overlapEnd, stepOf, type Rotation, type Step } from "./rotation.js";

/** A change of the keys of a resource. */
export interface KeyChange extends KeyContext {
  readonly rotation: Rotation;
}

/** Returns the next step. A kept response that can be read by now is read, whatever the trigger. */
export function nextStep(change: KeyChange, state: KeyState): Step {
  if (readUnfinished(change, state).key !== null) return "read";
  return stepOf(state, change.rotation, change.plugin.currentTime());
}

/** Performs the next step. Throws a {@link PartnerError} only if it has reached nothing. */
export async function performStep(change: KeyChange, state: KeyState): Promise<Applied<KeyState>> {
  const step = nextStep(change, state);
  if (step === "create") return createKey(change, state);
  if (step === "rotate") return rotateKey(change, state);
  if (step === "read" || step === "blocked") return finishCreation(change, state);
  // The engine itself performs a replacement.
  return { state: step === "expire" ? await withoutPreviousKey(change, state) : state, failure: null };
}

/** Creates a key, which becomes the current one. @throws {PartnerError} if none can have been created. */
async function createKey(change: KeyChange, state: KeyState): Promise<Applied<KeyState>> {
  const { plugin, rotation } = change;
  await plugin.assertReachable();
  const client = await plugin.open();
  let response: KeyResponse | null = null;
  let cause: PartnerError | null = null;
  try {
    response = keptResponse(await client.createApiKey());
  } catch (error) {
    if (!(error instanceof PartnerError) || error.effect === "none") throw error;
    cause = error;
  }
  const at = new Date(plugin.currentTime()).toISOString();
  const applied = finishCreation(change, {
    ...state,
    unfinished: { at, trigger: rotation.trigger, response },
  });
  return cause && applied.failure ? { ...applied, failure: lostCreation(cause, applied.failure) } : applied;
}

/** Rotates a key in place. The previous key is deleted first, so that there are never three. */
async function rotateKey(change: KeyChange, state: KeyState): Promise<Applied<KeyState>> {
  if (state.previous === null) return createKey(change, state);
  const remaining = await withoutPreviousKey(change, state);
  const applied = await createKey(change, remaining).catch((error: unknown) => {
    if (error instanceof PartnerError) return { state: remaining, failure: error };
    throw error;
  });
  return { ...applied, failure: applied.failure && previousDeleted(applied.failure) };
}

/** Deletes the previous key. */
async function withoutPreviousKey(change: KeyChange, state: KeyState): Promise<KeyState> {
  if (state.previous !== null) await deleteKey(change, state.previous);
  return { ...state, previous: null, previousExpiresAt: null };
}

/** Makes the key of the unfinished creation the current one, or returns why it cannot. Sends no request. */
function finishCreation(change: KeyChange, state: KeyState): Applied<KeyState> {
  const { plugin, known, name, rotation } = change;
  const { current, unfinished } = state;
  const { key, failure } = readUnfinished(change, state);
  if (key === null) return { state, failure };
  known.createdFor.set(key.apiKey, name);
  const promoted = {
    current: key,
    previous: current,
    previousExpiresAt: current && overlapEnd(rotation, plugin.currentTime()),
    trigger: rotation.trigger ?? unfinished?.trigger ?? null,
    unfinished: null,
  };
  return { state: promoted, failure: null };
}

/** Reads the key of the unfinished creation, if there is one; `failure` says why it has led to none. */
export function readUnfinished(
  { plugin, known, name: { urn } }: KeyContext,
  { current, previous, unfinished }: KeyState,
): { readonly key: Key | null; readonly failure: PartnerError | null } {
  const failed = (failure: PartnerError) => ({ key: null, failure });
  if (unfinished === null) return { key: null, failure: null };
  const { key, candidates } = readCreatedKey(plugin, unfinished);
  if (candidates !== null)
    return failed(keyUnrecognized(unfinished, candidates, current !== null, urn, plugin.settingName));
  if (key === null) return failed(keyLost(unfinished, current !== null, urn));
  const { apiKey } = key;
  const holder = known.createdFor.get(apiKey) ?? known.seenIn.get(apiKey);
  // A replacement does not have the key that it replaces in its state, but has the same URN.
  const isOwn =
    [current, previous].some((own) => own?.apiKey === apiKey) || (urn !== "" && holder?.urn === urn);
  if (isOwn) return failed(sameKey(null));
  return holder === undefined ? { key, failure: null } : failed(sameKey(holder.urn));
}
