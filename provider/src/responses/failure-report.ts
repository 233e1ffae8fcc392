import { isArray, isObject, normaliseName, parseDocument, walk, type JsonObject } from "./document.js";
import { parsePointer, resolvePointer } from "./mapping.js";
import { hasWebhookId } from "./webhook-list-reader.js";

/** A report of a failure is short; a longer body is data. In characters. */
const MAX_LENGTH = 1024 * 1024;
/** Where a document begins that says what it is. In characters. */
const HEAD = 1024;

/** Objects in the root that speak about the request as the root does. */
const PLACES = /^(?:data|result|response|meta|status|messages)$/;
const SUCCESS = /^(?:is)?(?:success|successful|succeeded|ok)$/;
const CODE = /^(?:http)?(?:status|statuscode|code)$|^(?:error|response|err)code$|^errno$/;
const FAILED =
  /^(?:errors?|fail|failed|failure|ko|ng|nok|denied|rejected|not.?found|unauth[a-z_]{1,20}|permission.denied)$/;
/** Which members report a failure with which values, in lower case. */
const REPORTS: readonly (readonly [name: RegExp, value: RegExp])[] = [
  [SUCCESS, /^(?:false|no?|0|fail(?:ed)?)$/],
  [/^(?:stat(?:us)?|state|result|type|object|(?:result|return)code|ack|outcome)$/, FAILED],
  [/^(?:status|result)$/, /^false$/],
  [CODE, /^(?:[45][0-9]{2}|-[1-9][0-9]{0,9})$/],
  [/^(?:error(?:code)?|err(?:code|no)|ret(?:code)?)$/, /^(?!20[0-9]$)-?[1-9][0-9]{0,9}$/],
  [/^failed$/, /^true$/],
];
const ERROR =
  /^(?:odata)?(?:errors?|err|fault|exception|errorcode|errormessages|exceptionmessage|usererrors)$|^(?:has|is)errors?$/;
const MESSAGE = /^(?:message|msg|detail|title|reason)$/;
const ERROR_MESSAGE = /^err(?:or)?(?:message|msg)$/;
const NO_ERROR = /^(?:-|[0-9]*|n\/?a|no|none|nil|null|false|ok|success(?:ful(?:ly)?)?|no[-_ ]?errors?)[.!]?$/;
const SUCCESS_CODE = /^(?:0+|20[0-9]|ok|success)$/;
const REFUSED =
  /^(?:unauth|(?:you are )?not auth|forbidden|(?:access|permission) denied|invalid (?:token|credential|api key)|(?:404 |page )*not found|internal server|bad gateway|service unavailable|rate limit|limit exceeded|too many|(?:php )?fatal error|errors?\b|fail|(?:ko|nok|ng)$|token (?:has )?expired|missing auth|no route)|\bnot found\.?$/i;
const WENT_WRONG = /not |invalid|fail|error|expired|denied|exceeded|limit|forbidden|unauth|missing/;
const WEB_PAGE = /^<(?:html|head|body|title|meta|script)[\s/>]|<!doctype html|<html[\s>]/i;

/** Where servers say what went wrong, in the order in which it is looked for. */
const WORDS =
  "/message /error/message /error_description /detail /title /errors/0/message /error /errors/0/detail /errors/0 " +
  "/errorMessage /errmsg /msg /data/message /result/message";

/**
 * Whether the body of a 2xx response to GET, PATCH or DELETE says that the request failed. The record of a webhook may tell
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
  if (isArray(document)) {
    return (
      document.length > 0 &&
      document.every(
        (element) => isObject(element) && !hasWebhookId(element) && objectReportsFailure(element),
      )
    );
  }
  if (!isObject(document)) return document === false || REFUSED.test(textOf(document));
  if (objectReportsFailure(document)) return true;
  if (hasWebhookId(document)) return false;
  const members = Object.entries(document);
  return (
    members.some(
      ([name, value]) => PLACES.test(normaliseName(name)) && isObject(value) && objectReportsFailure(value),
    ) ||
    // Beside data, such a text may be data as well.
    (members.some(([name, value]) => MESSAGE.test(normaliseName(name)) && REFUSED.test(textOf(value))) &&
      members.every(([, value]) => !isObject(value) && !isArray(value)))
  );
}

/** Whether a body is a page for people, such as a login page. A warning of a PHP server before a JSON document is not. */
export function isWebPage(text: string): boolean {
  const head = headOf(text);
  return head.startsWith("<") && WEB_PAGE.test(head);
}

/**
 * What the server says in an error body, as it was sent: redact it before anybody sees it.
 *
 * @returns `null` if the body is not JSON, or says nothing in the usual places.
 */
export function serverWords(text: string): string | null {
  if (text.length > MAX_LENGTH) return null;
  const document = parseDocument(text);
  for (const pointer of WORDS.split(" ")) {
    const words = resolvePointer(document, parsePointer(pointer));
    if (typeof words === "string" && words.trim() !== "") return words;
  }
  return null;
}

/** The beginning of a body without byte order marks, also of one in UTF-16 that was read as UTF-8. */
function headOf(text: string): string {
  return text
    .slice(0, HEAD)
    .replace(/^[\s\uFEFF\uFFFDÿþï»¿]+/, "")
    .replaceAll("\0", "");
}

function objectReportsFailure(object: JsonObject): boolean {
  const isWebhook = hasWebhookId(object);
  const succeeded = hasSuccess(object, CODE);
  const isAlone = Object.keys(object).length === 1;
  const hasOwnCode = /^[1-9][0-9]{0,9}$/.test(textOf(Object.hasOwn(object, "code") ? object["code"] : null));
  return Object.entries(object).some(([rawName, value]) => {
    const name = normaliseName(rawName);
    const text = textOf(value);
    // In a record, `success: 0` is a count.
    if (isWebhook) return SUCCESS.test(name) && /^(?:false|no)$/.test(text);
    if (REPORTS.some(([names, values]) => names.test(name) && values.test(text))) return true;
    if (isAlone && name === "deleted" && text === "false") return true;
    if (hasOwnCode && !succeeded && MESSAGE.test(name) && WENT_WRONG.test(text)) return true;
    return (ERROR.test(name) || (ERROR_MESSAGE.test(name) && !succeeded)) && saysSomething(value);
  });
}

/** Whether the value of an error says that there is one. A number may be the count of errors. */
function saysSomething(error: unknown): boolean {
  if (isObject(error) && hasSuccess(error, /^code$/)) return false;
  for (const { value, name } of walk(error)) {
    if (name === "code" && typeof value === "number" && value !== 0 && value !== 200) return true;
    if (value === true || (typeof value === "string" && !NO_ERROR.test(textOf(value)))) return true;
  }
  return false;
}

function hasSuccess(object: JsonObject, code: RegExp): boolean {
  return Object.entries(object).some(
    ([name, value]) => code.test(normaliseName(name)) && SUCCESS_CODE.test(textOf(value)),
  );
}

/** A scalar as it is compared with words; `""` for anything else. */
function textOf(value: unknown): string {
  return isObject(value) || isArray(value) ? "" : String(value).trim().toLowerCase();
}
