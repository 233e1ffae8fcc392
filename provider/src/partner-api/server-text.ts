import { isArray, isObject, parseDocument } from "../bodies/json.js";
import { spellingsOf } from "./known-secrets.js";
import { API_ROOT } from "./operations.js";

/** The maximum number of characters of a text to show, and to clean: a regex can fail on a very long run. */
const [MAX_SHOWN, MAX_CLEANED] = [200, 1_000];
/** Shorter values, such as a header `1`, are in too many texts. */
const MIN_SECRET_LENGTH = 4;
/** The members of an error body that hold its message: RFC 9457, RFC 6749, JSON:API and custom. */
const MESSAGE_MEMBERS = ["message", "error_description", "detail", "errors", "error", "title"];
/** What tokens, and paths, consist of. */
const RUN = /[\w.~+/=|%-]+/g;
/** A run that could be a secret. */
const MAY_BE_SECRET = /^(?=.*\d).{16,}$/;
/** Terminal escapes and line breaks. Both begin commands of a terminal and of CI systems. */
const CONTROL_CHARACTERS = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g;
/** Characters that show nothing or change the direction of text. Some systems skip them in commands. */
const INVISIBLE = /[\p{Default_Ignorable_Code_Point}\ufff9-\ufffb]/gu;

/**
 * Returns the server's own words in the body of a response: on one line, at most 200 characters, with `***`
 * for anything that could be a secret.
 *
 * @param secrets What must not be repeated: the access token, values of headers, keys, an ID. A text that was
 *   shortened, or of which a part was removed, could no longer be searched for them.
 * @returns `null` if the body has no message, or if one of the secrets occurs in it.
 */
export function quoteServer(body: string, secrets: readonly string[]): string | null {
  const words = serverMessage(body);
  if (words === null) return null;
  const line = toLine(words);
  if (containsSecret(words, secrets) || containsSecret(line, secrets)) return null;
  return shorten(line.replace(RUN, mask)) || null;
}

/** Whether a text contains a secret in one of its usual spellings, in any case. */
function containsSecret(text: string, secrets: readonly string[]): boolean {
  const searched = text.toLowerCase();
  return secrets
    .filter((secret) => secret.length >= MIN_SECRET_LENGTH)
    .flatMap(spellingsOf)
    .some((spelling) => searched.includes(spelling.toLowerCase()));
}

/** Masks what could be a secret. In a path of the Partner API, each segment counts on its own. */
function mask(run: string): string {
  const [before = "", ...paths] = run.split(API_ROOT);
  const masked = paths.map((path) => path.split("/").map(maskWord).join("/"));
  return [maskWord(before), ...masked].join(API_ROOT);
}

function maskWord(word: string): string {
  return MAY_BE_SECRET.test(word) ? "***" : word;
}

/** Returns the message in the body of a response, as it is: for code, which never shows it. */
export function serverMessage(body: string): string | null {
  const document = parseDocument(body);
  if (!isObject(document)) return null;
  for (const member of MESSAGE_MEMBERS) {
    const value = document[member];
    const first: unknown = isArray(value) ? value[0] : value;
    const text = isObject(first) ? (first["message"] ?? first["detail"] ?? first["title"]) : first;
    if (typeof text === "string" && text.trim() !== "") return text;
  }
  return null;
}

/** Puts text on one line, without anything that a reader cannot see. */
function toLine(text: string): string {
  const start = text.slice(0, MAX_CLEANED).replace(INVISIBLE, "");
  return start.replace(CONTROL_CHARACTERS, " ").replace(/\s+/g, " ").trim();
}

/**
 * Breaks the commands that CI systems read anywhere in a line: `::`, GitHub's `##[`, Azure's `##vso[` and
 * TeamCity's `##teamcity[`. Must be last: what is removed from a text can create them.
 */
function shorten(line: string): string {
  const broken = line.replace(/([:#])(?=\1)/g, "$1 ");
  const text = broken.length > MAX_SHOWN ? `${broken.slice(0, MAX_SHOWN - 1)}…` : broken;
  return text.toWellFormed(); // gRPC cannot encode half a character.
}
