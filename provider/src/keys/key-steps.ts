import type { Applied } from "../adapter/resource.js";
import { asPartnerError } from "../partner-api/errors.js";
import { deleteKey } from "./key-deletion.js";
import type { KeyContext } from "./key-holders.js";
import { PREVIOUS_DELETED, sameKey, withSentence } from "./key-messages.js";
import { keptResponse, type KeyState } from "./key-state.js";
import {
  noKeyError,
  readCreation,
  showsKey,
  withCorrectedKeys,
  type CreationOutcome,
} from "./open-creation.js";
import { stepOf, withNewKey, withoutPrevious, withOverlapOf, type Rotation, type Step } from "./rotation.js";

/** A resource whose keys may change, with its arguments. */
export interface KeyChange extends KeyContext {
  readonly rotation: Rotation;
}

/** What an update finds, and the step that follows from it. */
export interface Assessment {
  readonly step: Step;
  /** The state as today's settings and arguments see it. */
  readonly state: KeyState;
  readonly outcome: CreationOutcome;
}

/** Assesses what an update has to do. Sends no request. @param stored The state as the stack stores it. */
export function assess(change: KeyChange, stored: KeyState): Assessment {
  const { session, rotation } = change;
  const state = withOverlapOf(withCorrectedKeys(session, stored), rotation);
  const outcome = readCreation(change, state);
  const step = stepOf(state, rotation, session.currentTime(), outcome.kind);
  return { step, state, outcome };
}

/** Performs a step. Throws a {@link PartnerError} only if the state is as before. */
export async function perform(change: KeyChange, assessment: Assessment): Promise<Applied<KeyState>> {
  const { step, state, outcome } = assessment;
  switch (step) {
    case "create":
      return createKey(change, state);
    case "rotate":
      return rotateKey(change, state);
    case "read":
    case "blocked":
      return settleCreation(change, state, outcome);
    case "expire":
      if (state.previous !== null) await deleteKey(change, state.previous, state.current);
      return { state: withoutPrevious(state), failure: null };
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
  const { response, failure: lost } = await client.createApiKey((text) => showsKey(session, text));
  const at = new Date(session.currentTime()).toISOString();
  const openCreation = { at, trigger: rotation.trigger, response: response && keptResponse(response) };
  const cause = lost?.isPermanent ? { cause: lost.message } : {};
  const sent = { ...state, openCreation: { ...openCreation, ...cause } };
  const outcome = readCreation(change, sent);
  const isNew = state.current === null && state.openCreation === null;
  // Of a new resource, there would be nothing to keep but the key of another one.
  if (isNew && outcome.kind === "known") throw sameKey(change.name.urn, outcome.holder);
  const applied = settleCreation(change, sent, outcome);
  // No key is read from a response that was lost or cut off, so the first error never comes alone.
  if (lost === null || applied.failure === null) return applied;
  // The open creation itself says a cause that lasts.
  if (lost.isPermanent)
    return { ...applied, failure: lost.withMessage(applied.failure.message, { summary: null }) };
  return { ...applied, failure: withSentence(lost, applied.failure.message) };
}

/** Rotates a key in place. The previous key is deleted first, so that there are never three. */
async function rotateKey(change: KeyChange, state: KeyState): Promise<Applied<KeyState>> {
  const { current, previous } = state;
  if (previous === null) return createKey(change, state);
  const fate = await deleteKey(change, previous, current);
  const remaining = withoutPrevious(state);
  const failed = (error: unknown) => ({ state: remaining, failure: asPartnerError(error) });
  const { state: reached, failure } = await createKey(change, remaining).catch(failed);
  return {
    state: reached,
    failure: failure && fate === "gone" ? withSentence(failure, PREVIOUS_DELETED) : failure,
  };
}

/** Makes the key of the open creation the current one, or says why it cannot. Sends no request. */
function settleCreation(change: KeyChange, state: KeyState, outcome: CreationOutcome): Applied<KeyState> {
  if (outcome.kind !== "readable") return { state, failure: noKeyError(change, outcome, state) };
  const { session, rotation } = change;
  return { state: withNewKey(state, outcome.key, rotation, session.currentTime()), failure: null };
}
