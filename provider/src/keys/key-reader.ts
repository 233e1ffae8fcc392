import { reportsFailure } from "../bodies/false-success.js";
import {
  consistsOfWords,
  isObject,
  nameSet,
  nodesOf,
  parseDocument,
  pathToRoot,
  pointersOf,
  resolvePointer,
  type DocumentNode,
} from "../bodies/json.js";
import type { ResponseMapping } from "../bodies/response-mapping.js";

/** What a response says of the key. Secret. */
export type KeyReading =
  | { readonly kind: "found"; readonly apiKey: string }
  /** No key is certain. Has JSON Pointers to possible keys, best first; none if none looks like one. */
  | { readonly kind: "possible"; readonly pointers: readonly string[] }
  /** The response has no text that `responses.apiKey` could point to. */
  | { readonly kind: "nothing" };

/** Names of keys that {@link KEY_IN_WORDS} does not match. */
const KEY_NAME = nameSet("secret value secretId sha1 jwt");
/**
 * What names of keys consist of, besides those that end with {@link API_KEY} or `apiToken`. Closed, because a
 * wrong key would be read without a word: a name with any other word is only proposed.
 */
const KEY_WORDS = [
  "api|auth|oauth|access|bearer|personal|partner|client|consumer|user|service|server|app|application",
  "integration|bot|developer|master|admin|root|deploy|write|read|ingest|license|secret|private|hmac|rest|sdk",
  "new|generated|issued|live|test",
].join("|");
/** What says that the value itself is meant, in front of `key` or `token` or after it. */
const WHOLE = "plain|clear|text|raw|full|unmasked|unhashed|unencrypted|decrypted";
const KEY_IN_WORDS = new RegExp(
  `^(?:(?:${KEY_WORDS}|${WHOLE})*(?:key|token|(?:api|client)secret))(?:value|string|secret|${WHOLE})*$`,
);
/** The end of the contract's own name for a key. */
const API_KEY = "apikey";
/** The names of objects around the key, besides those that are named after it. */
const ENVELOPE = nameSet(
  "data result results response payload body attributes item object record resource content output spec auth",
);
const SECRET = /key|token|secret|credential|password/;
/** Suffixes of members next to a key that may look like one. */
const LABEL_NAME = new RegExp(
  `(?:${[
    "ids?|hash|digest|fingerprint|checksum|prefix|suffix|hint|type|kind|name|label|slug|title|ur[il]|href",
    "links?|self|at|by|dates?|time|created|updated|modified|expir(?:y|es|ed|ation)|status|state|scopes?",
    "roles?|mode|version|description|comment|message|e?mail|e?tag|[ca]rn|accessor",
  ].join("|")})$`,
);
/** Prefixes of other secrets, and of objects that contain them. */
const OTHER_SECRET = new RegExp(
  `^(?:${[
    "refresh|public|prev|former|old|existing|expired|revoked|parent|owner|creator|createdby|masked|redacted",
    "hashed|csrf|session|request|idempotency|next|cursor",
  ].join("|")})`,
);

/** What can be a key, and fits into the path of its deletion. */
const KEY_TEXT = /^[!-~]{8,4096}$/;
const MASKED = /\*{2}|\.{3}|x{5}|X{5}/;
/** A URL; a path, unless it could be base64. */
const ADDRESS =
  /^[A-Za-z][\w+.-]{0,20}:\/\/|^\.{0,2}\/(?![A-Za-z0-9+/]{31,}={0,2}$)|(?:^|\/)[a-z][a-z_-]{2,}\//;
