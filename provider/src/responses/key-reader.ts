import { isArray, names, parseDocument, walk, type DocumentNode } from "./document.js";
import { documentReportsFailure, isWebPage } from "./failure-report.js";
import type { ResponseMapping } from "./mapping.js";
import { listPointers, printPointer, resolvePointer } from "./pointer.js";

/** The result of looking for the key in the response to its creation. */
export type KeyReading =
  | {
      readonly kind: "found";
      /** The key. Secret. */
      readonly apiKey: string;
      /** The JSON Pointer of the key. */
      readonly pointer: string;
    }
  | {
      readonly kind: "refused";
      /**
       * `none`: nothing has the name of a key, or the response reports a failure. `several`: two different values do.
       * `pointer`: `responses.apiKey` does not point to a string that can be sent.
       */
      readonly reason: "none" | "several" | "pointer";
      /** JSON Pointers to possible keys, at most 10. */
      readonly candidates: readonly string[];
    };

/** The ends of names that say "the API key", such as `x-api-key`. They count anywhere outside arrays. */
const API_KEY = ["apikey", "apitoken", "apikeyvalue", "apikeysecret"];
/** Next to an API key, another form of it (Elasticsearch). */
const ALSO_API_KEY = names("encoded");
/** The other names of keys. They count if there is no API key, at the root and in the objects below. */
const KEY = names(
  "key token secret value accessToken secretKey authToken tokenValue keyValue secretValue tokenString keyString rawKey " +
    "rawToken rawValue fullKey fullToken plainKey plainToken plainText plainTextKey plainTextToken plainTextValue clearText " +
    "unmaskedKey newKey newToken keySecret tokenSecret secretToken secretText secretId sha1 pat jwt clientToken " +
    "clientSecret bearerToken userToken personalAccessToken serviceToken accountToken authorizationToken partnerKey " +
    "partnerToken appKey applicationKey integrationKey hmacKey licenseKey writeKey readKey masterKey adminKey deployKey " +
    "serverKey sharedKey privateKey",
);
/** Objects around a key: usual envelopes, and owners of keys. So is an object named after the key, such as `createToken`. */
const AROUND_KEY = names(
  "data result results response attributes payload body item object record resource content output spec status auth " +
    "created user account partner client customer merchant member project team organization workspace tenant app " +
    "application agent machine bot integration",
);
const KEY_WORDS = ["key", "token", "secret", "credential"];
/** The starts of names of other things, and of objects that hold them. */
const OTHER_STARTS =
  "refresh public masked redacted obfuscated hashed encrypted previous old existing expired revoked session csrf".split(
    " ",
  );
/** The ends of names of other things. */
const OTHER_ENDS = "id hash prefix suffix hint name label type url at by".split(" ");

const VISIBLE_ASCII = /^[!-~]{1,4096}$/;
const MIN_LENGTH = 8;
const MASKED = /\*\*|\.\.\.|x{4}|X{4}/;
const URL_START = /^[a-z][a-z0-9+.-]{0,20}:\/\//i;
/** Words and short numbers, such as `partner-main-2024`. */
const LABEL = /^(?:[A-Z]?[a-z]+|[A-Z]+)(?:[-_./:](?:[A-Z]?[a-z]+|[A-Z]+|[0-9]{1,4}))*$/;
/** A body that is nothing but a key. */
const BARE_KEY = /^[\w-]{20,}$/;
const KEY_ID = /^[!-~]{1,256}$/;

/**
 * Finds the key in the response to its creation. Never throws.
 *
 * @param text The body.
 * @returns The key, which is always a complete string of the document, or the reason for a refusal.
 * @example readApiKey('{"data":{"id":7,"api_key":"pk_live_4eC39HqLyjWD"}}', {}) // pointer: "/data/api_key"
 */
export function readApiKey(text: string, mapping: ResponseMapping): KeyReading {
  const document = parseDocument(text);
  const plain = typeof document === "string" ? document : plainText(text, document);
  if (mapping.apiKey !== undefined) {
    const value = mapping.apiKey === "" ? plain : resolvePointer(document, mapping.apiKey);
    if (canBeSent(value)) return { kind: "found", apiKey: value, pointer: mapping.apiKey };
    return { kind: "refused", reason: "pointer", candidates: plain === null ? candidatesIn(document) : [""] };
  }
  if (plain !== null) {
    if (BARE_KEY.test(plain) && mayBeKey(plain)) return { kind: "found", apiKey: plain, pointer: "" };
    return { kind: "refused", reason: "none", candidates: canBeSent(plain) ? [""] : [] };
  }
  const nodes = documentReportsFailure(document) ? [] : findKeys(document);
  const [node] = nodes;
  if (new Set(nodes.map(({ value }) => value)).size > 1)
    return { kind: "refused", reason: "several", candidates: listPointers(nodes) };
  const pointer = node === undefined ? null : printPointer(node);
  if (pointer === null) return { kind: "refused", reason: "none", candidates: candidatesIn(document) };
  return { kind: "found", apiKey: node?.value as string, pointer };
}

