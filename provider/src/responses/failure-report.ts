import { isArray, isEmpty, isObject, membersOf, parseDocument, walk } from "./document.js";
import type { JsonObject } from "./document.js";
import { asWord, isScalar, resolvePointer } from "./mapping.js";
import { hasStateField } from "./state-reader.js";
import { hasWebhookId } from "./webhook-list-reader.js";

/** Failure reports are short; a longer body is data. In characters. */
const MAX_REPORT_LENGTH = 1024 * 1024;
/** The start of a text, by which it is judged. In characters. */
const HEAD_LENGTH = 1024;
/** The depth of the search for a failure report, such as `data.webhookUpdate.userErrors`. */
const MAX_DEPTH = 3;

const SUCCESS = /^(?:is)?(?:success|successful|succeeded|ok)$/;
/** Members that hold the outcome of a request, and values that mean failure, such as `ERROR_AUTH` or `AccessDeniedException`. */
const OUTCOME =
  /^(?:stat(?:us)?|state|result|type(?:name)?|object|kind|trace|ack|outcome|(?:status|result|return|ret)?code)$/;
const FAILED =
  /^(?:ko|ng|nok|false)$|^(?!no.?(?:error|fail)).{0,80}(?:error|fail|exception|denied|reject|refused|invalid|unauth|forbidden|not.?found)/;
const CODE = /^(?:http)?(?:status|statuscode|code)$|^(?:error|response|err)code$|^errno$/;
/** Members and their values, in lower case, that report a failure. */
const REPORTS: readonly (readonly [name: RegExp, value: RegExp])[] = [
  [SUCCESS, /^(?:false|no?|fail(?:ed)?)$/],
  [OUTCOME, FAILED],
  [CODE, /^(?:[45][0-9]{2}|-[1-9][0-9]{0,9})$/],
  [/^(?:result|return)(?:code|status)$/, /^(?!0*[01]?$|20[0-9]$)-?e?[0-9]{1,10}$/],
  [/^(?:error(?:code)?|err(?:code|no)|ret(?:code)?)$/, /^(?!0*$|20[0-9]$)-?[0-9]{1,10}$/],
];
const NOT_DONE = /^(?:deleted|updated|modified|changed|removed|acknowledged|accepted)$/;
const ERROR =
  /^(?:odata|user|has|is|api|validation|nonfield|soap)?(?:err(?:ors?)?|fault|exception|fail(?:ed|ures?))(?:code|messages?|msg|desc|description|detail|summary|type|class|string|reason)?$/;
const MESSAGE = /^(?:message|msg|detail|title|reason|hydratitle|(?:result|return)(?:msg|message))$/;
const NO_ERROR =
  /^(?:-|[0-9]*|[a-z]0+|n\/?a|no|none|nil|null|false|ok|no[-_ ]?(?:errors?|content)(?: found)?|created|accepted|succ(?:ess)?|成功)[.!]?$|success(?:ful(?:ly)?)?[.!]?$|成功/;
const SUCCESS_CODE = /^(?:20[0-9]|20000|ok|success)$/;
/** Phrases of messages about refused or failed requests. */
const REFUSED =
  /\b(?:errors?|fail(?:ed|ure)?|ko|nok|ng|exception|invalid|denied|forbidden|unauthori[sz]ed|unauthenticated|expired|exceeded|(?:limit|quota) \w{0,10} ?reached|rate limited|blocked|unavailable|unhealthy|missing|unable|cannot|can't|could ?n[o']t|too many|timed out|no (?:healthy|route|such|webhook)|traceback|(?:log|sign) ?in|(?:bad|gateway) (?:gateway|request|credentials|timeout)|mismatch|insufficient|unknown|went wrong|maintenance|do(?: not|n't) have|must be|permission required|does(?: not|n't) exist|already (?:exists?|has|have|in use|taken)|maximum|(?:not|isn't|aren't) (?:found|auth|allow|permit|exist|valid|log|support|avail|accept|implement|registered|updated|deleted|changed|be ))|(?:失败|错误|无效|过期)|- 404$/;
