/** The shortest string taken for a key. */
export const MIN_KEY_LENGTH = 8;
/** The longest string taken for a key: it has to fit into a path and a header. */
export const MAX_KEY_LENGTH = 4096;

const VISIBLE_ASCII = /^[!-~]+$/;
const LETTER = /[A-Za-z]/;
const ISO_DATE = /^[0-9]{4}-[0-9]{2}-[0-9]{2}(?:[Tt ][0-9:.,+Zz-]*)?$/;
/** What services put in place of the characters they hide. */
const MASKS = ["**", "...", "…", "••", "####", "xxxxxx", "redacted"];

/**
 * Runs that hide. Base64url has `-` and `_`: a run of six is in one key of some hundred millions, of four in one of a
 * hundred thousand. Four times x are enough if they stand alone, as in `XXXX-XXXX-9F3A`.
 */
const MASK_RUN = /-{6}|_{6}|(?:^|[-_.])x{4,}(?:[-_.]|$)/;
/** What stands where the key would be: words in brackets, or that it is hidden. Another secret may be such words, so it is no mask. */
const PLACEHOLDER = /^[[(<{][a-z _-]{1,32}[\])>}]$|(?:^|[^a-z0-9])hidden(?:[^a-z0-9]|$)/;

/** Whether a string is what remains of a secret after a service has hidden most of it. */
export function isMasked(text: string): boolean {
  const lower = text.toLowerCase();
  return MASKS.some((mask) => lower.includes(mask)) || MASK_RUN.test(lower);
}

/** Whether a string is a date, or a date and time, in ISO 8601's extended format. */
export function isIsoDate(text: string): boolean {
  return ISO_DATE.test(text);
}

/** Whether a string can be sent as a key at all. The one demand on a key that the user has pointed at. */
export function canBeSent(value: unknown): value is string {
  return typeof value === "string" && value.length <= MAX_KEY_LENGTH && VISIBLE_ASCII.test(value);
}

/** Whether a value looks like a key, and not like a label, a message, a number, a date, a URL or a masked key. */
export function looksLikeKey(value: unknown): value is string {
  return (
    canBeSent(value) &&
    value.length >= MIN_KEY_LENGTH &&
    LETTER.test(value) &&
    !value.includes("://") &&
    !value.toLowerCase().startsWith("bearer") &&
    !isIsoDate(value) &&
    !isMasked(value) &&
    !PLACEHOLDER.test(value.toLowerCase())
  );
}
