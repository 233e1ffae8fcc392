import { reportsFailure } from "../bodies/failure-reports.js";
import {
  isObject,
  nameSet,
  nodesOf,
  normalizeName,
  parseDocument,
  parsePointer,
  pointersOf,
  resolvePointer,
  type DocumentNode,
} from "../bodies/json.js";
import type { ResponseMapping } from "../bodies/response-mapping.js";

/** What a response says of the key. Secret. */
export interface KeyReading {
  /** `null` if none is certain. */
  readonly apiKey: string | null;
  /** Without an `apiKey`: JSON Pointers to possible keys, best first; empty if hidden, `null` if none. */
  readonly candidates: readonly string[] | null;
}

/** What identifies a key to its service. */
export interface KeyIdentity {
  /** The value at `responses.apiKeyId`: an ID, or the key itself; `null` if there is none. Secret. */
  readonly id: string | null;
  /** Whether the service certainly deletes the key by the key itself. */
  readonly isDeletedByKey: boolean;
  /** Whether the key has the name of the contract: then the service probably does. */
  readonly isNamed: boolean;
  /** A JSON Pointer to propose: to an ID next to the key; `null` if there is none. */
  readonly idPointer: string | null;
  /** A JSON Pointer to propose: to the key. */
  readonly keyPointer: string;
}

/** Names of keys, besides names that end with {@link API_KEY} or `apiToken`. */
const KEY_NAME = nameSet(
  "key token secret value apiKeyValue apiSecret accessToken authToken authorizationToken bearerToken " +
    "clientToken clientSecret userToken accountToken serviceToken personalAccessToken secretKey " +
    "secretToken secretValue privateKey partnerKey partnerToken partnerSecret appKey appToken " +
    "applicationKey licenseKey integrationKey hmacKey writeKey adminKey masterKey deployKey rawKey " +
    "fullKey newKey newToken plainKey plainToken plainTextKey plainTextToken plainText clearText " +
    "keyValue keyString keySecret tokenValue tokenString tokenSecret secretId sha1 jwt pat",
);
const API_KEY = "apikey";
/** Where the key would be if a response named it as the contract does. */
const CONTRACT_POINTER = "/api_key";
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
const ID_NAME =
  /(?:key|token|secret|credential)(?:id|uuid|guid)$|^(?:id|uuid|guid|uid|gid|sid|kid|identifier)$|accessor$/;

/** What can be a key, and fits into the path of its deletion. */
const KEY_TEXT = /^[!-~]{8,4096}$/;
const MASKED = /\*{2}|\.{3}|x{5}|X{5}/;
/** A URL; a path, unless it could be base64. */
const ADDRESS =
  /^[A-Za-z][\w+.-]{0,20}:\/\/|^\.{0,2}\/(?![A-Za-z0-9+/]{31,}={0,2}$)|(?:^|\/)[a-z][a-z_-]{2,}\//;