const NO_REFUSAL =
  /\b(?:no|without|0) errors?\b|\b(?:cannot|can't|unable to|will not|not) (?:be )?(?:retriev|show|view|see|recover|display)[a-z]*/g;
/** The phrases among them that cannot be about the last delivery of a webhook. */
const REFUSED_ACCESS = /not (?:found|auth|allow|permit)|unauth|forbidden|denied|does not exist/;
const ABOUT_DELIVERIES = /^last|deliver|event|stats|request/;
const WEB_PAGE = /^<(?:html|head|body|title|meta|script)[\s/>]|<!doctype html|<html[\s>]/i;

/** JSON Pointers to error messages, by priority. */
const MESSAGE_POINTERS =
  "/message /error/message /error_description /detail /title /errors/0/message /error /errors/0/detail /errors/0 " +
  "/errorMessage /errmsg /msg /data/message /result/message";

/**
 * Whether the body of a 2xx response to GET, PATCH or DELETE reports a failure. The record of a webhook may mention failed
 * deliveries, so only its `success` counts. Never throws.
 *
 * @example reportsFailure('{"data":{"success":false}}') // true
 */
export function reportsFailure(text: string): boolean {
  if (headOf(text).startsWith("<")) return true;
  if (text.length > MAX_REPORT_LENGTH) return false;
  const document = parseDocument(text);
  return document === undefined ? isRefusal(text) : documentReportsFailure(document);
}

/** Whether a JSON document reports a failure; see {@link reportsFailure}. */
export function documentReportsFailure(document: unknown): boolean {
  if (typeof document === "string") return isRefusal(document);
  if (document === false || (typeof document === "number" && document < 0)) return true;
  const nodes = walk(
    document,
    ({ value, depth, name }) =>
      isObject(value) && depth < MAX_DEPTH && !isWebhook(value) && !ABOUT_DELIVERIES.test(name),
  );
  for (const { value, depth } of nodes) {
    if (isObject(value) && objectReportsFailure(value)) return true;
    if (depth < 2 && isArray(value) && value.length > 0 && value.every(elementReportsFailure)) return true;
  }
  return false;
}

/** Whether a body is a web page, such as a login page. A PHP warning in front of a JSON document is not. */
export function isWebPage(text: string): boolean {
  const head = headOf(text);
  return head.startsWith("<") && WEB_PAGE.test(head);
}

/**
 * Returns the message in an error body. It is not redacted yet.
 *
 * @returns `null` if the body is not JSON or has no message under the usual names.
 */
export function serverMessage(text: string): string | null {
  if (text.length > MAX_REPORT_LENGTH) return null;
  const document = parseDocument(text);
  for (const pointer of MESSAGE_POINTERS.split(" ")) {
    const message = resolvePointer(document, pointer);
    if (typeof message === "string" && message.trim() !== "") return message;
  }
  return null;
}

/** Returns the start of a body without byte order marks, even if it is UTF-16 that was decoded as UTF-8. */
function headOf(text: string): string {
  return text
    .slice(0, HEAD_LENGTH)
    .replace(/^[\s\uFEFF\uFFFDÿþï»¿]+/, "")
    .replaceAll("\0", "");
}

/** Whether an object is the record of a webhook. Failures in a record are failed deliveries. */
function isWebhook(object: JsonObject): boolean {
  if (hasStateField(object)) return true;
  const isRefused = membersOf(object).some(
    ({ name, value }) => /^(?:error|message)$/.test(name) && REFUSED_ACCESS.test(textOf(value)),
  );
  return hasWebhookId(object) && !isRefused;
}

/** Whether a list element reports a failure. Elements with a state are webhooks, even if they mention errors. */
function elementReportsFailure(element: unknown): boolean {
  return isObject(element) && !hasStateField(element) && objectReportsFailure(element);
}

function objectReportsFailure(object: JsonObject): boolean {
  const members = membersOf(object).map((member) => ({ ...member, text: textOf(member.value) }));
  if (isWebhook(object)) return members.some(({ name, text }) => SUCCESS.test(name) && text === "false");

  const succeeded = members.some(
    ({ name, text }) =>
      (SUCCESS.test(name) && /^(?:true|1)$/.test(text)) ||
      ((OUTCOME.test(name) || CODE.test(name)) && SUCCESS_CODE.test(text)) ||
      (/code|errno/.test(name) && /^0+$/.test(text)),
  );
  const hasOwnCode = members.some(({ name, text }) => name === "code" && /^[1-9][0-9]*$/.test(text));
  const hasData = members.some(({ value }) => typeof value === "object" && !isEmpty(value));
  // Next to a number of failures, a number is the count of successes.
  const hasFailureCount = members.some(
    ({ name, value }) => name.startsWith("fail") && typeof value === "number",
  );
  return members.some(({ name, text, value }) => {
    if (REPORTS.some(([names, values]) => names.test(name) && values.test(text))) return true;
    if (SUCCESS.test(name) && text === "0") return !hasFailureCount;
    if (name === "body" && typeof value === "string") return reportsFailure(value);
    if (name.startsWith("fail") && isArray(value)) return value.length > 0;
    if (NOT_DONE.test(name)) return text === "false" && members.length === 1;
    if (isRefusalMessage(name, text)) return !succeeded && (hasOwnCode || !hasData);
    return ERROR.test(name) && !(succeeded && /m(?:essage|sg)$/.test(name)) && indicatesError(value);
  });
}

/** Whether the value of an error member indicates an error. A number may be an error count. */
function indicatesError(error: unknown): boolean {
  for (const { value, name, parent } of walk(error)) {
    const text = textOf(value);
    if (name === "code" && typeof value !== "object") {
      if (SUCCESS_CODE.test(text) || /^0+$/.test(text)) return false;
      if (typeof value === "number") return true;
    }
    if (/^[1-9][0-9]*$/.test(text) && isArray(parent?.value)) return true;
    if (value === true || (typeof value === "string" && !NO_ERROR.test(text))) return true;
  }
  return false;
}

/** Whether a member is a message about a refused or failed request. */
export function isRefusalMessage(name: string, text: string): boolean {
  return MESSAGE.test(name) && isRefusal(text);
}

function isRefusal(text: string): boolean {
  const message = text
    .slice(0, HEAD_LENGTH)
    .trim()
    .toLowerCase()
    .replaceAll("_", " ")
    .replace(NO_REFUSAL, "");
  return REFUSED.test(message) && !/\bsuccess/.test(message);
}

/** Returns a scalar as normalized text; `""` for anything else. */
function textOf(value: unknown): string {
  return isScalar(value) ? asWord(value).slice(0, HEAD_LENGTH) : "";
}
