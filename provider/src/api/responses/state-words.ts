import type { WebhookState } from "../operations.js";
import type { JsonScalar, ResponseMapping } from "../responses.js";

/** The words for the states that need no setting; compared without regard to case. */
const BUILT_IN: Readonly<Record<WebhookState, readonly string[]>> = {
  active: ["active", "enabled", "on", "activated"],
  disabled: ["disabled", "inactive", "off", "deactivated"],
};

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
  return value === null || ["string", "number", "boolean"].includes(typeof value);
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
  return (value) => (isScalar(value) ? (meanings.get(asWord(value)) ?? null) : null);
}
