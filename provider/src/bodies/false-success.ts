import { isArray, isObject, nodesOf, normalizeName, parseDocument } from "./json.js";

/** Whether a body begins like a web page, such as a login page. */
export function isWebPage(text: string): boolean {
  const head = text.slice(0, 1024).trimStart().toLowerCase();
  return head.startsWith("<!doctype html") || (head.startsWith("<") && head.includes("<html"));
}

/** Whether the body of a 2xx response shows that nothing was done. */
export function reportsFailure(text: string): boolean {
  return isWebPage(text) || rootReportsFailure(text);
}

/** Whether the root of a body in JSON says that nothing was done. */
export function rootReportsFailure(text: string): boolean {
  const document = parseDocument(text);
  if (!isObject(document)) return false;
  return Object.entries(document).some(([member, value]) => {
    const name = normalizeName(member);
    if (name === "success" || name === "ok") return value === false;
    return name === "status" && typeof value === "string" && /^(?:error|fail|failed|failure)$/i.test(value);
  });
}

/** What the names of members contain that count what was deleted. */
const COUNT = /affected|delet|remov|count|matched|modified|changes/;
/** What the names contain that count something else, such as `errorCount` and `remainingCount`. */
const OTHER_COUNT = /error|fail|remain|left|retr|limit|total/;

/**
 * Whether the body of a 2xx to a deletion says that nothing was deleted, as `{"affected":0}` does. It is read
 * wide: a miss would lose a live key in silence, but after a false match another identifier is sent.
 */
export function reportsNothingDeleted(text: string): boolean {
  const document = parseDocument(text);
  // What a database returned, passed on.
  const returned = isArray(document) && document.length === 1 ? document[0] : document;
  if (returned === 0 || returned === false) return true;
  const counts = nodesOf(document, ({ value }) => !isArray(value))
    .filter(({ name }) => COUNT.test(name) && !OTHER_COUNT.test(name))
    .map(({ value }) => value);
  const isNothing = (value: unknown): boolean => value === 0 || value === false;
  return counts.some(isNothing) && !counts.some((value) => value === true || Number(value) > 0);
}
