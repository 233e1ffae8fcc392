import { isEmpty, parseDocument, walk, type DocumentNode } from "./document.js";
import { documentReportsFailure, isRefusalMessage, isWebPage } from "./failure-report.js";
import { canBeSent, isBareKey, hasKeyForm, isMixed, isShortKey } from "./key-form.js";
import { isUuid, mayContainKey, MIN_SHORT_LENGTH, splitIntoParts } from "./key-form.js";
import { resolvePointer, type ResponseMapping } from "./mapping.js";
import { isFieldName, listCandidates, MAX_DEPTH, printPointer } from "./candidates.js";

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
       * `none`: no string is certainly the key, or the response reports a failure. `several`: more than one string may be the
       * key. `pointer`: `responses.apiKey` does not point to a string that can be sent.
       */
      readonly reason: "none" | "several" | "pointer";
      /** JSON Pointers to possible keys, at most 10. */
      readonly candidates: readonly string[];
    };

const KEY = /key|token|secret/;
/** Names of members and objects that may contain the key, even a short one. */
const SECRET =
  /key|token|secret|plain|clear|raw|full|value|passw|pwd|unmask|credential|bearer|authori|licen|private|replac|rotat|generat|^(?:pat|pin|new|next)$/;
/** Names of other secrets that appear next to the key. */
const OTHER_SECRET =
  /apisecret|client(?:id|secret|key)|refresh|session|csrf|hook|signing|passw|pwd|pem$|recovery|connection|page/;
/** Names of objects that wrap the response. */
const ENVELOPE =
  "data|results?|response|attributes|payload|body|items?|object|record|content|output|embedded";
const NEW_KEY_WORDS =
  "api|app|partner|access|account|live|test|new|add|created?|generated?|issued?|key|token|secret|credentials?";
/** Names that consist only of these words mean the new key, unlike `refreshToken` or `webhookSecret`. */
const NEW_KEY = new RegExp(
  `^(?:${NEW_KEY_WORDS}|x|auth|personal|plain|clear|text|raw|full|unmasked|value|string)+$`,
);
/** Names of objects around the new key. Others may contain a key of something else, such as a session or an integration. */
const AROUND_NEW_KEY = new RegExp(`^(?:${NEW_KEY_WORDS}|${ENVELOPE})+$`);
/** States of a request that is not completed yet: its token belongs to a job. */
const PENDING = /^(?:pending|queued|processing|in.?progress|accepted|scheduled)$/i;
/** Names that describe a key, by their end or their start. They never hold the key. */
const ABOUT_KEY =
  /(?:id|prefix|hint|(?<!user)name|type|.hash|(?:ed|s|re|n)at|by|email|scopes?|last4|fingerprint)$/;
const NOT_KEY = /^(?:hashed|masked|public|idempotency)/;
const KEY_ID = /^[!-~]{1,256}$/;

/** A string that may be or contain the key. */
interface Candidate {
  readonly text: string;
  readonly node: DocumentNode;
  /** Whether the text is a complete string of the document. */
  readonly isWhole: boolean;
}

/**
 * Finds the key in the response to its creation. Never throws.
 *
 * @param text The body.
 * @returns The key, which is always a complete string of the document, or the reason for a refusal.
 * @example readApiKey('{"data":{"id":7,"api_key":"pk_live_4eC39HqLyjWD"}}', {}) // pointer: "/data/api_key"
 */
