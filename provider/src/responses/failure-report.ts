import { isObject, isScalar, isWebPage, nameSet, nodesOf, normalizeName, parseDocument } from "../json.js";

/** Members of the root object that report a failure if they are false. */
const SUCCESS = nameSet("success ok");
/** Members that report a failure if they hold anything. */
const ERROR = nameSet("error errors fault");
/** The words in a member `status` that report a failure. */
const FAILED = nameSet("error failed");
/** Names of what describes a failure, or the request that failed. */
const ABOUT_FAILURE =
  /^(?:code|type|title|message|msg|detail|reason|description|instance|path|time|date|host|error)|(?:request|trace|correlation|span)(?:id)?$|(?:code|time|stamp|date|at)$/;

/**
 * Whether the body of a 2xx response reports a failure: it is a web page, or its root object says so. Never
 * throws.
 */
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
    return isFailedStatus(name, value);
  });
}

/** Whether a member is a status that reports a failure. @param name Its normalized name. */
export function isFailedStatus(name: string, value: unknown): boolean {
  return name === "status" && typeof value === "string" && FAILED.has(normalizeName(value));
}

/** Whether a document says that the request had no success, whatever it says about errors. */
export function deniesSuccess(document: unknown): boolean {
  if (!isObject(document)) return false;
  return Object.entries(document).some(
    ([token, value]) => SUCCESS.has(normalizeName(token)) && value === false,
  );
}

/** Returns the members of a document that do not describe a failure. */
export function membersBesideErrors(document: unknown): unknown {
  if (!isObject(document)) return document;
  return Object.fromEntries(Object.entries(document).filter(([token]) => !ERROR.has(normalizeName(token))));
}

/** Whether a normalized name is that of a word about a failure or a request, which is never a key. */
export function isAboutFailure(name: string): boolean {
  return ABOUT_FAILURE.test(name);
}
