/** The longest string that can be sent as a key: it has to fit into a path and a header. */
const MAX_LENGTH = 4096;
const MIN_LENGTH = 16;

/** What is never inside a key: anything but visible ASCII, quotes, brackets, and what services put over the characters they hide. */
const BREAK = /[^!-~]+|["'{}[\]<>()*#,:@]+|\.{2,}|x{4,}|([!-/:-@[-`{-~])\1{3,}/i;
const BREAKS = new RegExp(BREAK.source, "gi");

const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;
const DATE = /^[0-9]{4}-[0-9]{2}-[0-9]{2}(?:[Tt ][0-9:.,+Zz-]*)?$|^[0-9]{8}T[0-9]{4,6}Z?$/;
const URL_TEXT = /^[a-z][a-z0-9+.-]{0,20}:\/\/\S*$/i;

/** Words and small numbers, set apart: `partner-main-2024`, `error.key_limit_429`. */
const WORDS = /^(?:[A-Za-z]{1,14}[0-9]{0,2}|[0-9]{1,4})(?:[-_.](?:[A-Za-z]{1,14}[0-9]{0,2}|[0-9]{1,4}))+$/;
/** Words in camel case: `ApiKeyLimitReached`, `Unauthenticated.` */
const CAMEL_CASE = /^[A-Z]?[a-z]{2,}(?:[A-Z][a-z]{2,})*[.!?;]?$/;

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
    isUnbroken(text) &&
    !/^(?:\/|bearer)/i.test(text) &&
    !isUuid(text) &&
    !DATE.test(text) &&
    !WORDS.test(text) &&
    !CAMEL_CASE.test(text)
  );
}

/** Whether a text has a letter and a digit, or letters of both cases. */
export function isMixed(text: string): boolean {
  return /[0-9]/.test(text) ? /[A-Za-z]/.test(text) : /[a-z]/.test(text) && /[A-Z]/.test(text);
}

/** Whether nothing in a string is what a key never holds. */
export function isUnbroken(text: string): boolean {
  return text !== "" && !BREAK.test(text);
}

/** Whether a string is a UUID. */
export function isUuid(text: string): boolean {
  return UUID.test(text);
}

/** The unbroken pieces of a string: a masked key, a sentence or JSON inside a string may hold a key that is not a string of its own. */
export function piecesOf(text: string): string[] {
  if (DATE.test(text) || URL_TEXT.test(text)) return [];
  return text
    .replace(BREAKS, " ")
    .split(" ")
    .filter((piece) => piece !== "");
}
