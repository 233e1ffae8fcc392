import { parseDocument } from "../json-text.js";
import { nodesOf, resolvePointer } from "../json.js";
import { breakCommands, toVisibleLine } from "../log-text.js";

/** JSON Pointers to error messages, by priority (RFC 9457, RFC 6749 and custom). */
const MESSAGE_POINTERS = (
  "/message /error/message /error_description /detail /errors /title /error " +
  "/errorMessage /errmsg /msg /data/message /result/message"
).split(" ");
/** The names of messages in an error, best first, and of what is a message only if it has several words. */
const MESSAGE_NAMES = ["message", "detail", "title"];
const NO_MESSAGE =
  /^(?:code|type|status|id|field|path|pointer|parameter|param|href|url|source|key|apikey|token)$/;
/** The maximum number of values in an error to look at. */
const MAX_ERROR_VALUES = 100;

/** Shorter strings are too common to search for. */
const MIN_SECRET_LENGTH = 4;
const MIN_BASE64_LENGTH = 6;
/**
 * Longer secrets are searched for in parts: V8 throws if a pattern is too long, and a response could be lost.
 */
const MAX_PART_LENGTH = 128;
/** The maximum number of characters of a server's text to show, and to read. */
const MAX_SHOWN = 200;
const MAX_READ = 4096;
/**
 * Text that could be another secret: 16 or more characters that occur in tokens, at least one of them a
 * digit.
 */
const TOKEN_LIKE = /(?=[\w.~+/=|%-]*\d)[\w.~+/=|%-]{16,}/g;
/**
 * What may be a key in the response to a creation: 16 or more such characters, or 8 with a digit and a
 * letter.
 */
const KEY_LIKE = /[\w.~+/=|%-]{16,128}|(?=[\w.~+/=|%-]*\d)(?=[\w.~+/=|%-]*[A-Za-z])[\w.~+/=|%-]{8,}/g;
/** A request ID in a body. It is not a key, and must not hide the same ID in a header. */
const ID_MEMBER = /"[\w-]{0,40}(?:request|trace|correlation)[\w-]{0,40}"\s*:\s*"[^"]*"/gi;
/**
 * The start of a body to search for keys, in characters, and the maximum number of different texts to find.
 */
const MAX_SEARCHED = 64 * 1024;
const MAX_KEYS = 500;
/** The only form in which a request ID is shown. It has no room for an escape sequence or a CI command. */
const REQUEST_ID = /^[A-Za-z0-9._:-]{1,128}$/;

/** Returns the message in an error body, not redacted yet; `null` if there is none under the usual names. */
export function serverMessage(text: string): string | null {
  const document = parseDocument(text);
  for (const pointer of MESSAGE_POINTERS) {
    const words = wordsIn(resolvePointer(document, pointer), pointer.startsWith("/error"));
    if (words !== null) return words;
  }
  return null;
}

/** Returns a text or, of a list or an object of errors, the best one in it; `null` if there is none. */
function wordsIn(value: unknown, isError: boolean): string | null {
  if (typeof value === "string") return value.trim() === "" ? null : value;
  if (!isError) return null;
  const texts = nodesOf(value)
    .take(MAX_ERROR_VALUES)
    .map(({ name, value: word }) => ({ name, text: wordsIn(word, false) }))
    .filter(({ name, text }) => text !== null && (!NO_MESSAGE.test(name) || text.includes(" ")))
    .toArray();
  const named = MESSAGE_NAMES.map((name) => texts.find((text) => text.name === name));
  return [...named, ...texts].find((text) => text !== undefined)?.text ?? null;
}

/**
 * Makes text from a server safe to show, to log and to keep in a state file.
 *
 * @param secrets The access token; the key and its ID, if the request named one; {@link possibleKeys} the
 * response to a creation.
 * @returns At most 200 characters on one line, with `***` for anything that could be a secret; `null` if
 * nothing is left.
 */
export function redactText(text: string, secrets: readonly string[]): string | null {
  // Drops the last word of a truncated text: it could be the first part of a secret.
  const read = text.length > MAX_READ ? text.slice(0, MAX_READ).replace(/\S+$/, "") : text;
  const redacted = redactSecrets(toVisibleLine(read), secrets).replace(TOKEN_LIKE, "***");
  const safe = breakCommands(redacted).trim();
  if (safe === "") return null;
  return safe.length > MAX_SHOWN ? `${safe.slice(0, MAX_SHOWN - 1)}…`.toWellFormed() : safe;
}

/**
 * Returns a request ID that is safe to show; `null` if it is missing, has unusual characters, or contains a
 * secret.
 */
export function printableId(id: unknown, secrets: readonly string[]): string | null {
  if (typeof id !== "string" || !REQUEST_ID.test(id) || breakCommands(id) !== id) return null;
  return redactSecrets(id, secrets) === id ? id : null;
}

/** Returns everything in the response to a creation that may be a key. The response may be its only copy. */
export function possibleKeys(body: string): readonly string[] {
  const found = body.slice(0, MAX_SEARCHED).replace(ID_MEMBER, "").match(KEY_LIKE) ?? [];
  return [...new Set(found)].slice(0, MAX_KEYS);
}

function redactSecrets(text: string, secrets: readonly string[]): string {
  const parts = secrets.filter((secret) => secret.length >= MIN_SECRET_LENGTH).flatMap(partsOf);
  const possible = parts.filter((part) => part.length <= text.length); // No encoding is shorter.
  return possible.reduce((rest, part) => rest.replace(patternOf(part), "***"), text);
}

/** Returns a secret in parts of similar length. */
function partsOf(secret: string): string[] {
  const count = Math.ceil(secret.length / MAX_PART_LENGTH);
  const length = Math.ceil(secret.length / count);
  return Array.from({ length: count }, (_, index) => secret.slice(index * length, (index + 1) * length));
}

/** Returns a pattern that matches a secret as it is, percent-encoded, in hex, and in base64 or base64url. */
function patternOf(secret: string): RegExp {
  const characters = Array.from(secret, (character) => {
    const bytes = Buffer.from(character).toString("hex").match(/../g) ?? [];
    // A proxy may encode it once more.
    const encoded = bytes.map((byte) => `%(?:25)*${anyCase(byte)}`).join("");
    return `(?:${/\w/.test(character) ? character : `\\${character}`}|${encoded})`;
  });
  const hex = anyCase(Buffer.from(secret).toString("hex"));
  return new RegExp([characters.join(""), hex, ...base64Patterns(secret)].join("|"), "g");
}

/**
 * Returns patterns for the base64 of a secret at each offset, because text such as `Bearer ` may come before
 * it.
 */
function base64Patterns(secret: string): string[] {
  return [0, 1, 2].flatMap((offset) => {
    const base64 = Buffer.from("\0".repeat(offset) + secret).toString("base64");
    // The first and the last character also depend on the text around the secret.
    const own = base64.slice(Math.ceil((offset * 4) / 3)).replace(/.=+$/, "");
    if (own.length < MIN_BASE64_LENGTH) return [];
    const pattern = own.replaceAll("/", "(?:[/_]|%2[fF])").replaceAll("+", "(?:[+-]|%2[bB])");
    return [base64.endsWith("=") ? `${pattern}[\\w+/-]?=*` : pattern];
  });
}

function anyCase(hex: string): string {
  return hex.replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`);
}
