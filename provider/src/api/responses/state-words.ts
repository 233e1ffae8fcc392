import type { WebhookState } from "../operations.js";
import type { JsonScalar, ResponseMapping } from "../responses.js";

/** The words for the states that need no setting; compared without regard to case. */
const BUILT_IN: Readonly<Record<WebhookState, readonly string[]>> = {
  active: ["active", "enabled", "on", "activated"],
  disabled: ["disabled", "inactive", "off", "deactivated"],
};

/** Parts of words for a stop that the service may not call disabled (`auto_disabled`, `suspended_by_admin`, `failing`). */
const STOP_WORDS =
  /paused|suspended|stopped|fail(?:ed|ing)|blocked|deleted|archived|disabled|deactivated|revoked|expired|terminated/;
/** No word for a state is longer. */
const MAX_STOP_WORD = 64;

/** The state that a value stands for; `null` if it is not one of the known words. */
export type StateWords = (value: unknown) => WebhookState | null;

/**
 * A value as it is compared with the words for a state: text without regard to case, so that `1` and `"1"` are one word.
 * The command line stores digits and `true` as numbers and booleans, whatever the service sends.
 */
export function asWord(value: JsonScalar): string {
  return String(value).toLowerCase();
}

/** Whether a JSON value is neither an object nor an array. */
export function isScalar(value: unknown): value is JsonScalar {
  return (
    value === null || typeof value === "string" || typeof value === "number" || typeof value === "boolean"
  );
}

/** Whether a value is a word for a stop of some kind. What {@link StateWords} knows has another meaning, and comes first. */
export function isStopWord(value: unknown): boolean {
  return typeof value === "string" && value.length <= MAX_STOP_WORD && STOP_WORDS.test(value.toLowerCase());
}

/** The words for the states: those of the mapping, and for a state it does not name the built-in ones. */
export function createStateWords(mapping: ResponseMapping): StateWords {
  const meanings = new Map<string, WebhookState>();
  const add = (words: readonly JsonScalar[] | undefined, state: WebhookState): void => {
    for (const word of words ?? []) meanings.set(asWord(word), state);
  };
  // What the user has set comes last, and so replaces a built-in word of the other state.
  if (mapping.active === undefined) add(BUILT_IN.active, "active");
  if (mapping.disabled === undefined) add(BUILT_IN.disabled, "disabled");
  add(mapping.active, "active");
  add(mapping.disabled, "disabled");
  return (value) => {
    if (!isScalar(value)) return null;
    // Mostly it is in lower case already, and to make it so would copy it, for each of all webhooks.
    const known = typeof value === "string" ? meanings.get(value) : undefined;
    return known ?? meanings.get(asWord(value)) ?? null;
  };
}
