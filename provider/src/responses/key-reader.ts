import { parseDocument, walk, type DocumentNode } from "./document.js";
import { documentReportsFailure, isWholeWebPage, reportsFailure } from "./failure-report.js";
import { isFieldName, listCandidates, parsePointer, printPointer, resolvePointer } from "./json-pointer.js";
import { canBeSent, isKeyForm, isMixed, isUnbroken, isUuid, piecesOf } from "./key-form.js";
import type { ResponseMapping } from "./mapping.js";

/** What the response to the creation of a key gave. */
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
       * `none`: nothing is certain to be the key, or the response reports a failure; `several`: more than one string may be
       * the key; `pointer`: `responses.apiKey` finds no string that can be sent.
       */
      readonly reason: "none" | "several" | "pointer";
      /** JSON Pointers to what may be the key, at most 10. */
      readonly candidates: readonly string[];
    };

const KEY = /key|token|secret/;
/** Names under which also a short string is a secret. */
const SECRET = /key|token|secret|plain|clear|raw|full|value|passw|pwd|unmask|credential/;
/** Names that consist of these words speak of the new key itself; `refreshToken` or `webhookSecret` do not. */
const NEW_KEY =
  /^(?:x|api|app|partner|auth|access|personal|account|live|test|new|created?|generated?|issued?|plain|clear|text|raw|full|unmasked|secret|key|token|credentials?|value|string)+$/;
/** Objects that hold another key than the new one. */
const OTHER_KEY =
  /session|csrf|xsrf|refresh|signing|hook|pag(?:e|ing|ination)|cursor|meta|link|request|previous|old/;
/** Names of things about a key that are never the key. */
const NOT_COUNTED =
  /(?:id|prefix|hint|name|type|hash|url|uri|href|at|by|email|scopes?|description|last4|fingerprint)$|^(?:hashed|masked|public|idempotency)/;
/** Names that say nothing of what is in them. */
const VAGUE =
  /^(?:data|content|payload|result|response|body|generated|created|string|code|text|auth|display|pass)$/;
const KEY_ID = /^[!-~]{1,256}$/;
/** Names are compared up to this length. */
const MAX_NAME = 64;
/** How much deeper than the key another secret may be. */
const MAX_DEPTH = 16;

/** A string that may be the key, or holds it. */
interface Candidate {
  readonly text: string;
  readonly node: DocumentNode;
  /** Whether it is a whole string of the document, and not a piece of one. */
  readonly whole: boolean;
}

/**
 * Reads the key in the response to its creation.
 *
 * @param text the body.
 * @returns the key, which is a whole string of the document, or why there is none. Never throws.
 * @example readApiKey('{"data":{"id":7,"api_key":"pk_live_4eC39HqLyjWD"}}', {}) // pointer: "/data/api_key"
 */
export function readApiKey(text: string, mapping: ResponseMapping): KeyReading {
  const document = parseDocument(text);
  const plain = document === undefined || typeof document === "number" ? plainKey(text) : null;
  const candidates = document === undefined ? [] : findCandidates(document);
  const refuse = (reason: "none" | "several" | "pointer"): KeyReading => ({
    kind: "refused",
    reason,
    candidates: plain === null ? listCandidates(proposals(candidates)) : [""],
  });

  if (mapping.apiKey !== undefined) {
    const value =
      mapping.apiKey === "" && plain !== null
        ? plain
        : resolvePointer(document, parsePointer(mapping.apiKey));
    return canBeSent(value) ? { kind: "found", apiKey: value, pointer: mapping.apiKey } : refuse("pointer");
  }

  const only = typeof document === "string" ? document : plain;
  if (only !== null && isKeyForm(only) && /[0-9]/.test(only))
    return { kind: "found", apiKey: only, pointer: "" };
  if (document === undefined || documentReportsFailure(document)) return refuse("none");

  const chosen = chooseKey(candidates);
  if (typeof chosen === "string") return refuse(chosen);
  const pointer = printPointer(chosen.node);
  return pointer === null ? refuse("none") : { kind: "found", apiKey: chosen.text, pointer };
}

/**
 * Reads the id of a key at `responses.apiKeyId`: a string of 1 to 256 visible ASCII characters other than `.` and `..`, or a
 * safe integer. Ids of keys are never recognised.
 *
 * @returns the id as text; `null` if the pointer is not set or finds no id. Never throws.
 */
export function readApiKeyId(text: string, mapping: ResponseMapping): string | null {
  if (mapping.apiKeyId === undefined) return null;
  const value = resolvePointer(parseDocument(text), parsePointer(mapping.apiKeyId));
  if (typeof value === "number") return Number.isSafeInteger(value) ? String(value) : null;
  return typeof value === "string" && KEY_ID.test(value) && !/^\.\.?$/.test(value) ? value : null;
}

/**
 * Whether a 2xx answer to a creation is certainly a failure: a web page, or JSON that reports a failure and holds no string,
 * under any name, that has the form of a key. A pointer that is set and finds something overrules it. Never throws.
 */
