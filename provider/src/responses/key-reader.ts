import { isEmpty, parseDocument, walk, type DocumentNode } from "./document.js";
import { documentReportsFailure, isRefusalMessage, isWebPage } from "./failure-report.js";
import { canBeSent, isBareKey, isKeyForm, isMixed, isShortKey } from "./key-form.js";
import { isUuid, mayHoldKey, MIN_SHORT_LENGTH, piecesOf } from "./key-form.js";
import { resolvePointer, type ResponseMapping } from "./mapping.js";
import { isFieldName, listCandidates, MAX_DEPTH, printPointer } from "./candidates.js";

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
/** Names of what may be the key or hold it, also if it is short. */
const SECRET =
  /key|token|secret|plain|clear|raw|full|value|passw|pwd|unmask|credential|bearer|authori|licen|private|replac|rotat|generat|^(?:pat|pin|new|next)$/;
/** Names of other secrets that are found next to the key. */
const OTHER_SECRET =
  /apisecret|client(?:id|secret|key)|refresh|session|csrf|hook|signing|passw|pwd|pem$|recovery|connection|page/;
/** Names of objects in which a creation is answered. */
const ENVELOPE =
  "data|results?|response|attributes|payload|body|items?|object|record|content|output|embedded";
const WORDS =
  "api|app|partner|access|account|live|test|new|add|created?|generated?|issued?|key|token|secret|credentials?";
/** A name of these words alone speaks of the new key; `refreshToken` and `webhookSecret` have others. */
const NEW_KEY = new RegExp(`^(?:${WORDS}|x|auth|personal|plain|clear|text|raw|full|unmasked|value|string)+$`);
/** Under any other name, an object may hold the key of something else, such as a session or an integration. */
const AROUND_NEW_KEY = new RegExp(`^(?:${WORDS}|${ENVELOPE})+$`);
/** What a request says that has been accepted and not carried out: its token is that of a job. */
const PENDING = /^(?:pending|queued|processing|in.?progress|accepted|scheduled)$/i;
/** Names of things about a key that are never the key, by their ends and by their beginnings. */
const ABOUT_KEY =
  /(?:id|prefix|hint|(?<!user)name|type|.hash|(?:ed|s|re|n)at|by|email|scopes?|last4|fingerprint)$/;
const NOT_KEY = /^(?:hashed|masked|public|idempotency)/;
const KEY_ID = /^[!-~]{1,256}$/;

/** A string that may be the key, or holds it. */
interface Candidate {
  readonly text: string;
  readonly node: DocumentNode;
  /** Whether it is a whole string of the document. */
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
  const refuse = (reason: "none" | "several" | "pointer"): KeyReading => {
    const whole = candidates.filter((one) => one.whole).map(({ node }) => node);
    return { kind: "refused", reason, candidates: plain === null ? listCandidates(whole) : [""] };
  };

  if (mapping.apiKey !== undefined) {
    const isPlain = mapping.apiKey === "" && plain !== null;
    const value = isPlain ? plain : resolvePointer(document, mapping.apiKey);
    return canBeSent(value) ? { kind: "found", apiKey: value, pointer: mapping.apiKey } : refuse("pointer");
  }

  const only = typeof document === "string" ? document : plain;
  if (only !== null && isBareKey(only)) return { kind: "found", apiKey: only, pointer: "" };
  if (document === undefined || documentReportsFailure(document) || speaksAgainstKey(document))
    return refuse("none");

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
  const value = resolvePointer(parseDocument(text), mapping.apiKeyId);
  if (typeof value === "number") return Number.isSafeInteger(value) ? String(value) : null;
  return typeof value === "string" && KEY_ID.test(value) && !/^\.\.?$/.test(value) ? value : null;
}

/**
 * Whether a 2xx response to a creation is certainly a failure: a web page, or JSON that reports a failure, with nothing in it
 * that has the form of a key, or the name and eight characters. A pointer that is set and finds something overrules it. Never
 * throws.
 */
