import { isEmpty, isObject, names, normalizeName, parseDocument, walk } from "./document.js";

/** Members of the root object that report a failure: one of these is false, */
const SUCCESS = names("success ok isSuccess succeeded");
/** one of these holds anything, */
const ERROR = names("error errors fault");
/** or one of these is a {@link FAILED} word. */
const STATUS = names("status");
const FAILED = names("error failed");

/** The start of a text, by which a web page is recognized. In characters. */
const HEAD_LENGTH = 1024;

/**
 * Whether the body of a 2xx response reports a failure: it is a web page, or its root object says so in the way that machines
 * do. Messages are not interpreted. Never throws.
 *
 * @example reportsFailure('{"success":false}') // true
 */
export function reportsFailure(text: string): boolean {
  return isWebPage(text) || documentReportsFailure(parseDocument(text));
}

/** Whether a JSON document reports a failure; see {@link reportsFailure}. */
export function documentReportsFailure(document: unknown): boolean {
  if (!isObject(document)) return false;
  return Object.entries(document).some(([token, value]) => {
    const name = normalizeName(token);
    if (SUCCESS.has(name)) return value === false || value === "false";
    if (ERROR.has(name))
      return [...walk(value)].some((node) => typeof node.value !== "object" && !isEmpty(node.value));
    return STATUS.has(name) && typeof value === "string" && FAILED.has(normalizeName(value));
  });
}

/** Whether a body is a web page, such as a login page. */
export function isWebPage(text: string): boolean {
  const head = text.slice(0, HEAD_LENGTH).trimStart().toLowerCase();
  return head.startsWith("<!doctype html") || (head.startsWith("<") && head.includes("<html"));
}
