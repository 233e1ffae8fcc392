/** The maximum length of a key, which must fit into a path and a header. */
const MAX_LENGTH = 4096;
const MIN_LENGTH = 16;
/** The minimum length of a key under the name of a secret or in a sentence. */
export const MIN_SHORT_LENGTH = 8;

/** Characters that keys do not contain: spaces, quotes, brackets, and those that mask a hidden part. */
const BREAK = /[^!-~]+|["'{}[\]<>()*#,:;&@]+|\.{2,}|x{4,}|X{4,}|([!-/:-@[-`{-~])\1{3,}/g;
const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;
const DATE = /^[0-9]{4}-?[0-9]{2}-?[0-9]{2}(?:[T ][0-9:.,+Z-]*)?$/i;
const URL_TEXT = /^[a-z][a-z0-9+.-]{0,20}:\/\/\S*$/i;
/** A separator, or the end of a word or an acronym in camel case. */
const WORD_END = /[-_./]+|(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/;
const WORD =
  /^(?:(?=[^aeiouy]{0,3}[aeiouyAEIOUY])[A-Z]?[a-z]{1,20}[0-9]{0,3}|[A-Z]{1,20}|[a-z]{1,2}|[A-Za-z]?[0-9]{1,6}[A-Za-z]?|)$/;
/** The minimum average word length of text, including the separator. In random strings it is shorter. */
const MIN_WORD_LENGTH = 4.2;
/** The minimum for text without digits. It can be lower, because few random strings have no digits. */
const MIN_WORD_LENGTH_WITHOUT_DIGITS = 3;
/**
 * Texts that contain or replace a key: `key=…`, fields between `|` (except `5|…`), percent-encoding, hashes such as bcrypt,
 * zeros, request and job IDs.
 */
const NOT_A_KEY =
  /^[a-z][a-z0-9_.-]*=+[^=]|^(?![0-9]+\|[^|]+$)[^|]*\||%[0-9a-f]{2}.*%[0-9a-f]{2}|^\$[0-9a-z-]+\$|0{8}|^(?:req|request|job|task|op|trace|msg|evt|err|sess|session|csrf|mfa)[-_]/i;
/** A part of a date, a build or a version. */
const PLAIN = /^(?:[a-z]*|[0-9]*|v[0-9]+)$/i;
const PATH = /^[a-z][a-z-]+[a-z]\//;

/** Whether a value can be sent as a key: the only requirement for a key that `responses.apiKey` points to. */
export function canBeSent(value: unknown): value is string {
  return typeof value === "string" && value.length <= MAX_LENGTH && /^[!-~]+$/.test(value);
}

/** Whether a string has the form of a key, without anything around it. */
export function hasKeyForm(text: string): boolean {
  if (!mayContainKey(text) || NOT_A_KEY.test(text) || PATH.test(text)) return false;
  return !/[0-9]{4}/.test(text) || !text.split(/[-_./]+/).every((part) => PLAIN.test(part));
}

/** Whether a body that is only this string is certainly a key. Paths, hosts, products and files contain other characters. */
export function isBareKey(text: string): boolean {
  return /^\w{20,}$/.test(text) && hasKeyForm(text);
}

/** Whether a string is long, mixed and unbroken, and not a date, a UUID, a path or words: a key, perhaps with its name. */
export function mayContainKey(text: string): boolean {
  return (
    text.length >= MIN_LENGTH &&
    text.length <= MAX_LENGTH &&
    isMixed(text) &&
    text.search(BREAK) === -1 &&
    !/^(?:\/|bearer)/i.test(text) &&
    !isUuid(text) &&
    !DATE.test(text) &&
    !isWords(text)
  );
}

/** Whether a text has letters and digits, or letters of both cases. */
export function isMixed(text: string): boolean {
  return hasLetterAndDigit(text) || (/[a-z]/.test(text) && /[A-Z]/.test(text));
}

function hasLetterAndDigit(text: string): boolean {
  return /[0-9]/.test(text) && /[A-Za-z]/.test(text);
}

/** Whether a word of a sentence may be a key. It can be shorter than other keys. */
export function isShortKey(text: string): boolean {
  return text.length >= MIN_SHORT_LENGTH && hasLetterAndDigit(text) && !isWords(text);
}

/** Whether a string is a UUID. */
export function isUuid(text: string): boolean {
  return UUID.test(text);
}

/** Splits a string at the characters that keys do not contain. In a sentence or nested JSON, a part may be a key. */
export function splitIntoParts(text: string): string[] {
  if (DATE.test(text)) return [];
  if (URL_TEXT.test(text))
    return text.split(/[?&#]/).filter((part) => /^[^=]*(?:key|token|secret)=/i.test(part));
  return text
    .replace(BREAK, " ")
    .split(" ")
    .filter((part) => part !== "");
}

/** Whether a text consists of words and small numbers: `partner-main-2024`, `APIKeyLimitReached`, `api/v1/keys`. */
function isWords(text: string): boolean {
  const words = text.split(WORD_END);
  if (!words.every((word) => WORD.test(word))) return false;
  if (!/[0-9]/.test(text)) return text.length >= MIN_WORD_LENGTH_WITHOUT_DIGITS * words.length;
  return words.length > 1 && text.length >= MIN_WORD_LENGTH * words.length;
}
