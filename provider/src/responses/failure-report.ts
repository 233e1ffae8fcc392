import { isArray, isObject, normaliseName, parseDocument, walk, type JsonObject } from "./document.js";
import { parsePointer, resolvePointer } from "./json-pointer.js";

/** A report of a failure is short; a longer body is data. In characters. */
const MAX_LENGTH = 1024 * 1024;
/** Where a document begins that says what it is. In characters. */
const HEAD = 1024;

/** Objects in the root that speak about the request as the root does. */
const PLACES = new Set(["data", "result", "response", "meta", "status", "messages"]);

const SUCCESS = /^(?:is)?(?:success|successful|succeeded|ok)$/;
const OUTCOME = /^(?:status|result|type|resultcode|outcome)$/;
const STATUS_CODE = /^(?:http)?(?:status|statuscode|code)$|^(?:error|response)code$/;
const ERROR = /^(?:error|errors|fault|exception|errorcode|(?:error|err)(?:message|msg))$/;
const ERROR_MESSAGE = /^(?:error|err)(?:message|msg)$/;
const WEBHOOK_ID = /^(?:webhookid|hookid|id)$/;

const FAILED = /^(?:errors?|fail|failed|failure|ko)$/;
const SUCCESS_CODE = /^(?:0+|200|ok|success)$/;
const NOTHING_WRONG =
  /^(?:-|[0-9]*|n\/?a|none|no|nil|null|false|ok|success(?:ful(?:ly)?)?|no[-_ ]?errors?)[.!]?$/;
const REFUSED =
  /^(?:unauthenticated|unauthori[sz]ed|forbidden|(?:access|permission) denied|not authenticated|invalid (?:access )?(?:token|credentials|api key))\b/i;

const MARKUP =
  /^<(?:!doctype html|html|head|body|title|meta|script|style|link|noscript|br|b|p|div|center|h1|table|form)[\s/>]/i;
const WHOLE_PAGE = /^<(?:html|head|body|title|meta|script)[\s/>]|<!doctype html|<html[\s>]/i;

/** Where servers say what went wrong, in the order in which it is looked for. */
const WORDS = [
  ...["/message", "/error/message", "/error_description", "/detail", "/title", "/errors/0/message", "/error"],
  ...[
    "/errors/0/detail",
    "/errors/0",
    "/errorMessage",
    "/errmsg",
    "/msg",
    "/data/message",
    "/result/message",
  ],
].map(parsePointer);

/**
 * Whether the body of a 2xx answer to GET, PATCH or DELETE says that the request failed. The record of a webhook may tell
 * of failed deliveries, so nothing in it counts but `success`. Never throws.
 *
 * @example reportsFailure('{"data":{"success":false}}') // true
 */
export function reportsFailure(text: string): boolean {
  if (headOf(text).startsWith("<")) return true;
  if (text.length > MAX_LENGTH) return false;
  const document = parseDocument(text);
  return document === undefined ? REFUSED.test(text.trim()) : documentReportsFailure(document);
}

/** Whether a JSON document says that the request failed; see {@link reportsFailure}. */
export function documentReportsFailure(document: unknown): boolean {
  if (typeof document === "string") return REFUSED.test(document);
  if (document === false) return true;
  if (isArray(document)) {
    return (
      document.length > 0 && document.every((element) => isObject(element) && objectReportsFailure(element))
    );
  }
  if (!isObject(document)) return false;
  if (objectReportsFailure(document)) return true;
  if (isRecord(document)) return false;
  if (isRefusal(document)) return true;
  return Object.entries(document).some(
    ([name, value]) => PLACES.has(normaliseName(name)) && isObject(value) && objectReportsFailure(value),
  );
}

/** Whether a body is a page for people, such as a login page, or begins with a piece of one. */
export function isWebPage(text: string): boolean {
  const head = headOf(text);
  return head.startsWith("<") && (MARKUP.test(head) || WHOLE_PAGE.test(head));
}

/** Whether a body is a page for people from its beginning. A warning of a PHP server before a JSON document is not. */
export function isWholeWebPage(text: string): boolean {
  const head = headOf(text);
  return head.startsWith("<") && WHOLE_PAGE.test(head);
}

