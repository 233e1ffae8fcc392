import { ApiStatusError, ResourceError } from "../api/errors.js";
import type { CreatedKey } from "../api/partner-client.js";
import { InitializationError, messageOf, type Properties } from "./boundary.js";
import { deleteKey, giveUpKey } from "./key-deletion.js";
import { keyInputs } from "./key-inputs.js";
import { findKey, type FoundKey } from "./key-response.js";
import { outputsOf, previousOf, withoutPrevious, type KeyState } from "./key-state.js";
import { afterDeed } from "./partly-done.js";
import { DAY } from "./rotation-days.js";
import { isPreviousExpired, type RotationStep } from "./rotation-plan.js";
import type { Session } from "./session.js";

/** What the steps of a rotation work with. */
export interface Work {
  readonly session: Session;
  readonly id: string;
  /** The checked inputs. */
  readonly news: Properties;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** Does one step of a plan. @throws {PartnerError} if nothing was done. @throws {InitializationError} if something was. */
export async function advance(step: RotationStep, work: Work, state: KeyState): Promise<KeyState> {
  if (step === "find") return findRotated(work, state);
  if (step === "adopt") return adopt(work, state);
  if (step === "rotate") return rotate(work, state);
  // "replace" gets here if a key fell due after the engine had asked: the next run replaces it.
  const { rotation } = keyInputs(work.news);
  return isPreviousExpired(state, rotation, work.now) ? (await dropPrevious(work, state)).state : state;
}

/**
 * Makes a key and puts it in place of the present one. The older previous key goes first, so that there are never more than
 * two, and nothing is left to do once the POST is answered except to read the answer.
 *
 * @throws {InitializationError} if something was done and something is left to do; it holds all that is known.
 */
async function rotate(work: Work, state: KeyState): Promise<KeyState> {
  const { state: before, deleted } = await dropPrevious(work, state);
  let created: CreatedKey;
  try {
    created = await work.session.client.createApiKey();
  } catch (error) {
    const reason = needsRoomForTwo(error) ?? error;
    if (before === state) throw reason;
    throw halfWay(work, before, deleted, messageOf(reason));
  }
  const { rotation, existingApiKey } = keyInputs(work.news);
  const { response, createdAt } = created;
  const memory = {
    ...before.memory,
    trigger: rotation.trigger ?? before.memory.trigger,
    adopted: existingApiKey ?? before.memory.adopted,
    unread: { response, createdAt },
  };
  return findRotated(work, { ...before, memory }, created, deleted);
}

/**
 * Puts the key that a rotation made in place of the present one, as soon as it is found in the kept response.
 *
 * @param deleted Whether the older previous key was deleted just before.
 * @throws {InitializationError} that keeps the response; the present key stays in place.
 */
function findRotated(work: Work, state: KeyState, created?: CreatedKey, deleted = false): KeyState {
  const { unread } = state.memory;
  if (unread === null) return state;
  const { responses } = work.session.settings;
  const finding = findKey(unread, "as a secret, and the key from before stays in use", responses, created);
  if (finding.found === null) throw halfWay(work, state, deleted, finding.reason);
  const memory = { ...state.memory, unread: null };
  return succession(work, { ...state, memory }, { ...finding.found, createdAt: unread.createdAt });
}

/** Puts the key that the program names now in place of the present one. Only the older previous key costs a request. */
async function adopt(work: Work, state: KeyState): Promise<KeyState> {
  const { rotation, existingApiKey } = keyInputs(work.news);
  if (existingApiKey === null) return state;
  const isPrevious = existingApiKey === state.previousApiKey; // Back to the key from before, which is still valid.
  const before = isPrevious ? state : (await dropPrevious(work, state)).state;
  const trigger = rotation.trigger ?? before.memory.trigger;
  const memory = { ...before.memory, trigger, adopted: existingApiKey };
  const keyId = isPrevious ? state.memory.previousKeyId : null;
  const createdAt = new Date(work.now).toISOString();
  return succession(
    work,
    { ...before, memory },
    { apiKey: existingApiKey, keyId, createdAt, response: null },
  );
}

/** Deletes the previous key, if there is one and nobody else wants it. @returns the same state if there is none. @throws {PartnerError} */
async function dropPrevious(
  { session, news }: Work,
  state: KeyState,
): Promise<{ readonly state: KeyState; readonly deleted: boolean }> {
  const previous = previousOf(state);
  if (previous === null) return { state, deleted: false };
  // That this resource names its own previous key as the one it once adopted does not keep it alive.
  const isOwn = previous.apiKey === keyInputs(news).existingApiKey;
  if (isOwn) await deleteKey(session, previous, state.server);
  const deleted = isOwn || (await giveUpKey(session, previous, state.server));
  return { state: withoutPrevious(state), deleted };
}

/** @param deleted Whether the previous key was deleted before it came to this. */
function halfWay({ id, news }: Work, state: KeyState, deleted: boolean, reason: string): InitializationError {
  const text = deleted ? afterDeed("The previous key is deleted", reason) : reason;
  return new InitializationError(id, outputsOf(state, news), text);
}

function succession(
  { news, now }: Work,
  state: KeyState,
  next: FoundKey & { readonly createdAt: string },
): KeyState {
  const { overlapDays } = keyInputs(news).rotation;
  return {
    ...state,
    ...next,
    rotatedAt: new Date(now).toISOString(),
    previousApiKey: state.apiKey,
    previousExpiresAt: new Date(now + (overlapDays ?? 0) * DAY).toISOString(),
    memory: { ...state.memory, previousKeyId: state.keyId },
  };
}

/** The general advice for a 409 is of no use where the engine replaces nothing. */
function needsRoomForTwo(error: unknown): ResourceError | null {
  if (!(error instanceof ApiStatusError) || error.status !== 409) return null;
  return new ResourceError({
    operation: "createApiKey",
    happened:
      "the server answered 409: the service refuses a second key, and a rotation in place needs two for a while",
    effect: "none",
    status: 409,
    requestId: error.requestId,
    remedy:
      "Set overlapDays to 0, remove existingApiKey, and set the resource option deleteBeforeReplace: then the old key is deleted before the new one is made.",
  });
}
