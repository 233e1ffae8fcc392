import { parseDocument, resolvePointer } from "../json.js";

/** JSON Pointers to error messages, by priority (RFC 9457, RFC 6749 and custom). */
const MESSAGE_POINTERS = (
  "/message /error/message /error_description /detail /title /errors/0/message /error /errors/0/detail /errors/0 " +
  "/errorMessage /errmsg /msg /data/message /result/message"
).split(" ");

/** Shorter strings are too common to search for. */
const MIN_SECRET_LENGTH = 4;
/** The maximum number of characters of a server's text to show, and to read. */
const MAX_SHOWN = 200;
const MAX_READ = 4096;
/** Text that could be another secret: 16 or more characters that occur in tokens, at least one of them a digit. */
const TOKEN_LIKE = /(?=[\w.~+/=|%-]*\d)[\w.~+/=|%-]{16,}/g;
/** Terminal escapes, line breaks (a CI system reads commands at the start of a line), and changes of text direction. */
export const CONTROL_CHARACTERS =
  /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]+/g;
/** The only form in which a request ID is shown. It has no room for an escape sequence or a CI command. */
const REQUEST_ID = /^[A-Za-z0-9._:-]{1,128}$/;

/** Returns the message in an error body, not redacted yet; `null` if there is none under the usual names. */
export function serverMessage(text: string): string | null {
  const document = parseDocument(text);
  const messages = MESSAGE_POINTERS.map((pointer) => resolvePointer(document, pointer));
  const texts = messages.filter((message) => typeof message === "string");
  return texts.find((message) => message.trim() !== "") ?? null;
}

/**
 * Makes text from a server safe to show, to log and to keep in a state file.
 *
 * @param secrets The access token, and the key if the request named one.
 * @returns At most 200 characters on one line, with `***` for anything that could be a secret; `null` if nothing is left.
 */
export function redactText(text: string, secrets: readonly string[]): string | null {
  // Drops the last word of a truncated text: it could be the first part of a secret.
  let safe = text.length > MAX_READ ? text.slice(0, MAX_READ).replace(/\S+$/, "") : text;
  const encodings = secrets.filter((secret) => secret.length >= MIN_SECRET_LENGTH).flatMap(encodingsOf);
  for (const encoding of encodings) safe = safe.replaceAll(encoding, "***");
  safe = safe.replace(CONTROL_CHARACTERS, " ").replaceAll("::", ": :").replace(TOKEN_LIKE, "***");
  safe = safe.replace(/\s+/g, " ").trim();
  if (safe === "") return null;
  const shown = safe.length > MAX_SHOWN ? `${safe.slice(0, MAX_SHOWN - 1)}…` : safe;
  return shown.toWellFormed(); // A server can send half a character, and truncation can leave one.
}

/** Returns a request ID that is safe to show; `null` if it is missing, has unusual characters, or contains a secret. */
export function printableId(id: unknown, secrets: readonly string[]): string | null {
  if (typeof id !== "string" || !REQUEST_ID.test(id) || id.includes("::")) return null;
  const hasSecret = secrets.some((secret) => secret.length >= MIN_SECRET_LENGTH && id.includes(secret));
  return hasSecret ? null : id;
}

/** Returns the forms in which a server may repeat a secret: as it arrived in a path or a header, or encoded once more. */
function encodingsOf(secret: string): string[] {
  const base64 = Buffer.from(secret).toString("base64").replace(/=+$/, "");
  return [secret, encodeURIComponent(secret), base64, base64.replaceAll("+", "-").replaceAll("/", "_")];
}
