import { UNKNOWN, type Properties } from "../plugin/properties.js";
import { warning, type Notice } from "../plugin/resource.js";
import { readCreation } from "./created-key.js";
import type { Assessment, KeyChange } from "./key-steps.js";
import {
  keyCorrected,
  keyIsAccessToken,
  previousKeyEnds,
  rotationAhead,
  rotationWaits,
  untrackedCreation,
} from "./key-messages.js";
import { NO_KEY, outputsOf, valuesOf, type KeyState } from "./key-state.js";
import { daysAfter, dueOf, isPreviousValid, STEPS, withoutPrevious } from "./rotation.js";

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
export function noticesOf(
  { session, rotation, name: { urn } }: KeyChange,
  { step, state, created }: Assessment,
  stored: KeyState,
): Notice[] {
  const { creates, deletes } = STEPS[step];
  const { current, previous, previousExpiresAt, unfinished } = state;
  const now = session.currentTime();
  const notices: Notice[] = [];
  if (current?.storedAs !== undefined || previous?.storedAs !== undefined)
    notices.push(keyCorrected(urn, session.settings.settingName));
  // Where a key was read, the service has returned one that a resource has.
  if (unfinished !== null && creates && readCreation(session, unfinished).key === null)
    notices.push(untrackedCreation(unfinished, urn));
  else if (created.failure !== null) notices.push(warning(created.failure.message));

  const due = dueOf(state, rotation, now);
  if (current !== null && due === "waiting" && previousExpiresAt !== null)
    notices.push(rotationWaits(current, urn, previousExpiresAt));
  if (current !== null && (due === "trigger" || due === "age") && creates) {
    const overlapEnd = step === "rotate" ? daysAfter(now, rotation.overlapDays ?? 0) : null;
    notices.push(rotationAhead(current, urn, due, overlapEnd));
  }

  if (previous !== null && deletes.includes("previous")) {
    const isEarly = isPreviousValid(stored, now); // Before the end that the stack shows.
    notices.push(previousKeyEnds(previous, urn, isEarly));
  }
  const { accessToken } = session.readSettings();
  for (const key of deletes.map((which) => state[which]))
    if (key !== null && valuesOf(key).includes(accessToken))
      notices.push(warning(keyIsAccessToken(key, urn, session.settings.settingName).message));
  return notices;
}