const DATE = /^\d{4}-\d\d-\d\d(?:$|T)/;
const UUID_OR_EMAIL = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$|^[^@\s]+@[^@\s]+\.[a-z]+$/i;
/** A body that is nothing but a key. */
const BARE_KEY = /^[\w.~+/-]{20,}={0,2}$/;
/** A body of which no pointer finds a part: JSON that is not whole, markup, or a form. */
const NOT_A_TEXT = /^[{["<]|=[^=]/;
/** An access token of this length is not in a key by chance. */
const MIN_UNIQUE_LENGTH = 16;
/** The maximum number of pointers to propose. */
const MAX_POINTERS = 3;

/**
 * Reads the key from the body of the response to its creation. Never throws.
 *
 * @param accessToken It is never the key.
 * @example Of `{"data":{"id":7,"api_key":"pk_live_4eC39HqLyjWD"}}`, the key is at `/data/api_key`.
 */
export function readApiKey(text: string, mapping: ResponseMapping, accessToken: string): KeyReading {
  const root = documentOf(text);
  const mapped = mapping.apiKey === undefined ? null : resolvePointer(root, mapping.apiKey);
  if (hasFormOfKey(mapped, accessToken)) return { kind: "found", apiKey: mapped };

  const possible = nodesOf(root).filter(({ value }) => hasFormOfKey(value, accessToken));
  if (possible.length === 0) return { kind: "nothing" };

  const isOwnName = ({ name }: DocumentNode): boolean => name.endsWith(API_KEY);
  const named = possible
    .filter(isNamedAsKey)
    .toSorted((one, other) => Number(isOwnName(other)) - Number(isOwnName(one)));
  const others = possible.filter(
    (node) => !isNamedAsKey(node) && looksGenerated(node) && couldBeKeyUnderOtherName(node),
  );
  const candidates = [...named, ...others];
  const [apiKey, ...rivals] = new Set(candidates.map(({ value }) => String(value)));
  const isCertain = named.length > 0 && rivals.length === 0;
  // Where a setting points to nothing, a guess is only proposed.
  const mayGuess = mapping.apiKey === undefined && !reportsFailure(text);
  if (apiKey !== undefined && isCertain && mayGuess) return { kind: "found", apiKey };
  return { kind: "possible", pointers: pointersOf(candidates, MAX_POINTERS) };
}

/** Returns a body as JSON, or as text that may be a key; `null` if it is neither. */
export function documentOf(text: string): unknown {
  const document = parseDocument(text);
  if (typeof document === "object" || typeof document === "string") return document;
  const whole = text.trim();
  return NOT_A_TEXT.test(whole) ? null : whole;
}

/** Whether an object may be around the key: the root, an envelope, or one that is named after a key. */
export function isAroundKey({ value, name, parent }: DocumentNode): boolean {
  if (parent === null) return true;
  return isObject(value) && (ENVELOPE.has(name) || SECRET.test(name)) && !OTHER_SECRET.test(name);
}

/** Whether a value can be a key by its form. */
function hasFormOfKey(value: unknown, accessToken: string): value is string {
  return (
    typeof value === "string" &&
    KEY_TEXT.test(value) &&
    !MASKED.test(value) &&
    value !== accessToken &&
    !(accessToken.length >= MIN_UNIQUE_LENGTH && value.includes(accessToken))
  );
}

/** Whether a value looks generated, as a key does, and is not an address, date or name. */
function looksGenerated({ value }: DocumentNode): boolean {
  const text = String(value);
  return !ADDRESS.test(text) && !DATE.test(text) && !consistsOfWords(text);
}

/** Whether a value is named like the key, and in a place for the key. */
function isNamedAsKey(node: DocumentNode): boolean {
  const { value, name, parent } = node;
  if (parent === null) return BARE_KEY.test(String(value)) && looksGenerated(node);
  if (OTHER_SECRET.test(name) || !pathToRoot(parent).every(isAroundKey)) return false;
  // The contract's own name is believed, even if the key looks like words or a path.
  if (name.endsWith(API_KEY)) return true;
  const isName = KEY_NAME.has(name) || KEY_IN_WORDS.test(name) || name.endsWith("apitoken");
  return isName && looksGenerated(node);
}

/** Whether a value could be the key although its name does not say so. */
function couldBeKeyUnderOtherName(node: DocumentNode): boolean {
  const { value, name } = node;
  if (LABEL_NAME.test(name) || pathToRoot(node).some((each) => OTHER_SECRET.test(each.name))) return false;
  const text = String(value);
  const isLong = text.length >= 16 && /[0-9]/.test(text) && !UUID_OR_EMAIL.test(text);
  return isLong || SECRET.test(name);
}