const DATE = /^\d{4}-\d\d-\d\d(?:$|T)/;
/** Words and short numbers, such as `partner-main-2024`. */
const WORDS = /^(?:[A-Z]?[a-z]+|[A-Z]+)(?:[-_./:](?:[A-Z]?[a-z]+|[A-Z]+|[0-9]{1,4}))*$/;
const UUID_OR_EMAIL = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$|^[^@\s]+@[^@\s]+\.[a-z]+$/i;
/** A body that is nothing but a key. */
const BARE_KEY = /^[\w.~+/=-]{20,}$/;
/** The start of JSON or HTML, which is not a bare key. */
const MARKUP = /^\s*[{["<]/;
/** An access token of this length is not in a key by chance. */
const MIN_UNIQUE_LENGTH = 16;
/** The maximum number of pointers to propose. */
const MAX_CANDIDATES = 3;

/**
 * Reads the key from the body of the response to its creation. Never throws.
 *
 * @param accessToken It is never the key.
 * @example Of `{"data":{"id":7,"api_key":"pk_live_4eC39HqLyjWD"}}`, the key is at `/data/api_key`.
 */
export function readApiKey(text: string, mapping: ResponseMapping, accessToken: string): KeyReading {
  const root = rootOf(text);
  const mapped = mapping.apiKey === undefined ? null : resolvePointer(root, mapping.apiKey);
  if (isPossible(mapped, accessToken)) return { apiKey: mapped, candidates: null };

  const possible = nodesOf(root).filter((node) => isPossible(node.value, accessToken) && isGenerated(node));
  const named = possible.filter(isNamedAsKey);
  const others = possible.filter((node) => !isNamedAsKey(node) && mayBeKey(node));
  const [key] = named;
  const candidates = [...named, ...others];
  const isCertain = candidates.every(({ value }) => value === key?.value);
  // Where a setting points to nothing, a guess is only proposed.
  if (key && isCertain && mapping.apiKey === undefined && !reportsFailure(text))
    return { apiKey: String(key.value), candidates: null };
  return { apiKey: null, candidates: candidates[0] ? pointersOf(candidates, MAX_CANDIDATES) : null };
}

/** Returns what identifies a key to its service. @param text Its response; `null` if it was imported. */
export function identifyKey(text: string | null, apiKey: string, mapping: ResponseMapping): KeyIdentity {
  const { apiKeyId } = mapping;
  const root = text === null ? null : rootOf(text);
  const nodes = nodesOf(root);
  const key = nodes.find(({ value }) => value === apiKey);
  const around = key ? ancestorsOf(key) : [];
  const ids = nodes.filter(({ name, value, parent }) => {
    if (parent === null || !ID_NAME.test(name) || value === apiKey || idOf(value) === null) return false;
    return ancestorsOf(parent).every((node) => around.includes(node) || isAroundKey(node));
  });
  const id = apiKeyId === undefined ? null : idOf(resolvePointer(root, apiKeyId));
  const hasNoId = text !== null && apiKeyId === undefined && ids.length === 0;
  // Of an imported key, only the setting can tell.
  const isMapped = text === null && apiKeyId !== undefined && isPointerToKey(apiKeyId, mapping);
  return {
    id,
    isDeletedByKey: id === apiKey || hasNoId || isMapped,
    isNamed: key?.name === API_KEY,
    idPointer: pointersOf(ids)[0] ?? null,
    keyPointer: pointersOf(key ? [key] : [])[0] ?? mapping.apiKey ?? CONTRACT_POINTER,
  };
}

/** Whether a text is empty or only dots, which would change the path of a deletion. */
export function isOnlyDots(text: string): boolean {
  return /^\.*$/.test(text);
}

/** Returns an ID for the path of a deletion; `null` if the value is not an ID or would change the path. */
function idOf(value: unknown): string | null {
  if (typeof value === "number" || typeof value === "bigint") return String(value);
  return typeof value === "string" && !isOnlyDots(value) ? value : null;
}

/** Whether a value can be a key by its form. */
function isPossible(value: unknown, accessToken: string): value is string {
  return (
    typeof value === "string" &&
    KEY_TEXT.test(value) &&
    !MASKED.test(value) &&
    value !== accessToken &&
    !(accessToken.length >= MIN_UNIQUE_LENGTH && value.includes(accessToken))
  );
}

/** Whether a JSON Pointer points to the key, as far as its last name tells. */
function isPointerToKey(pointer: string, { apiKey }: ResponseMapping): boolean {
  return pointer === apiKey || isKeyName(normalizeName(parsePointer(pointer)?.at(-1) ?? ""));
}

/** Returns a body as JSON, or as text that may be a key. */
function rootOf(text: string): unknown {
  const document = parseDocument(text);
  if (typeof document === "object" || typeof document === "string") return document;
  return MARKUP.test(text) ? null : text.trim();
}

/** Whether a value looks generated, as a key does, and is not an address, date or name. */
function isGenerated({ value }: DocumentNode): boolean {
  const text = String(value);
  return ![ADDRESS, DATE, WORDS].some((form) => form.test(text));
}

/** Whether a value is named like the key, and in a place for the key. */
function isNamedAsKey({ value, name, parent }: DocumentNode): boolean {
  if (parent === null) return BARE_KEY.test(String(value));
  if (!isKeyName(name)) return false;
  return ancestorsOf(parent).every(isAroundKey);
}

function isKeyName(name: string): boolean {
  const isApiKey = name.endsWith(API_KEY) || name.endsWith("apitoken");
  return (KEY_NAME.has(name) || isApiKey) && !OTHER_SECRET.test(name);
}

/** Whether an object may be around the key: the root, an envelope, or one that is named after a key. */
function isAroundKey({ value, name, parent }: DocumentNode): boolean {
  if (parent === null) return true;
  return isObject(value) && (ENVELOPE.has(name) || SECRET.test(name)) && !OTHER_SECRET.test(name);
}

/** Whether a value could be the key although its name does not say so. */
function mayBeKey(node: DocumentNode): boolean {
  const { value, name } = node;
  if (LABEL_NAME.test(name) || ancestorsOf(node).some((around) => OTHER_SECRET.test(around.name)))
    return false;
  const text = String(value);
  const isLong = text.length >= 16 && /[0-9]/.test(text) && !UUID_OR_EMAIL.test(text);
  return isLong || SECRET.test(name);
}

/** Returns a node and all around it. */
function ancestorsOf(node: DocumentNode): DocumentNode[] {
  return node.parent === null ? [node] : [node, ...ancestorsOf(node.parent)];
}
