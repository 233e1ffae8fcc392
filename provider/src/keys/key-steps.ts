import type { Applied } from "../adapter/resource.js";
import { asPartnerError, PartnerError } from "../partner-api/errors.js";
import { deleteKey, isLastingRefusal } from "./key-deletion.js";
import type { KeyContext } from "./key-holders.js";
import {
  deletedKeyAgain,
  keyGivenUp,
  PREVIOUS_DELETED,
  previousNotDeleted,
  sameKey,
  withSentence,
} from "./key-messages.js";
import { keptResponse, type KeyState } from "./key-state.js";
import {
  noKeyError,
  readCreation,
  showsKey,
  withCorrectedKeys,
  type CreationOutcome,
} from "./open-creation.js";
import {
  isNewTrigger,
  isPreviousValid,
  stepOf,
  withNewKey,
  withoutPrevious,
  withOverlapOf,
  type Rotation,
  type Step,
} from "./rotation.js";

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
      await endOverlap(change, state);
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
  // Whoever has the key deletes it: read later, it could be dead. But a setting may have found a wrong value.
  const isMapped = session.readSettings().responses.apiKey !== undefined;
  if (outcome.kind === "known" && !isMapped) throw sameKey(change.name.urn, outcome.holder, null);
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
  const isDeleted = await endOverlap(change, state);
  const remaining = withoutPrevious(state);
  const failed = (error: unknown) => ({ state: remaining, failure: asPartnerError(error) });
  const { state: reached, failure } = await createKey(change, remaining).catch(failed);
  return {
    state: reached,
    failure: failure && isDeleted ? withSentence(failure, PREVIOUS_DELETED) : failure,
  };
}

/**
 * Deletes the previous key, if there is one. What the service refuses to delete is given up once a person has
 * set a new trigger: `pulumi up --replace` would end the current key as well.
 *
 * @returns whether a key was deleted.
 * @throws {PartnerError} if the key could not be deleted, and is not given up.
 */
async function endOverlap(change: KeyChange, state: KeyState): Promise<boolean> {
  const { session, name, rotation } = change;
  const { current, previous } = state;
  if (previous === null) return false;
  const fate = await deleteKey(change, previous, current).catch(asPartnerError);
  if (!(fate instanceof PartnerError)) return fate === "gone";
  // A 500 may pass, unless it has stayed since the end of the overlap.
  const isOver = !isPreviousValid(state, session.currentTime());
  if (!isLastingRefusal(fate) && !(fate.status === 500 && isOver)) throw fate;
  if (!isNewTrigger(state.trigger, rotation)) throw previousNotDeleted(fate);
  session.notify(keyGivenUp(previous, name.urn, fate));
  return false;
}

/** Makes the key of the open creation the current one, or says why it cannot. Sends no request. */
function settleCreation(change: KeyChange, state: KeyState, outcome: CreationOutcome): Applied<KeyState> {
  if (outcome.kind !== "readable") return { state, failure: noKeyError(change, outcome, state) };
  const { session, holders, rotation, name } = change;
  if (holders.hasDeleted(outcome.key)) session.notify(deletedKeyAgain(outcome.key, name.urn));
  return { state: withNewKey(state, outcome.key, rotation, session.currentTime()), failure: null };
}
