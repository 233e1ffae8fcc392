/** The longest string that can be sent as a key: it has to fit into a path and a header. */
const MAX_LENGTH = 4096;
const MIN_LENGTH = 16;

/** What is never inside a key: spaces, quotes, brackets, and what services put over the characters they hide. */
const BREAK = /[^!-~]+|["'{}[\]<>()*#,:@]+|\.{2,}|x{4,}|([!-/:-@[-`{-~])\1{3,}/gi;
const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;
const DATE = /^[0-9]{4}-?[0-9]{2}-?[0-9]{2}(?:[T ][0-9:.,+Z-]*)?$/i;
const URL_TEXT = /^[a-z][a-z0-9+.-]{0,20}:\/\/\S*$/i;
const WORD = /^(?:[a-z]{2,20}[0-9]{0,2}|[0-9]{1,4})?$/i;

/** Whether a string can be sent as a key at all: the one demand on a key that a setting points at. */
export function canBeSent(value: unknown): value is string {
  return typeof value === "string" && value.length <= MAX_LENGTH && /^[!-~]+$/.test(value);
}

/** Whether a string has the form of a key: long, mixed and unbroken, and not a date, a UUID, a path or words. */
export function isKeyForm(text: string): boolean {
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
  return /[0-9]/.test(text) ? /[A-Za-z]/.test(text) : /[a-z]/.test(text) && /[A-Z]/.test(text);
}

/** Whether a string is a UUID. */
export function isUuid(text: string): boolean {
  return UUID.test(text);
}

/** The parts of a string between what is never inside a key: one of them may be a key, in a sentence or in nested JSON. */
export function piecesOf(text: string): string[] {
  if (DATE.test(text) || URL_TEXT.test(text)) return [];
  return text
    .replace(BREAK, " ")
    .split(" ")
    .filter((piece) => piece !== "");
}

/** Whether a text is words and small numbers: `partner-main-2024`, `error.key_limit_429`, `TooManyRequests`. */
function isWords(text: string): boolean {
  const words = text.split(/[-_.]|(?<=[a-z])(?=[A-Z])/);
  return words.length > 1 && words.every((word) => WORD.test(word));
}
