import { isVisibleAscii } from "../api/operations.js";

/**
 * Why a value is not a key. A pointer that a user sets may find one of the last three all the same: it is
 * only recognition that needs certainty.
 */
export type Misfit =
  | "number"
  | "notText"
  | "empty"
  /** It has spaces, or characters that are not ASCII. */
  | "characters"
  | "long"
  | "masked"
  | "accessToken"
  /** The value of a header that is sent with each request. */
  | "header"
  | "short"
  | "address"
  /** Words and short numbers, which look like a name. */
  | "label";

const MIN_LENGTH = 8;
/** What no key has, and what a key has by chance only rarely. */
const SURELY_MASKED = /\*{3}|\.{3}|[•…]/;
const MASKED = /\*\*|\.\.\.|x{4}|X{4}/;
const URL_START = /^[a-z][a-z0-9+.-]{0,20}:\/\//i;
/** A path: it starts with a slash, unless it could be base64, or with or after a slash has a word. */
const PATH = /^\.{0,2}\/(?![A-Za-z0-9+/]{31,}={0,2}$)|(?:^|\/)[a-z][a-z_-]{2,}\//;
/** Words and short numbers, such as `partner-main-2024`. */
const LABEL = /^(?:[A-Z]?[a-z]+|[A-Z]+)(?:[-_./:](?:[A-Z]?[a-z]+|[A-Z]+|[0-9]{1,4}))*$/;
/** An access token of this length or more is not in a key by chance. */
const MIN_UNIQUE_LENGTH = 16;
const SCHEME = /^(?:bearer|basic|token|apikey)[\s:=]+/i;

/** Returns why a value at a set pointer cannot be sent as a key; `null` if it can. */
export function misfitAtPointer(value: unknown, accessToken: string): Misfit | null {
  if (typeof value === "number") return "number";
  if (typeof value !== "string") return "notText";
  if (value === "") return "empty";
  if (isAccessToken(value, accessToken)) return "accessToken";
  if (SURELY_MASKED.test(value.slice(0, 8192))) return "masked";
  if (isVisibleAscii(value)) return null;
  return isVisibleAscii(value, Infinity) ? "long" : "characters";
}

/** Returns why a value is not recognized as a key; `null` if it may be one. */
export function misfitOf(value: unknown, accessToken: string): Misfit | null {
  const misfit = misfitAtPointer(value, accessToken);
  if (misfit !== null || typeof value !== "string") return misfit;
  if (value.length < MIN_LENGTH) return "short";
  if (MASKED.test(value)) return "masked";
  if (URL_START.test(value) || PATH.test(value)) return "address";
  return LABEL.test(value) ? "label" : null;
}

/** Whether a value looks generated, as a key does. */
export function looksLikeKey(value: unknown): boolean {
  return misfitOf(value, "") === null;
}

/** Whether a value is the access token, alone or as in `Bearer …`. */
function isAccessToken(value: string, accessToken: string): boolean {
  if (accessToken === "") return false;
  if (accessToken.length >= MIN_UNIQUE_LENGTH && value.includes(accessToken)) return true;
  return value.trim().replace(SCHEME, "") === accessToken;
}
