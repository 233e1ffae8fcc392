import { PartnerError } from "../partner-api/errors.js";
import type { Applied } from "../plugin/resource.js";
import type { KeyResponse } from "../registration.js";
import { mayHaveKey, readCreatedKey, withCorrectedKeys } from "./created-key.js";
import { deleteKey, type KeyContext } from "./key-deletion.js";
import { hasId } from "./key-identifier-reader.js";
import { keyUnread, keyUnreadByCommand, lostCreation, previousDeleted, sameKey } from "./key-messages.js";
import { keptResponse, type Key, type KeyState } from "./key-state.js";
import { stepOf, withDeclaredOverlap, type Rotation, type Step } from "./rotation.js";

/** A resource whose keys may change, with its arguments. */
export interface KeyChange extends KeyContext {
  readonly rotation: Rotation;
}

/** What has become of an unfinished creation. Both are `null` if there is none. */
interface Reading {
  /** Its key, if it can be read by now. */
  readonly key: Key | null;
  /** Why it cannot. */
  readonly failure: PartnerError | null;
}

/** What an update does. */
export interface Decision {
  readonly step: Step;
  /** The state as today's settings and arguments see it. */
  readonly state: KeyState;
  readonly reading: Reading;
}

/** Decides what an update does. Sends no request. @param stored The state as the stack stores it. */
export function decide(change: KeyChange, stored: KeyState): Decision {
  const { session, rotation } = change;
  const state = withDeclaredOverlap(withCorrectedKeys(session, stored), rotation);
  const reading = readUnfinished(change, state);
  return { step: stepOf(state, rotation, session.currentTime(), reading.key !== null), state, reading };
}

/** Performs a step. Throws a {@link PartnerError} only if it has reached nothing. */
export async function perform(change: KeyChange, { step, state }: Decision): Promise<Applied<KeyState>> {
  switch (step) {
    case "create":
      return createKey(change, state);
    case "rotate":
      return rotateKey(change, state);
    case "read":
    case "blocked":
      return finishCreation(change, state);
    case "expire":
      return { state: await withoutPreviousKey(change, state), failure: null };
    case "none":
    case "replace": // The engine itself performs a replacement.
      return { state, failure: null };
  }
}

/** Creates a key, which becomes the current one. @throws {PartnerError} if none can have been created. */
async function createKey(change: KeyChange, state: KeyState): Promise<Applied<KeyState>> {
  const { session, rotation } = change;
  await session.assertReachable();
  const client = await session.open();
  let response: KeyResponse | null = null;
  let cause: PartnerError | null;
  try {
    const creation = await client.createApiKey();
    const { text } = creation.response;
    const showsNothing = !mayHaveKey(session, text) && !hasId(text);
    if (creation.reportedFailure !== null && showsNothing) throw creation.reportedFailure;
    response = keptResponse(creation.response);
    cause = creation.cutOffFailure;
  } catch (error) {
    if (!(error instanceof PartnerError) || error.effect === "none") throw error;
    cause = error;
  }
  const at = new Date(session.currentTime()).toISOString();
  const unfinished = { at, trigger: rotation.trigger, response };
  const applied = finishCreation(change, { ...state, unfinished });
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
  if (state.previous !== null) await deleteKey(change, state.previous, state.current);
  return { ...state, previous: null, previousExpiresAt: null };
}

/** Makes the key of the unfinished creation the current one, or returns why it cannot. Sends no request. */
function finishCreation(change: KeyChange, state: KeyState): Applied<KeyState> {
  const { session, rotation } = change;
  const { current, unfinished } = state;
  const { key, failure } = readUnfinished(change, state);
  if (key === null) return { state, failure };
  const promoted = {
    current: key,
    previous: current,
    // Not its creation: a key that was read ten days late would have no overlap.
    rotatedAt: new Date(session.currentTime()).toISOString(),
    previousExpiresAt: null,
    trigger: rotation.trigger ?? unfinished?.trigger ?? null,
    unfinished: null,
  };
  return { state: withDeclaredOverlap(promoted, rotation), failure: null };
}

/** Reads the key of the unfinished creation, if there is one. */
function readUnfinished(
  { session, holders, name }: KeyContext,
  { current, previous, unfinished }: KeyState,
): Reading {
  const failed = (failure: PartnerError): Reading => ({ key: null, failure });
  if (unfinished === null) return { key: null, failure: null };
  const { key, candidates } = readCreatedKey(session, unfinished);
  if (key === null && !session.hasStack) return failed(keyUnreadByCommand(unfinished));
  if (key === null) {
    const facts = { unfinished, candidates, hasKey: current !== null, urn: name.urn };
    return failed(keyUnread(facts, session.proposeMember));
  }
  const holder = holders.othersThan(name).find(({ keys }) => keys.includes(key.apiKey));
  // A replacement does not have the key that it replaces in its state, but has the same URN.
  const isReplaced = name.urn !== "" && holder?.urn === name.urn;
  const isOwn = isReplaced || [current, previous].some((own) => own?.apiKey === key.apiKey);
  if (isOwn) return failed(sameKey(null));
  return holder === undefined ? { key, failure: null } : failed(sameKey(holder.urn));
}