/**
 * What the server says in an error body, as it was sent: it is to be redacted before anybody sees it.
 *
 * @returns `null` if the body is not JSON, or says nothing in the usual places.
 */
export function serverWords(text: string): string | null {
  if (text.length > MAX_LENGTH) return null;
  const document = parseDocument(text);
  for (const pointer of WORDS) {
    const words = resolvePointer(document, pointer);
    if (typeof words === "string" && words.trim() !== "") return words;
  }
  return null;
}

/** The beginning of a body without byte order marks, also of one in UTF-16 that was read as something else. */
function headOf(text: string): string {
  return text
    .slice(0, HEAD)
    .replace(/^[\s\uFEFF\uFFFDÿþï»¿]+/, "")
    .replaceAll("\0", "");
}

function objectReportsFailure(object: JsonObject): boolean {
  const members = Object.entries(object).map(([name, value]) => [normaliseName(name), value] as const);
  if (isRecord(object)) return members.some(([name, value]) => SUCCESS.test(name) && isFalse(value));

  const saysNoError = members.some(
    ([name, value]) => STATUS_CODE.test(name) && isScalarText(value) && SUCCESS_CODE.test(asText(value)),
  );
  return members.some(([name, value]) => {
    if (SUCCESS.test(name)) return isFalse(value) || value === 0 || value === "0";
    if ((name === "status" || name === "result") && value === false) return true;
    if (name === "failed") return value === true;
    if (name === "deleted") return value === false;
    if (OUTCOME.test(name) && isScalarText(value) && FAILED.test(asText(value))) return true;
    if (STATUS_CODE.test(name) && isErrorStatus(value)) return true;
    if (!ERROR.test(name) || (ERROR_MESSAGE.test(name) && saysNoError)) return false;
    return name === "error" && typeof value === "number"
      ? value !== 0 && value !== 200
      : saysSomething(value);
  });
}

/** Whether an object is the record of a webhook, and not a JSON-RPC response with an id. */
function isRecord(object: JsonObject): boolean {
  if (Object.hasOwn(object, "jsonrpc")) return false;
  return Object.entries(object).some(
    ([name, value]) => WEBHOOK_ID.test(normaliseName(name)) && isPositiveInteger(value),
  );
}

/** Whether an object holds nothing but texts, one of which says that the caller was refused. */
function isRefusal(object: JsonObject): boolean {
  const values = Object.values(object);
  return (
    values.every((value) => typeof value !== "object" || value === null) &&
    values.some((value) => typeof value === "string" && REFUSED.test(value))
  );
}

/** Whether the value of an error says that there is one. A number may be the count of errors. */
function saysSomething(error: unknown): boolean {
  if (isObject(error) && Object.entries(error).some(([name, value]) => isCodeOfSuccess(name, value)))
    return false;
  for (const { value, name } of walk(error)) {
    if (value === true) return true;
    if (typeof value === "string" && !NOTHING_WRONG.test(asText(value))) return true;
    if (name === "code" && typeof value === "number" && value !== 0 && value !== 200) return true;
  }
  return false;
}

function isCodeOfSuccess(name: string, value: unknown): boolean {
  return normaliseName(name) === "code" && isScalarText(value) && SUCCESS_CODE.test(asText(value));
}

function isErrorStatus(value: unknown): boolean {
  if (!isScalarText(value)) return false;
  const text = asText(value);
  return /^[45][0-9]{2}$/.test(text) || /^-[1-9][0-9]{0,9}$/.test(text);
}

function isFalse(value: unknown): boolean {
  return value === false || (typeof value === "string" && /^(?:false|no)$/i.test(value));
}

function isPositiveInteger(value: unknown): boolean {
  return isScalarText(value) && /^[1-9][0-9]{0,15}$/.test(String(value));
}

function isScalarText(value: unknown): value is string | number {
  return typeof value === "string" || typeof value === "number";
}

/** Text as it is compared with words. */
function asText(value: string | number): string {
  return String(value).trim().toLowerCase();
}
