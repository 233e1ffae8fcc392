import type { JsonScalar } from "../bodies/json.js";
import { oppositeState, type WebhookState } from "./operations.js";

/** The words for the states of a webhook that a person has set. Those of `ResponseMapping`. */
export type StateWords = Readonly<Partial<Record<WebhookState, readonly JsonScalar[] | undefined>>>;

/** What a service calls the states when it refuses to set one. */
const USUAL_WORDS: Readonly<Record<WebhookState, readonly string[]>> = {
  active: ["active", "enabled"],
  disabled: ["disabled", "inactive", "paused"],
};
/** With one of these, it may speak of something else: "already being disabled", "another is active". */
const DOUBTS = ["not", "cannot", "being", "another", "other", "only"];

/**
 * Whether the words of a refusal say that the webhook is in a state already. A false match would leave a
 * webhook in the wrong state and say nothing, so this is narrow.
 */
export function saysAlready(words: string, state: WebhookState, own: StateWords = {}): boolean {
  const said = normalize(words);
  const [before, ...after] = said.split(" already ");
  if (before === undefined || after.length === 0) return false;
  const hasOneOf = (text: string, sought: readonly string[]): boolean =>
    sought.some((word) => ` ${text} `.includes(normalize(word)));
  if (hasOneOf(said, [...DOUBTS, ...wordsFor(oppositeState(state), own)])) return false;
  return hasOneOf(after.join(" "), wordsFor(state, own));
}

function wordsFor(state: WebhookState, own: StateWords): string[] {
  // `1` and `true` say nothing in a sentence.
  const isWord = (text: string): boolean => /\p{L}{3}/u.test(text) && !/^(?:true|false|null)$/i.test(text);
  return [...USUAL_WORDS[state], ...(own[state] ?? []).map(String).filter(isWord)];
}

/** Returns the words in lower case, with a space around each: `ALREADY_ACTIVE` becomes ` already active `. */
function normalize(text: string): string {
  const words = text
    .replace(/n['’]t\b/gi, " not")
    .replace(/(\p{Ll})(\p{Lu})/gu, "$1 $2")
    .toLowerCase();
  return ` ${words
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean)
    .join(" ")} `;
}
