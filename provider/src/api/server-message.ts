import { nodesOf, resolvePointer } from "../json.js";

/** JSON Pointers to error messages, by priority (RFC 9457, RFC 6749 and custom). */
const MESSAGE_POINTERS = (
  "/message /error/message /error_description /detail /errors /title /error " +
  "/errorMessage /errmsg /msg /data/message /result/message"
).split(" ");
/** The names of messages in an error, best first, and of what is a message only if it has several words. */
const MESSAGE_NAMES = ["message", "detail", "title"];
const NO_MESSAGE =
  /^(?:code|type|status|id|field|path|pointer|parameter|param|href|url|source|key|apikey|token)$/;
/** The maximum number of values in an error to look at. */
const MAX_ERROR_VALUES = 100;

/**
 * Returns what the server says in a document, not redacted yet; `null` if there is nothing under the usual
 * names.
 */
export function messageIn(document: unknown): string | null {
  for (const pointer of MESSAGE_POINTERS) {
    const words = wordsIn(resolvePointer(document, pointer), pointer.startsWith("/error"));
    if (words !== null) return words;
  }
  return null;
}

/** Returns a text or, of a list or an object of errors, the best one in it; `null` if there is none. */
function wordsIn(value: unknown, isError: boolean): string | null {
  if (typeof value === "string") return value.trim() === "" ? null : value;
  if (!isError) return null;
  const texts = nodesOf(value)
    .take(MAX_ERROR_VALUES)
    .map(({ name, value: word }) => ({ name, text: wordsIn(word, false) }))
    .filter(({ name, text }) => text !== null && (!NO_MESSAGE.test(name) || text.includes(" ")))
    .toArray();
  const named = MESSAGE_NAMES.map((name) => texts.find((text) => text.name === name));
  return [...named, ...texts].find((text) => text !== undefined)?.text ?? null;
}
