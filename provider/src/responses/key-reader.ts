import { isVisibleAscii } from "../api/operations.js";
import { parseDocument, parseWithExactIntegers } from "../json-text.js";
import { isArray, nameSet, nodesOf, pointersOf, resolvePointer, type DocumentNode } from "../json.js";
import { documentReportsFailure, isWebPage, membersBesideErrors } from "./failure-report.js";
import type { ResponseMapping } from "./mapping.js";

/** A response of the service, exactly as received. Secret. */
export interface KeyResponse {
  /**
   * The body as text, or in base64 if it is not valid UTF-8, or is one of Pulumi's placeholders for unknown
   * values.
   */
  readonly body: string;
  /** The encoding of `body`: `utf8` or `base64`. */
  readonly encoding: "utf8" | "base64";
  /** Whether the whole body was received. */
  readonly complete: boolean;
}

/**
 * The result of looking for the key in the response to its creation. `apiKey` is secret; `pointer` is where
 * it was found.
 */
export type KeyReading =
  | { readonly kind: "found"; readonly apiKey: string; readonly pointer: string }
  | {
      readonly kind: "refused";
      /**
       * `none`: or the response reports a failure. `pointer`: it finds nothing that can be sent. `not JSON`,
       * `empty`: no pointer can help.
       */
      readonly reason: "none" | "several" | "pointer" | "not JSON" | "empty";
      /** JSON Pointers to possible keys, at most 10. */
      readonly candidates: readonly string[];
    };

/** The ends of names that say "the API key", such as `x-api-key`. They count anywhere outside arrays. */
const API_KEY = /api(?:key|token|keyvalue|keysecret)$/;
/** The other names of keys. They count if there is no API key, at the root and in the objects below. */
const KEY = nameSet(
  "key token secret value accessToken authToken bearerToken clientToken userToken accountToken serviceToken " +
    "personalAccessToken partnerToken authorizationToken secretToken plainTextToken secretKey privateKey licenseKey hmacKey " +
    "appKey applicationKey integrationKey partnerKey writeKey adminKey masterKey deployKey rawKey fullKey newKey " +
    "plainTextKey keyValue keyString keySecret tokenValue tokenString tokenSecret secretValue secretText secretId " +
    "clientSecret plainText clearText sha1 jwt pat",
);
/**
 * Objects around a key: usual envelopes, and owners of keys. So is an object named after the key, such as
 * `createToken`.
 */
const AROUND_KEY = nameSet(
  "data result results response attributes payload body item object record resource content output spec status auth " +
    "created user account partner client customer merchant member project team organization workspace tenant app " +
    "application agent machine bot integration service server source site store environment device entity",
);
/** The starts of names of other things, and of the objects around them. */
const OTHER =
  /^(?:refresh|public|masked|redacted|obfuscated|hashed|encrypted|previous|old|existing|expired|revoked|session|csrf)/;
/** Names of what describes a failure, or the request that failed. */
const ABOUT_FAILURE =
  /^(?:code|type|title|message|msg|detail|reason|description|instance|path|time|date|host|error)|(?:request|trace|correlation|span)(?:id)?$|(?:code|time|stamp|date|at)$/;

