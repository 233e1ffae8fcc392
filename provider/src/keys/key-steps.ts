import type { Applied } from "../adapter/resource.js";
import { asPartnerError, PartnerError } from "../partner-api/errors.js";
import { isConflict } from "../partner-api/statuses.js";
import { deleteKey } from "./key-deletion.js";
import type { KeyContext } from "./key-holders.js";
import { keyGivenUp, PREVIOUS_DELETED, previousNotDeleted } from "./deletion-messages.js";
import { deletedKeyAgain, oldKeyMayRemain, sameKey, withSentence } from "./key-messages.js";
import { isKeyMapped, showsKey, withCorrectedKeys } from "./kept-responses.js";
import { keptResponse, type KeyState } from "./key-state.js";
import { noKeyError, readCreation, type CreationOutcome } from "./open-creation.js";
import {
  dueOf,
  isNewTrigger,
  isPreviousValid,
  stepOf,
  withNewKey,
  withoutPrevious,
  withOverlapOf,
  type Due,
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
  readonly due: Due | null;
}

/** Assesses what an update has to do. Sends no request. @param stored The state as the stack stores it. */
export function assess(change: KeyChange, stored: KeyState): Assessment {
  const { session, rotation } = change;
  const state = withOverlapOf(withCorrectedKeys(session, stored), rotation);
  const outcome = readCreation(change, state);
  const now = session.currentTime();
  const step = stepOf(state, rotation, now, outcome.kind);
  return { step, state, outcome, due: dueOf(state, rotation, now) };
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
  const { response, failure: incomplete } = await client
    .createApiKey((text) => showsKey(session, text))
    .catch((error: unknown) => {
      throw withOldKeySentence(change, state, asPartnerError(error));
    });
  const sent = {
    ...state,
    openCreation: {
      at: new Date(session.currentTime()).toISOString(),
      trigger: rotation.trigger,
      response: response && keptResponse(response),
      ...(incomplete?.isPermanent && { cause: incomplete.message }),
    },
  };
  const outcome = readCreation(change, sent);
  // Whoever has this key deletes it, so the creation must not stay open: read later, it could be dead. But
  // what a setting has found may be a wrong value, beside a new key.
  if (outcome.kind === "known" && !isKeyMapped(session)) throw sameKey(change.name.urn, outcome.holder, null);
  const { state: reached, failure } = settleCreation(change, sent, outcome);
  return { state: reached, failure: failure && withTransportError(failure, incomplete) };
}

/** Adds that a resource without a key may have an old one, which the engine deletes only after a creation. */
function withOldKeySentence(
  { session }: KeyChange,
  { current }: KeyState,
  failure: PartnerError,
): PartnerError {
  const mayHaveTwin = current === null && session.hasStack;
  return mayHaveTwin && isConflict(failure.status) ? oldKeyMayRemain(failure) : failure;
}

/**
 * Adds why the response is incomplete, with the code and the facts of that error. A lasting cause is already
 * in the message of the open creation.
 */
function withTransportError(failure: PartnerError, incomplete: PartnerError | null): PartnerError {
  if (incomplete === null) return failure;
  if (incomplete.isPermanent) return incomplete.withMessage(failure.message, { summary: null });
  return withSentence(incomplete, failure.message);
}

/** Rotates a key in place. The previous key is deleted first, so that there are never three. */
async function rotateKey(change: KeyChange, state: KeyState): Promise<Applied<KeyState>> {
  const isDeleted = await endOverlap(change, state);
  const remaining = withoutPrevious(state);
  const afterError = (error: unknown) => ({ state: remaining, failure: asPartnerError(error) });
  const { state: reached, failure } = await createKey(change, remaining).catch(afterError);
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
  const result = await deleteKey(change, previous, current).catch(asPartnerError);
  if (!(result instanceof PartnerError)) return result;
  // A 500 may pass, unless it has stayed since the end of the overlap.
  const isOver = !isPreviousValid(state, session.currentTime());
  const isLasting = result.isRefusal || (result.status === 500 && isOver);
  if (!isLasting) throw result;
  if (!isNewTrigger(state.trigger, rotation)) throw previousNotDeleted(result);
  session.notify(keyGivenUp(previous, name.urn, result));
  return false;
}

/** Makes the key of the open creation the current one, or says why it cannot. Sends no request. */
function settleCreation(change: KeyChange, state: KeyState, outcome: CreationOutcome): Applied<KeyState> {
  if (outcome.kind !== "readable") return { state, failure: noKeyError(change, outcome, state) };
  const { session, holders, rotation, name } = change;
  if (holders.markCreated(outcome.key)) session.notify(deletedKeyAgain(outcome.key, name.urn));
  return { state: withNewKey(state, outcome.key, rotation, session.currentTime()), failure: null };
}
