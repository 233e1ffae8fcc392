import { parseDocument } from "../json-text.js";
import { isObject, isScalar, names, nodesOf, normalizeName } from "../json.js";

/** A member of the root object reports a failure if its name is here and it is false, */
const SUCCESS = names("success ok");
/** or if its name is here and it holds anything, */
const ERROR = names("error errors fault");
/** or if it is called `status` and is one of these words. */
const FAILED = names("error failed");

/** Whether the body of a 2xx response reports a failure: it is a web page, or its root object says so. Never throws. */
export function reportsFailure(text: string): boolean {
  const isRootObject = /^\uFEFF?\s*\{/.test(text); // Parsing a long list, a root array, would take long.
  return isWebPage(text) || (isRootObject && documentReportsFailure(parseDocument(text)));
}

/** Whether a JSON document reports a failure; see {@link reportsFailure}. */
export function documentReportsFailure(document: unknown): boolean {
  if (!isObject(document)) return false;
  return Object.entries(document).some(([token, value]) => {
    const name = normalizeName(token);
    if (SUCCESS.has(name)) return value === false;
    if (ERROR.has(name)) return nodesOf(value).some((node) => isScalar(node.value) && node.value);
    return name === "status" && typeof value === "string" && FAILED.has(normalizeName(value));
  });
}

/** Returns the members of a document that do not describe a failure. */
export function membersBesideErrors(document: unknown): unknown {
  if (!isObject(document)) return document;
  return Object.fromEntries(Object.entries(document).filter(([token]) => !ERROR.has(normalizeName(token))));
}

/** Whether a body is a web page, such as a login page. Its start shows it. */
export function isWebPage(text: string): boolean {
  const head = text.slice(0, 1024).trimStart().toLowerCase();
  return head.startsWith("<!doctype html") || (head.startsWith("<") && head.includes("<html"));
}