export function isFailedCreation(text: string, mapping: ResponseMapping): boolean {
  if (mapping.apiKey !== undefined && readApiKey(text, mapping).kind === "found") return false;
  if (readApiKeyId(text, mapping) !== null) return false;
  if (isWholeWebPage(text)) return true;
  const document = parseDocument(text);
  if (document === undefined || !reportsFailure(text)) return false;
  if (findCandidates(document).some((one) => isMixed(one.text))) return false;
  for (const { value } of walk(document)) {
    if (typeof value === "string" && piecesOf(value).some(isKeyForm)) return false;
  }
  return true;
}

/** The key that a body is if all of it is one word of plain text; `null` for what is or may be the beginning of something else. */
function plainKey(text: string): string | null {
  const plain = text.trim(); // Removes a byte order mark as well.
  return canBeSent(plain) && !/^[{["<]/.test(plain) ? plain : null;
}

/** Every string, piece of a string, long number and name that may be the key. */
function findCandidates(document: unknown): Candidate[] {
  const candidates: Candidate[] = [];
  for (const node of walk(document)) {
    const { value, name, around } = node;
    if (isKeyForm(node.token)) candidates.push({ text: node.token, node, whole: false });
    if (NOT_COUNTED.test(name)) continue;
    if (typeof value === "number" && /(?:key|token|secret)$/.test(name) && Math.abs(value) >= 1e7) {
      candidates.push({ text: String(value), node, whole: false });
    }
    if (typeof value !== "string") continue;
    const whole = isUnbroken(value);
    for (const text of piecesOf(value)) {
      if (mayBeKey(text, name, around)) candidates.push({ text, node, whole });
    }
  }
  return candidates;
}

function mayBeKey(text: string, name: string, around: string): boolean {
  if (isKeyForm(text)) return true;
  if (text.length < 8) return false;
  if (SECRET.test(name)) return true;
  return (SECRET.test(around) || VAGUE.test(name)) && (isMixed(text) || /^[0-9]{16,}$/.test(text));
}

/**
 * The key: the only candidate, if its name says so; among several the one named exactly `apiKey`, if the others are next
 * to it or below, and are other secrets by their names.
 */
function chooseKey(candidates: readonly Candidate[]): Candidate | "none" | "several" {
  const named = candidates.filter(isNamedAsKey);
  const exact = named.filter(isExactlyApiKey);
  const [key, ...others] = exact.length > 0 ? exact : named;
  if (key === undefined) return "none";
  if (others.some(({ text }) => text !== key.text)) return "several";

  const rivals = candidates.filter((one) => one.text !== key.text && !isPartOfKey(one, key.text));
  const holder = key.node.name === "apikey" ? key.node.parent : (key.node.parent?.parent ?? null);
  const isHarmless = (rival: Candidate): boolean =>
    exact.length > 0 &&
    isOtherSecret(rival.node) &&
    !rival.text.startsWith(key.text) &&
    !key.text.startsWith(rival.text) &&
    isInside(rival.node, holder);
  return rivals.every(isHarmless) ? key : "several";
}

/** Whether a string has the form of a key and a name that says so, outside arrays, on a path of names that are not data. */
function isNamedAsKey({ text, node, whole }: Candidate): boolean {
  const { name, around, depth } = node;
  if (!whole || name.length > MAX_NAME || around.length > MAX_NAME || depth > MAX_DEPTH) return false;
  if (!isKeyForm(text) && !(isUuid(text) && KEY.test(name + around))) return false;
  if (!NEW_KEY.test(name) || !(KEY.test(name) || (KEY.test(around) && NEW_KEY.test(around)))) return false;
  // The index of an element is not the name of a field either: a key in an array is one of several.
  for (let one = node; one.parent !== null; one = one.parent) {
    if (!isFieldName(one.token) || (one !== node && OTHER_KEY.test(one.name))) return false;
  }
  return true;
}

/** Whether the name of a string next to `apiKey` does not say that this string is the key, and `apiKey` a label or an old one. */
function isOtherSecret({ name, around }: DocumentNode): boolean {
  if (name.length > MAX_NAME || /apikey|plain|clear|raw|full|value|unmask/.test(name)) return false;
  return !NEW_KEY.test(name) || /secret|token/.test(name + around);
}

function isExactlyApiKey({ node: { name, around } }: Candidate): boolean {
  return name === "apikey" || (around === "apikey" && /^(?:key|value|token|secret|plaintext)$/.test(name));
}

/** Whether a candidate is what a service shows of the key: its beginning or its end, masked or short. */
function isPartOfKey({ text, whole }: Candidate, key: string): boolean {
  return (!whole || !isKeyForm(text)) && (key.startsWith(text) || key.endsWith(text));
}

function isInside(node: DocumentNode, holder: DocumentNode | null): boolean {
  if (holder === null || node.depth > holder.depth + MAX_DEPTH) return false;
  let one: DocumentNode | null = node;
  while (one !== null && one.depth > holder.depth) one = one.parent;
  return one === holder;
}

/** What a setting can point at: whole strings that can be sent, those with the form of a key first. */
function* proposals(candidates: readonly Candidate[]): Generator<DocumentNode, void, undefined> {
  for (const { node, text, whole } of candidates) if (whole && isKeyForm(text)) yield node;
  for (const { node, text, whole } of candidates) if (whole && !isKeyForm(text)) yield node;
}