/**
 * Reads the ID of a key at `responses.apiKeyId`: a string of 1 to 256 visible ASCII characters other than `.` and `..`, or a
 * safe integer. Without the setting, key IDs are not recognized. Never throws.
 *
 * @returns The ID as text; `null` if the setting is missing or does not point to an ID.
 */
export function readApiKeyId(text: string, mapping: ResponseMapping): string | null {
  if (mapping.apiKeyId === undefined) return null;
  const value = resolvePointer(parseDocument(text), mapping.apiKeyId);
  if (typeof value === "number") return Number.isSafeInteger(value) ? String(value) : null;
  return typeof value === "string" && KEY_ID.test(value) && !/^\.\.?$/.test(value) ? value : null;
}

/**
 * Whether a 2xx response to a creation certainly reports a failure: it is a web page, or JSON that reports a failure and has
 * nothing under the name of a key. A `responses` pointer that finds a value takes precedence. Never throws.
 */
export function isFailedCreation(text: string, mapping: ResponseMapping): boolean {
  if (mapping.apiKey !== undefined && readApiKey(text, mapping).kind === "found") return false;
  if (readApiKeyId(text, mapping) !== null) return false;
  const document = parseDocument(text);
  if (document === undefined) return isWebPage(text);
  return documentReportsFailure(document) && !keyValuesIn(document).some(isNamedAfterKey);
}

/** Returns a body that is one word of plain text; `null` for any other body. */
function plainText(text: string, document: unknown): string | null {
  const plain = text.trim(); // Also removes a byte order mark.
  const isJson = document !== undefined && typeof document !== "number";
  return isJson || !canBeSent(plain) || /^[{["<]/.test(plain) ? null : plain;
}

/** Returns the values with the best names of a key. */
function findKeys(document: unknown): readonly DocumentNode[] {
  const nodes = keyValuesIn(document, ({ value, name }) => !isArray(value) && !startsOther(name));
  const apiKeys = nodes.filter(({ name }) => !startsOther(name) && API_KEY.some((end) => name.endsWith(end)));
  if (apiKeys.length > 0) return [...apiKeys, ...nodes.filter(({ name }) => ALSO_API_KEY.has(name))];
  return nodes.filter(({ name, parent }) => KEY.has(name) && isAroundKey(parent));
}

/** Whether an object and those around it are the root, envelopes, owners of keys, or named after the key. */
function isAroundKey(object: DocumentNode | null): boolean {
  for (let node = object; node !== null && node.parent !== null; node = node.parent)
    if (!AROUND_KEY.has(node.name) && !KEY_WORDS.some((word) => node.name.includes(word))) return false;
  return true;
}

/** Returns the pointers to propose: to what is named after a key, or else to everything that may be one. */
function candidatesIn(document: unknown): string[] {
  const nodes = keyValuesIn(document).filter(({ name }) => !OTHER_ENDS.some((end) => name.endsWith(end)));
  const named = nodes.filter(isNamedAfterKey);
  return listPointers(named.length > 0 ? named : nodes);
}

function isNamedAfterKey({ name, parent }: DocumentNode): boolean {
  return KEY.has(name) || KEY_WORDS.some((word) => name.includes(word) || parent?.name.includes(word));
}

function startsOther(name: string): boolean {
  return OTHER_STARTS.some((start) => name.startsWith(start));
}

/** Returns the strings that may be a key. */
function keyValuesIn(document: unknown, descends?: (node: DocumentNode) => boolean): DocumentNode[] {
  return [...walk(document, descends)].filter(({ value }) => canBeSent(value) && mayBeKey(value));
}

/** Whether a value can be sent as a key: the only requirement for a key that `responses.apiKey` points to. */
function canBeSent(value: unknown): value is string {
  return typeof value === "string" && VISIBLE_ASCII.test(value);
}

/** Whether a text is not masked, not an address and not a label. */
function mayBeKey(text: string): boolean {
  return text.length >= MIN_LENGTH && !MASKED.test(text) && !URL_START.test(text) && !LABEL.test(text);
}
