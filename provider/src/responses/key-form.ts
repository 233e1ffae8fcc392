/** The longest string that can be sent as a key: it has to fit into a path and a header. */
const MAX_LENGTH = 4096;
const MIN_LENGTH = 16;
/** A string under the name of a secret, or in a sentence, may be a key if it is as long as this. */
export const MIN_SHORT_LENGTH = 8;

/** What is never inside a key: spaces, quotes, brackets, and what services put over the characters they hide. */
const BREAK = /[^!-~]+|["'{}[\]<>()*#,:;&@]+|\.{2,}|x{4,}|X{4,}|([!-/:-@[-`{-~])\1{3,}/g;
const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;
const DATE = /^[0-9]{4}-?[0-9]{2}-?[0-9]{2}(?:[T ][0-9:.,+Z-]*)?$/i;
const URL_TEXT = /^[a-z][a-z0-9+.-]{0,20}:\/\/\S*$/i;
/** The end of a word in camel case, with acronyms, or a separator. */
const WORD_END = /[-_./]+|(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/;
const WORD =
  /^(?:(?=[^aeiouy]{0,3}[aeiouyAEIOUY])[A-Z]?[a-z]{1,20}[0-9]{0,3}|[A-Z]{1,20}|[a-z]{1,2}|[A-Za-z]?[0-9]{1,6}[A-Za-z]?|)$/;
/** Random text has shorter ones, on average. In characters, with the separator. */
const WORD_LENGTH = 4.2;
/** Without digits, more is taken for words: few random texts have none. */
const LETTERS_LENGTH = 3;
/** What holds a key or stands for one: `key=…`, fields between `|` (other than `5|…`), percent-encoding, a hash such as bcrypt, zeros, the id of a request or a job. */
const WRAPPED =
  /^[a-z][a-z0-9_.-]*=+[^=]|^(?![0-9]+\|[^|]+$)[^|]*\||%[0-9a-f]{2}.*%[0-9a-f]{2}|^\$[0-9a-z-]+\$|0{8}|^(?:req|request|job|task|op|trace|msg|evt|err|sess|session|csrf|mfa)[-_]/i;
/** Parts of a date, a build or a version. */
const PLAIN = /^(?:[a-z]*|[0-9]*|v[0-9]+)$/i;
const PATH = /^[a-z][a-z-]+[a-z]\//;

/** Whether a string can be sent as a key at all: the one demand on a key that a setting points at. */
export function canBeSent(value: unknown): value is string {
  return typeof value === "string" && value.length <= MAX_LENGTH && /^[!-~]+$/.test(value);
}

/** Whether a string has the form of a key and nothing around it. */
export function isKeyForm(text: string): boolean {
  if (!mayHoldKey(text) || WRAPPED.test(text) || PATH.test(text)) return false;
  return !/[0-9]{4}/.test(text) || !text.split(/[-_./]+/).every((part) => PLAIN.test(part));
}

/** Whether a string that is the whole body is certain to be a key: no path, host, product or file is written like that. */
export function isBareKey(text: string): boolean {
  return /^\w{20,}$/.test(text) && isKeyForm(text);
}

/** Whether a string is long, mixed and unbroken, and not a date, a UUID, a path or words: a key, or a key with its name. */
export function mayHoldKey(text: string): boolean {
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

/** Whether a text has a letter and a digit, or letters of both cases. */
export function isMixed(text: string): boolean {
  return hasLetterAndDigit(text) || (/[a-z]/.test(text) && /[A-Z]/.test(text));
}

function hasLetterAndDigit(text: string): boolean {
  return /[0-9]/.test(text) && /[A-Za-z]/.test(text);
}

/** Whether a word of a sentence may be a key, also a short one. */
export function isShortKey(text: string): boolean {
  return text.length >= MIN_SHORT_LENGTH && hasLetterAndDigit(text) && !isWords(text);
}

/** Whether a string is a UUID. */
export function isUuid(text: string): boolean {
  return UUID.test(text);
}

/** The parts of a string between what is never inside a key: one of them may be a key, in a sentence or in nested JSON. */
export function piecesOf(text: string): string[] {
  if (DATE.test(text)) return [];
  if (URL_TEXT.test(text))
    return text.split(/[?&#]/).filter((part) => /^[^=]*(?:key|token|secret)=/i.test(part));
  return text
    .replace(BREAK, " ")
    .split(" ")
    .filter((piece) => piece !== "");
}

/** Whether a text is words and small numbers: `partner-main-2024`, `error.key_limit_429`, `APIKeyLimitReached`, `api/v1/keys`. */
function isWords(text: string): boolean {
  const words = text.split(WORD_END);
  if (!/[0-9]/.test(text)) return text.length >= LETTERS_LENGTH * words.length && words.every(isWord);
  return words.length > 1 && text.length >= WORD_LENGTH * words.length && words.every(isWord);
}

function isWord(text: string): boolean {
  return WORD.test(text);
}
