import { BASE64_MARK } from "../wire.js";
import { canBeSent } from "./key-value.js";

/** How JSON begins that is no number, `true`, `false` or `null`, and how web pages begin: none of them is a plain key, whole or cut off. */
const NOT_PLAIN = /^[{["<]/;
const JSON_WORDS = new Set(["true", "false", "null"]);

/** The key that a body is if all of it is the key, as plain text; `null` if it cannot be one. */
export function toPlainKey(text: string): string | null {
  const plain = text.trim(); // Takes a byte order mark away as well.
  if (NOT_PLAIN.test(plain) || plain.startsWith(BASE64_MARK) || JSON_WORDS.has(plain)) return null;
  return canBeSent(plain) ? plain : null;
}
