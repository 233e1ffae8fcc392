import { isArray, isObject, parseDocument } from "../json.js";

/**
 * Whether a text proves by itself that none of it is missing: it is a JSON object, array or string, which
 * would not be valid without its last character. The first digits of a number are a number, and the start of
 * plain text is plain text, so only the connection can tell whether these are whole. Never throws.
 */
export function provesWhole(text: string): boolean {
  const document = parseDocument(text);
  return typeof document === "string" || isArray(document) || isObject(document);
}