export function isFailedCreation(text: string, mapping: ResponseMapping): boolean {
  if (mapping.apiKey !== undefined && readApiKey(text, mapping).kind === "found") return false;
  if (readApiKeyId(text, mapping) !== null) return false;
  if (isWebPage(text)) return !wordsOfPage(text).some(isKeyForm);
  const document = parseDocument(text);
  return document !== undefined && documentReportsFailure(document) && findCandidates(document).length === 0;
}

/** Whether a request was refused, or has not been carried out yet, or an `apiKey` in it holds none: another key is an old one. */
function speaksAgainstKey(document: unknown): boolean {
  return [...walk(document)].some(({ name, value, depth }) => {
    const isWithout = (text: string): boolean => !/[0-9]/.test(text) && !isKeyForm(text);
    if (name === "apikey" && (isEmpty(value) || (typeof value === "string" && isWithout(value)))) return true;
    if (depth > 2 || typeof value !== "string") return false;
    return /^(?:status|state)$/.test(name) ? PENDING.test(value) : isRefusalMessage(name, value);
  });
}

/** What people read on a web page, in pieces: nothing in tags or scripts. */
function wordsOfPage(text: string): string[] {
  const parts = text
    .split("<")
    .map((part) => (/^(?:script|style)/i.test(part) ? "" : part.slice(part.indexOf(">") + 1)));
  return piecesOf(parts.join(" "));
}

/** The key that a body is if all of it is one word of plain text; `null` for what may be the beginning of something else. */
function plainKey(text: string): string | null {
  const plain = text.trim(); // Removes a byte order mark as well.
  return canBeSent(plain) && !/^[{["<]/.test(plain) ? plain : null;
}

/** Every string, part of a string, number and name that may be the key. */
function findCandidates(document: unknown): Candidate[] {
  const candidates: Candidate[] = [];
  for (const node of walk(document)) {
    const { value, name, token } = node;
    if (mayHoldKey(token)) candidates.push({ text: token, node, whole: false });
    const isCounted = typeof value === "string" || typeof value === "number";
    if (!isCounted || ABOUT_KEY.test(name) || NOT_KEY.test(name)) continue;
    for (const text of piecesOf(String(value))) {
      const candidate = { text, node, whole: text === value };
      if (mayBeKey(candidate)) candidates.push(candidate);
    }
  }
  return candidates;
}

function mayBeKey({ text, node: { value, name, around } }: Candidate): boolean {
  if (mayHoldKey(text)) return true;
  if (text.length < MIN_SHORT_LENGTH) return false;
  const isInSentence = text !== String(value) && isShortKey(text);
  return isInSentence || SECRET.test(name) || (SECRET.test(around) && isMixed(text));
}

/** The only candidate, if its name says that it is the key; among several the one named `apiKey`. */
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

/** Whether a string has the form of a key and a name that says so, outside arrays, in objects that are answers to a creation. */
function isNamedAsKey({ text, node, whole }: Candidate): boolean {
  const { name, around, depth } = node;
  if (!whole || depth > MAX_DEPTH || !NEW_KEY.test(name)) return false;
  if (!isKeyForm(text) && !(isUuid(text) && KEY.test(name + around))) return false;
  if (!KEY.test(name) && !(KEY.test(around) && NEW_KEY.test(around))) return false;
  for (let one = node; one.parent !== null; one = one.parent) {
    if (!isFieldName(one.token) || (one !== node && !AROUND_NEW_KEY.test(one.name))) return false;
  }
  return true;
}

/** Whether a string next to `apiKey` is not the key, with `apiKey` as its label or as what the service shows of it. */
function isSomethingElse({ text, node: { name, around }, whole }: Candidate, key: string): boolean {
  if (text.slice(0, 8) === key.slice(0, 8) || text.slice(-4) === key.slice(-4)) return false;
  return OTHER_SECRET.test(name + around) || (whole && !SECRET.test(name) && !SECRET.test(around));
}

/** Whether a candidate is what a service shows of the key: its beginning or its end, masked or short. */
function isPartOfKey({ text, whole }: Candidate, key: string): boolean {
  return (!whole || !isKeyForm(text)) && (key.startsWith(text) || key.endsWith(text));
}
