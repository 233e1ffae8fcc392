import { isInside, parseDocument, walk, type DocumentNode } from "./document.js";
import { documentReportsFailure, isWebPage, reportsFailure } from "./failure-report.js";
import { canBeSent, isBareKey, isKeyForm, isMixed, isUuid, mayHoldKey, piecesOf } from "./key-form.js";
import { parsePointer, resolvePointer, type ResponseMapping } from "./mapping.js";
import { isFieldName, listCandidates, MAX_DEPTH, printPointer } from "./structure.js";

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
/** Names under which a short string is a secret, too. */
const SECRET = /key|token|secret|plain|clear|raw|full|value|passw|pwd|unmask|credential/;
/** A name of these words alone speaks of the new key; `refreshToken` and `webhookSecret` have others. */
const NEW_KEY_WORDS =
  "x|api|app|partner|auth|access|personal|account|live|test|new|created?|generated?|issued?|" +
  "plain|clear|text|raw|full|unmasked|secret|key|token|credentials?|value|string";
const NEW_KEY = new RegExp(`^(?:${NEW_KEY_WORDS})+$`);
/** Names that a new key may have, or what holds it, next to an old one, or to a label, that is called `apiKey`. */
const NEXT_TO_LABEL =
  /apikey|plain|clear|raw|full|value|unmask|new|next|replac|rotat|sub|bearer|authori|^(?:data|result|response|created)$/;
/** Objects that hold another key than the new one. */
const OTHER_KEY = new RegExp(
  "session|csrf|xsrf|refresh|signing|hook|pag|cursor|meta|link|request|previous|old|exist|current|parent|master|revoked|rotated|" +
    "example|sample|mfa|otp|challenge|captcha|verif|confirm|operation|invit|upload|avatar|file|caller|ssh|encrypt|maps|^(?:user|auth|job|task)$",
);
/** What a request says that has been accepted and not carried out: its token is that of a job. */
const PENDING = /^(?:pending|queued|processing|in.?progress|accepted|scheduled)$/i;
/** Names of things about a key that are never the key, by their ends and by their beginnings. */
const ABOUT_KEY = /(?:id|prefix|hint|name|type|hash|(?:ed|s|re|n)at|by|email|scopes?|last4|fingerprint)$/;
const NOT_KEY = /^(?:hashed|masked|public|idempotency)/;
/** SHA-256 in hex, which services store instead of a key. */
const HASH = /^[0-9a-f]{64}$/i;
const KEY_ID = /^[!-~]{1,256}$/;
const MIN_SHORT_SECRET = 8;

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
    const value = isPlain ? plain : resolvePointer(document, parsePointer(mapping.apiKey));
    return canBeSent(value) ? { kind: "found", apiKey: value, pointer: mapping.apiKey } : refuse("pointer");
  }

  const only = typeof document === "string" ? document : plain;
  if (only !== null && isBareKey(only)) return { kind: "found", apiKey: only, pointer: "" };
  if (document === undefined || documentReportsFailure(document) || isPending(document))
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
  const value = resolvePointer(parseDocument(text), parsePointer(mapping.apiKeyId));
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
  if (document === undefined || !reportsFailure(text)) return false;
  const isSecret = ({ text: one, node }: Candidate): boolean =>
    KEY.test(node.name) && String(node.value) === one;
  if (findCandidates(document).some((one) => isMixed(one.text) || isSecret(one))) return false;
  for (const { value, token } of walk(document)) {
    const texts = typeof value === "string" ? piecesOf(value) : [];
    if ([token, ...texts].some(mayHoldKey)) return false;
  }
  return true;
}

function isPending(document: unknown): boolean {
  const nodes = [...walk(document, ({ depth }) => depth < 2)];
  return nodes.some(
    ({ name, value }) => /^(?:status|state)$/.test(name) && typeof value === "string" && PENDING.test(value),
  );
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
      if (mayBeKey(text, node)) candidates.push({ text, node, whole: text === value });
    }
  }
  return candidates;
}

function mayBeKey(text: string, { name, around }: DocumentNode): boolean {
  const isSecret = SECRET.test(name) || (SECRET.test(around) && isMixed(text));
  return mayHoldKey(text) || (text.length >= MIN_SHORT_SECRET && isSecret);
}

/** The only candidate, if its name says that it is the key; among several the one named exactly `apiKey`. */
function chooseKey(candidates: readonly Candidate[]): Candidate | "none" | "several" {
  const named = candidates.filter(isNamedAsKey);
  const exact = named.find(isExactlyApiKey);
  const key = exact ?? named[0];
  if (key === undefined) return "none";

  // In an object `apiKey` there may be a hash or a label, and the key outside of it.
  const holder = key.node.parent;
  const isHarmless = (rival: Candidate): boolean => {
    if (rival.text === key.text || isPartOfKey(rival, key.text)) return true;
    if (exact === undefined || HASH.test(key.text) || !isOtherSecret(rival)) return false;
    // One of them may be what the service shows of the other.
    if (rival.text.slice(0, 8) === key.text.slice(0, 8) || rival.text.slice(-4) === key.text.slice(-4))
      return false;
    return rival.node.depth <= MAX_DEPTH && isInside(rival.node, holder);
  };
  return candidates.every(isHarmless) ? key : "several";
}

/** Whether a string has the form of a key and a name that says so, outside arrays, on a path of names that are not data. */
function isNamedAsKey({ text, node, whole }: Candidate): boolean {
  const { name, around, depth } = node;
  if (!whole || depth > MAX_DEPTH) return false;
  if (!isKeyForm(text) && !(isUuid(text) && KEY.test(name + around))) return false;
  if (!NEW_KEY.test(name) || !(KEY.test(name) || (KEY.test(around) && NEW_KEY.test(around)))) return false;
  for (let one = node; one.parent !== null; one = one.parent) {
    if (!isFieldName(one.token) || (one !== node && OTHER_KEY.test(one.name))) return false;
  }
  return true;
}

function isExactlyApiKey({ node: { name, around } }: Candidate): boolean {
  return name === "apikey" || (around === "apikey" && /^(?:key|value|token|secret|plaintext)$/.test(name));
}

/** Whether the name of a string next to `apiKey` rules out that this string is the key, and `apiKey` a label. */
function isOtherSecret(rival: Candidate): boolean {
  const { name, around } = rival.node;
  if (isExactlyApiKey(rival) || [name, around].some((one) => NEXT_TO_LABEL.test(one))) return false;
  return !NEW_KEY.test(name) || /secret|token/.test(name + around);
}

/** Whether a candidate is what a service shows of the key: its beginning or its end, masked or short. */
function isPartOfKey({ text, whole }: Candidate, key: string): boolean {
  return (!whole || !isKeyForm(text)) && (key.startsWith(text) || key.endsWith(text));
}