const MIN_LENGTH = 8;
const MASKED = /\*\*|\.\.\.|x{4}|X{4}/;
const URL_START = /^[a-z][a-z0-9+.-]{0,20}:\/\//i;
/** Words and short numbers, such as `partner-main-2024`. */
const LABEL = /^(?:[A-Z]?[a-z]+|[A-Z]+)(?:[-_./:](?:[A-Z]?[a-z]+|[A-Z]+|[0-9]{1,4}))*$/;
/** The start of what was meant to be JSON or a page. */
const CUT_OFF = /^\s*[{["<]/;
/** A body that is nothing but a key. */
const BARE_KEY = /^[\w-]{20,}$/;

/**
 * Finds the key in the response to its creation: always a complete string of the document. Never throws.
 *
 * @example readApiKey('{"data":{"id":7,"api_key":"pk_live_4eC39HqLyjWD"}}', {}) // pointer: "/data/api_key"
 */
export function readApiKey(text: string, mapping: ResponseMapping, accessToken: string): KeyReading {
  void accessToken;
  const document = parseDocument(text);
  const isPlain = document === undefined || typeof document === "number";
  const body = isPlain && !CUT_OFF.test(text) ? text.trim() : document;
  if (mapping.apiKey !== undefined) {
    const value = mapping.apiKey === "" ? body : resolvePointer(document, mapping.apiKey);
    if (isVisibleAscii(value)) return { kind: "found", apiKey: value, pointer: mapping.apiKey };
    return { kind: "refused", reason: "pointer", candidates: candidatesIn(body) };
  }
  const nodes = documentReportsFailure(document) ? [] : findKeys(body);
  const [key, ...others] = new Set(nodes.map(({ value }) => value));
  if (others.length > 0) return { kind: "refused", reason: "several", candidates: pointersOf(nodes) };
  const pointer = nodes[0]?.pointer ?? null;
  if (pointer === null) return { kind: "refused", reason: "none", candidates: candidatesIn(body) };
  return { kind: "found", apiKey: String(key), pointer };
}

/**
 * Reads the ID of a key at `responses.apiKeyId`; `null` if the setting is missing or does not point to an ID.
 * Never throws.
 */
export function readApiKeyId(text: string, mapping: ResponseMapping): string | null {
  if (mapping.apiKeyId === undefined) return null;
  const value = resolvePointer(parseWithExactIntegers(text), mapping.apiKeyId);
  if (typeof value === "bigint") return String(value);
  return isVisibleAscii(value) && value !== "." && value !== ".." ? value : null;
}

/**
 * Whether a 2xx response to a creation shows that no key was created, so that it is not kept. A response that
 * is kept in vain costs the user one `pulumi state delete`; one that is dropped may be the only copy of a
 * key, and every `pulumi up` creates another. So a 201 is always kept: the service says that it created a
 * key. With any other status, which a login page or an error envelope may have as well, a web page is
 * dropped, and a failure that has nothing beside its errors that may be a key. A `responses` pointer that
 * finds a value takes precedence. Never throws.
 */
export function isFailedCreation(
  status: number,
  text: string,
  mapping: ResponseMapping,
  accessToken: string,
): boolean {
  void accessToken;
  if (status === 201) return false;
  if (mapping.apiKey !== undefined && readApiKey(text, mapping, accessToken).kind === "found") return false;
  if (readApiKeyId(text, mapping) !== null) return false;
  const document = parseDocument(text);
  if (document === undefined) return isWebPage(text);
  if (!documentReportsFailure(document)) return false;
  return keysIn(membersBesideErrors(document)).every(({ name }) => ABOUT_FAILURE.test(name));
}

/** Returns the values with the best names of a key. */
function findKeys(body: unknown): DocumentNode[] {
  if (typeof body === "string") return BARE_KEY.test(body) ? [...keysIn(body)] : [];
  const isApiKey = ({ name }: DocumentNode): boolean => API_KEY.test(name);
  const nodes = [...keysIn(body, ({ value }) => !isArray(value)).filter(({ name }) => !OTHER.test(name))];
  // Elasticsearch calls another form of the API key "encoded".
  if (nodes.some(isApiKey)) return nodes.filter((node) => isApiKey(node) || node.name === "encoded");
  const isAroundKey = ({ value, name, depth }: DocumentNode): boolean =>
    !isArray(value) && (depth === 0 || AROUND_KEY.has(name) || hasKeyWord(name));
  return [...keysIn(body, isAroundKey).filter(({ name }) => KEY.has(name))];
}

/** Returns the pointers to propose: to what is named after a key, or else to everything that may be one. */
function candidatesIn(body: unknown): readonly string[] {
  const named = pointersOf(keysIn(body).filter(({ name }) => KEY.has(name) || hasKeyWord(name)));
  return named.length > 0 ? named : pointersOf(keysIn(body));
}

function hasKeyWord(name: string): boolean {
  return /key|token|secret|credential/.test(name);
}

/** Yields the strings that may be keys. */
function keysIn(
  body: unknown,
  descends: (node: DocumentNode) => boolean = () => true,
): IteratorObject<DocumentNode> {
  const nodes = nodesOf(body, (node) => descends(node) && !OTHER.test(node.name));
  return nodes.filter(({ value }) => isVisibleAscii(value) && mayBeKey(value));
}

function mayBeKey(text: string): boolean {
  return text.length >= MIN_LENGTH && ![MASKED, URL_START, LABEL].some((pattern) => pattern.test(text));
}

export function looksLikeKey(value: unknown): boolean {
  return isVisibleAscii(value) && mayBeKey(value);
}
export function idsBesideKey(text: string): readonly string[] {
  const d = parseDocument(text);
  return pointersOf(nodesOf(d, (n) => n.depth < 2).filter(({ name }) => ["id", "keyid"].includes(name)));
}
