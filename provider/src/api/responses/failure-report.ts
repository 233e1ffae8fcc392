import { isArray, isObject, parseBody, type JsonObject } from "./json.js";
import { normalise } from "./names.js";
import { resolve } from "./pointer.js";
import { isFlag, kindOfStateField } from "./state-fields.js";
import { hasWebhookId } from "./webhook-id.js";

/** Characters of a text that is looked at: a report of a failure is short, and a long body is data. */
const MAX_TEXT = 1024 * 1024;
/** No word that says how a request went is longer. */
const MAX_WORD = 16;
/** How deep the search for data goes. */
const MAX_DEPTH = 4;

const SUCCESS_NAMES = new Set(["success", "ok", "issuccess", "successful", "succeeded"]);
const ERROR_NAMES = new Set(["error", "errors", "err", "errno", "errcode", "errorcode"]);
const OUTCOME_NAMES = new Set(["status", "result"]);
const STATUS_NAMES = new Set(["status", "statuscode", "httpstatus", "httpstatuscode"]);
const MESSAGE_NAMES = new Set(["message", "msg"]);
/** Objects beside the data that speak about the request as the root does. */
const ENVELOPE_NAMES = new Set(["meta", "status", "head", "header"]);
/** What a report of a failure may hold besides, and is no data. */
const NOT_DATA = new Set([
  ...["error", "errors", "warnings", "messages", "detail", "details", "debug", "trace"],
  ...["request", "link", "links", "meta", "metadata", "status", "head", "header"],
]);
/** Names of a webhook's address. */
const ADDRESS_NAMES = new Set(["url", "callbackurl", "targeturl", "webhookurl", "endpointurl", "endpoint"]);

const FAILURE_WORDS = new Set(["error", "errors", "fail", "failed", "failure"]);
const SUCCESS_WORDS = new Set(["ok", "success", "successful", "succeeded"]);
/** What stands for "no error" where an error would be. */
const NO_ERROR = /^(?:0*|no|none|null|false|ok|success)$/;

/**
 * What a member says about the request. `code` is a number that is no HTTP status: services number their errors so, but some
 * their successes as well.
 */
type Claim = "failure" | "success" | "code" | null;

/**
 * Whether the body of an answer says that the request failed, although the status of the answer does not. The record of
 * a webhook may say that a delivery failed, so there only `success`, `ok` and what is called an error count.
 *
 * @param text any body; only JSON objects of at most a megabyte can report a failure. Never throws.
 * @example reportsFailure('{"success":false}') // true
 */
export function reportsFailure(text: string): boolean {
  if (text.length > MAX_TEXT) return false;
  const body = parseBody(text);
  if (!body.ok || !isObject(body.value)) return false;
  return isWebhook(body.value) ? recordReportsFailure(body.value) : isFailureReport(body.value);
}

/** Whether a document is an envelope that says that the request failed: an empty list in it does not mean "no webhooks". */
export function isFailureReport(document: unknown): boolean {
  if (!isObject(document)) return false;
  const claims = claimsOf(document);
  for (const [name, value] of Object.entries(document)) {
    if (isObject(value) && ENVELOPE_NAMES.has(normalise(name))) claims.push(...claimsOf(value));
  }
  if (claims.includes("failure")) return true;
  return claims.includes("code") && !claims.includes("success") && !holdsData(document, 0);
}

function claimsOf(object: JsonObject): Claim[] {
  return Object.entries(object).map(([rawName, value]) => {
    const name = normalise(rawName);
    return claimOfSuccess(name, value) ?? claimOfError(name, value) ?? claimOfStatus(name, value);
  });
}

function claimOfSuccess(name: string, value: unknown): Claim {
  const word = toWord(value);
  if (SUCCESS_NAMES.has(name)) {
    if (word === "false" || word === "0") return "failure";
    return word === "true" || word === "1" ? "success" : null;
  }
  return MESSAGE_NAMES.has(name) && SUCCESS_WORDS.has(word) ? "success" : null;
}

function claimOfError(name: string, value: unknown): Claim {
  return ERROR_NAMES.has(name) && !saysNoError(value) ? "failure" : null;
}

/** Whether the value of an error says that there is none. Some services always send an error, with a code that says `ok`. */
function saysNoError(value: unknown): boolean {
  if (isArray(value)) return value.length === 0;
  if (!isObject(value)) return NO_ERROR.test(toWord(value));
  if (Object.keys(value).length === 0) return true;
  const code = resolve(value, ["code"]);
  return code !== undefined && code !== null && code !== "" && NO_ERROR.test(toWord(code));
}

function claimOfStatus(name: string, value: unknown): Claim {
  const word = toWord(value);
  if (OUTCOME_NAMES.has(name)) {
    if (FAILURE_WORDS.has(word) || word === "false") return "failure";
    if (SUCCESS_WORDS.has(word)) return "success";
  }
  const isStatus = STATUS_NAMES.has(name);
  if (!(isStatus || name === "code") || !/^[0-9]{3,9}$/.test(word) || Number(word) < 400) return null;
  return isStatus && Number(word) < 600 ? "failure" : "code";
}

/** In the record of a webhook a number of errors is a count. */
function recordReportsFailure(record: JsonObject): boolean {
  return Object.entries(record).some(([rawName, value]) => {
    const name = normalise(rawName);
    const claim =
      claimOfSuccess(name, value) ?? (typeof value === "number" ? null : claimOfError(name, value));
    return claim === "failure";
  });
}

/** Whether an object is the record of a webhook, and does not only name the webhook it speaks of. */
function isWebhook(object: JsonObject): boolean {
  if (!hasWebhookId(object)) return false;
  return Object.keys(object).some((rawName) => {
    const name = normalise(rawName);
    const kind = kindOfStateField(name);
    return ADDRESS_NAMES.has(name) || (kind !== null && isFlag(kind));
  });
}

/** Whether there is more in an envelope than what it says about the request. Numbers and flags may belong to an empty page. */
function holdsData(object: JsonObject, depth: number): boolean {
  return Object.entries(object).some(([rawName, value]) => {
    if (depth === 0 && NOT_DATA.has(normalise(rawName))) return false;
    if (isArray(value)) return value.length > 0;
    if (isObject(value)) return depth < MAX_DEPTH && holdsData(value, depth + 1);
    return depth > 0 && typeof value === "string" && value !== "";
  });
}

/** A scalar as it is compared with words; text that is too long to be one, and anything else, is `"?"`. */
function toWord(value: unknown): string {
  if (value === null) return "null";
  if (typeof value === "string") return value.length > MAX_WORD ? "?" : value.trim().toLowerCase();
  return typeof value === "number" || typeof value === "boolean" ? String(value) : "?";
}