export function readApiKey(text: string, mapping: ResponseMapping): KeyReading {
  const document = parseDocument(text);
  const plain = document === undefined || typeof document === "number" ? plainKey(text) : null;
  const candidates = document === undefined ? [] : findCandidates(document);
  const refuse = (reason: "none" | "several" | "pointer"): KeyReading => {
    const nodes = candidates.filter(({ isWhole }) => isWhole).map(({ node }) => node);
    return { kind: "refused", reason, candidates: plain === null ? listCandidates(nodes) : [""] };
  };

  if (mapping.apiKey !== undefined) {
    const isPlain = mapping.apiKey === "" && plain !== null;
    const value = isPlain ? plain : resolvePointer(document, mapping.apiKey);
    return canBeSent(value) ? { kind: "found", apiKey: value, pointer: mapping.apiKey } : refuse("pointer");
  }

  const only = typeof document === "string" ? document : plain;
  if (only !== null && isBareKey(only)) return { kind: "found", apiKey: only, pointer: "" };
  if (document === undefined || documentReportsFailure(document) || contradictsNewKey(document))
    return refuse("none");

  const chosen = chooseKey(candidates);
  if (typeof chosen === "string") return refuse(chosen);
  const pointer = printPointer(chosen.node);
  return pointer === null ? refuse("none") : { kind: "found", apiKey: chosen.text, pointer };
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
 * Whether a 2xx response to a creation certainly reports a failure: it is a web page, or JSON that reports a failure, and it
 * contains nothing that could be a key. A `responses` pointer that finds a value takes precedence. Never throws.
 */
export function isFailedCreation(text: string, mapping: ResponseMapping): boolean {
  if (mapping.apiKey !== undefined && readApiKey(text, mapping).kind === "found") return false;
  if (readApiKeyId(text, mapping) !== null) return false;
  if (isWebPage(text)) return !visibleParts(text).some(hasKeyForm);
  const document = parseDocument(text);
  return document !== undefined && documentReportsFailure(document) && findCandidates(document).length === 0;
}

/** Whether the request was refused or is not completed, or `apiKey` contains no key. Any other key is then an old one. */
function contradictsNewKey(document: unknown): boolean {
  return [...walk(document)].some(({ name, value, depth }) => {
    const isLabel = typeof value === "string" && !/[0-9]/.test(value) && !hasKeyForm(value);
    if (name === "apikey" && (isEmpty(value) || isLabel)) return true;
    if (depth > 2 || typeof value !== "string") return false;
    return /^(?:status|state)$/.test(name) ? PENDING.test(value) : isRefusalMessage(name, value);
  });
}

/** Splits the visible text of a web page, without tags and scripts. */
function visibleParts(text: string): string[] {
  const parts = text
    .split("<")
    .map((part) => (/^(?:script|style)/i.test(part) ? "" : part.slice(part.indexOf(">") + 1)));
  return splitIntoParts(parts.join(" "));
}

/** Returns a body that is one word of plain text; `null` for any other body. */
function plainKey(text: string): string | null {
  const plain = text.trim(); // Also removes a byte order mark.
  return canBeSent(plain) && !/^[{["<]/.test(plain) ? plain : null;
}

/** Finds every string, part of a string, number and name that may be the key. */
function findCandidates(document: unknown): Candidate[] {
  const candidates: Candidate[] = [];
  for (const node of walk(document)) {
    const { value, name, token } = node;
    if (mayContainKey(token)) candidates.push({ text: token, node, isWhole: false });
    const mayBeText = typeof value === "string" || typeof value === "number";
    if (!mayBeText || ABOUT_KEY.test(name) || NOT_KEY.test(name)) continue;
    for (const text of splitIntoParts(String(value))) {
      const candidate = { text, node, isWhole: text === value };
      if (mayBeKey(candidate)) candidates.push(candidate);
    }
  }
  return candidates;
}

function mayBeKey({ text, node: { value, name, containerName } }: Candidate): boolean {
  if (mayContainKey(text)) return true;
  if (text.length < MIN_SHORT_LENGTH) return false;
  const isInSentence = text !== String(value) && isShortKey(text);
  return isInSentence || SECRET.test(name) || (SECRET.test(containerName) && isMixed(text));
}

/** Chooses the candidate whose name means the new key, if no other candidate can be the key. Prefers `apiKey`. */
function chooseKey(candidates: readonly Candidate[]): Candidate | "none" | "several" {
  const named = candidates.filter(isNamedAsKey);
  const key = named.find(({ node }) => node.name === "apikey") ?? named[0];
  if (key === undefined) return "none";
  const isHarmless = (rival: Candidate): boolean =>
    rival.text === key.text ||
    isPartOfKey(rival, key.text) ||
    (key.node.name === "apikey" && isSomethingElse(rival, key.text));
  return candidates.every(isHarmless) ? key : "several";
}

/** Whether a string has the form of a key, and its path means the new key and contains no array. */
function isNamedAsKey({ text, node, isWhole }: Candidate): boolean {
  const { name, containerName, depth } = node;
  if (!isWhole || depth > MAX_DEPTH || !NEW_KEY.test(name)) return false;
  if (!hasKeyForm(text) && !(isUuid(text) && KEY.test(name + containerName))) return false;
  if (!KEY.test(name) && !(KEY.test(containerName) && NEW_KEY.test(containerName))) return false;
  for (let current = node; current.parent !== null; current = current.parent) {
    if (!isFieldName(current.token)) return false;
    if (current !== node && !AROUND_NEW_KEY.test(current.name)) return false;
  }
  return true;
}

/** Whether a string next to `apiKey` is another secret. Otherwise `apiKey` may be its label or its masked form. */
function isSomethingElse({ text, node: { name, containerName }, isWhole }: Candidate, key: string): boolean {
  if (text.slice(0, 8) === key.slice(0, 8) || text.slice(-4) === key.slice(-4)) return false;
  return (
    OTHER_SECRET.test(name + containerName) || (isWhole && !SECRET.test(name) && !SECRET.test(containerName))
  );
}

/** Whether a candidate is a visible part of the key: its start or its end. */
function isPartOfKey({ text, isWhole }: Candidate, key: string): boolean {
  return (!isWhole || !hasKeyForm(text)) && (key.startsWith(text) || key.endsWith(text));
}
