import { breakCommands, toVisibleLine } from "./visible-text.js";
import { hasSecrets, redactSecrets } from "./secret-spellings.js";

/** The maximum number of characters of a server's text to show, and to read. */
const MAX_SHOWN = 200;
const MAX_READ = 4096;
/**
 * What may be a key in the response to a creation: 16 or more such characters, or 8 with a digit and a
 * letter.
 */
const KEY_LIKE = /[\w.~+/=|%-]{16,128}|(?=[\w.~+/=|%-]*\d)(?=[\w.~+/=|%-]*[A-Za-z])[\w.~+/=|%-]{8,}/g;
/** A member whose name ends as that of a secret does: not `token_type`. */
const SECRET_MEMBER =
  /(?:key|token|secret|password|credential|value)s?"\s*:\s*"((?:[^"\\\s]|\\\S){8,128})"/gi;
/** What a sentence calls a key: in quotes, after `:` or `=` without a space, or with capitals inside. */
const CALLED_KEY =
  /(?:[Kk]ey|KEY|[Tt]oken|TOKEN|[Ss]ecret|SECRET|[Pp]assword)(?: is| was)?(?:\s*[:=]?\s*["'`]|\s*=\s*|:|:?\s+(?=[A-Za-z]+[A-Z])(?=[A-Z]*[a-z]))([^\s"'`,;:()<>]{8,128})/g;
/** A request ID in a body. It is not a key, and must not hide the same ID in a header. */
const ID_MEMBER = /"[\w-]{0,40}(?:request|trace|correlation)[\w-]{0,40}"\s*:\s*"[^"]*"/gi;
/**
 * The start of a body to search for keys, in characters, and the maximum number of different texts to find.
 */
const MAX_SEARCHED = 64 * 1024;
const MAX_KEYS = 500;
/** The only form in which a request ID is shown. It has no room for an escape sequence or a CI command. */
const REQUEST_ID = /^[A-Za-z0-9._:-]{1,128}$/;

/**
 * Makes text from a server safe to show, to log and to keep in a state file.
 *
 * @param secrets The access token; the key and its ID, if the request named one. A part of one is hidden too.
 * @param possible {@link possibleKeys} of the response to a creation. They include words.
 * @returns At most 200 characters on one line, with `***` for anything that could be a secret; `null` if
 * nothing is left.
 */
export function redactText(
  text: string,
  secrets: readonly string[],
  possible: readonly string[] = [],
): string | null {
  // Drops the last word of a truncated text: it could be the first part of a secret.
  const read = text.length > MAX_READ ? text.slice(0, MAX_READ).replace(/\S+$/, "") : text;
  const safe = breakCommands(redactSecrets(toVisibleLine(read), secrets, possible)).trim();
  if (safe === "") return null;
  return safe.length > MAX_SHOWN ? `${safe.slice(0, MAX_SHOWN - 1)}…`.toWellFormed() : safe;
}

/**
 * Returns a request ID that is safe to show; `null` if it is missing, has unusual characters, or contains a
 * secret.
 */
export function printableId(
  id: unknown,
  secrets: readonly string[],
  possible: readonly string[] = [],
): string | null {
  if (typeof id !== "string" || !REQUEST_ID.test(id) || breakCommands(id) !== id) return null;
  return hasSecrets(id, secrets, possible) ? null : id;
}

/** Returns everything in the response to a creation that may be a key. The response may be its only copy. */
export function possibleKeys(body: string): readonly string[] {
  const text = body.slice(0, MAX_SEARCHED).replace(ID_MEMBER, "");
  const named = [SECRET_MEMBER, CALLED_KEY].flatMap((pattern) =>
    text
      .matchAll(pattern)
      .map(([, key]) => key ?? "")
      .toArray(),
  );
  return [...new Set([...named, ...(text.match(KEY_LIKE) ?? [])])].slice(0, MAX_KEYS);
}
