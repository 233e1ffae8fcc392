import { warning, type Notice } from "../account/notice.js";
import { UNKNOWN, type Properties } from "../adapter/properties.js";
import { keyIsAccessToken } from "./deletion-messages.js";
import {
  keyCorrected,
  keyFromFuture,
  openCreationDropped,
  previousKeyEnds,
  rotationAhead,
  rotationWaits,
} from "./key-messages.js";
import { NO_KEY, outputsOf, valuesOf, type KeyState } from "./key-state.js";
import type { Assessment, KeyChange } from "./key-steps.js";
import { noKeyError, unreadOf } from "./open-creation.js";
import { daysAfter, futureTimeOf, isPreviousValid, STEPS, withoutPrevious } from "./rotation.js";

/** The outputs of which a preview knows nothing. */
export const UNKNOWN_OUTPUTS: Properties = Object.fromEntries(
  Object.keys(outputsOf(NO_KEY)).map((name) => [name, UNKNOWN]),
);

/** Returns what a preview knows of the outputs after an update. */
export function previewOf({ step, state }: Assessment): Properties {
  switch (step) {
    case "none":
      return outputsOf(state);
    case "expire":
      return outputsOf(withoutPrevious(state));
    case "rotate":
      return { ...UNKNOWN_OUTPUTS, previousApiKey: state.current?.apiKey ?? null };
    case "blocked":
      // Without a key, a consumer would compute with `null`, which the update never passes on.
      return state.current === null ? UNKNOWN_OUTPUTS : outputsOf(state);
    case "create":
    case "read":
    case "replace":
      return UNKNOWN_OUTPUTS;
  }
}

/** Returns what a preview says about an update. @param stored The state as the stack stores it. */
export function noticesOf(change: KeyChange, assessment: Assessment, stored: KeyState): Notice[] {
  return [
    ...aboutCorrection(change, assessment),
    ...aboutCreation(change, assessment),
    ...aboutRotation(change, assessment),
    ...aboutDeletions(change, assessment, stored),
  ];
}

function aboutCorrection({ session, name }: KeyChange, { state }: Assessment): Notice[] {
  const isCorrected = [state.current, state.previous].some((key) => key?.storedAs !== undefined);
  return isCorrected ? [keyCorrected(name.urn, session.settings.settingName)] : [];
}

function aboutCreation(change: KeyChange, { step, state, outcome }: Assessment): Notice[] {
  if (!STEPS[step].creates) {
    const error = noKeyError(change, outcome, state);
    // An update fails with the same words. But where a hook repeats it, the engine does not show its error.
    return error === null ? [] : [warning(error.message)];
  }
  const unread = unreadOf(change.session, outcome);
  return unread === null ? [] : [openCreationDropped(unread.creation, change.name.urn)];
}

function aboutRotation({ session, rotation, name }: KeyChange, { step, state, due }: Assessment): Notice[] {
  const { current, previousExpiresAt } = state;
  if (current === null) return [];
  const now = session.currentTime();
  const future = futureTimeOf(state, now);
  if (future !== null && due !== "trigger") return [keyFromFuture(current, name.urn, future)];
  if (due === null) return [];
  if (due === "waiting") return [rotationWaits(current, name.urn, previousExpiresAt ?? "")];
  if (!STEPS[step].creates) return [];
  const overlapEnd = step === "rotate" ? daysAfter(now, rotation.overlapDays ?? 0) : null;
  return [rotationAhead(current, name.urn, due, overlapEnd)];
}

function aboutDeletions(change: KeyChange, { step, state }: Assessment, stored: KeyState): Notice[] {
  const { session, name } = change;
  const { accessToken } = session.readSettings();
  const isEarly = isPreviousValid(stored, session.currentTime()); // Before the end that the stack shows.
  return STEPS[step].deletes.flatMap((which) => {
    const key = state[which];
    if (key === null) return [];
    const notices = which === "previous" ? [previousKeyEnds(key, name.urn, isEarly)] : [];
    if (!valuesOf(key).includes(accessToken)) return notices;
    return [...notices, warning(keyIsAccessToken(key, name.urn, session.settings.settingName).message)];
  });
}
