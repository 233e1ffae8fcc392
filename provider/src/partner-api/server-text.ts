import { isArray, isObject, parseDocument } from "../bodies/json.js";
import type { HttpResponse } from "./attempt.js";
import { API_ROOT } from "./operations.js";

/** The maximum number of characters of a text to show, and to clean: a regex can fail on a very long run. */
const [MAX_SHOWN, MAX_CLEANED] = [200, 1_000];
/** The members of an error body that hold its message: RFC 9457, RFC 6749, JSON:API, Apigee and custom. */
const MESSAGE_MEMBERS = ["message", "error_description", "detail", "errors", "error", "title", "fault"];
/** The same in a member that is an object, or a list of them: FastAPI has `msg`, Rails `base`. */
const INNER_MEMBERS = ["message", "msg", "detail", "title", "faultstring", "base"];
/** What tokens, and paths, consist of. */
const RUN = /[\w.~+/=|%-]+/g;
/** A run that could be a secret. */
const MAY_BE_SECRET = /^(?=.*\d).{16,}$/;
/** Terminal escapes and line breaks. Both begin commands of a terminal and of CI systems. */
const CONTROL_CHARACTERS = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g;
/** Characters that show nothing or change the direction of text. Some systems skip them in commands. */
const INVISIBLE = /[\p{Default_Ignorable_Code_Point}\ufff9-\ufffb]/gu;

/** The body of a response, and what says whether it is a text for people. */
export type ServerText = Pick<HttpResponse, "text" | "headers">;

/**
 * Returns the server's own words in a response: on one line, at most 200 characters, with `***` for anything
 * that could be a secret.
 *
 * @param hasSecret Whether a text contains what must not be repeated. It is asked about the whole text: a
 *   shortened one may contain a part of a secret.
 * @returns `null` if the response has no message, or if it contains a secret.
 */
export function quoteServer(response: ServerText, hasSecret: (text: string) => boolean): string | null {
  const words = serverMessage(response);
  if (words === null) return null;
  const line = toLine(words);
  if (hasSecret(words) || hasSecret(line)) return null;
  return shorten(line.replace(RUN, mask)) || null;
}

/** Returns the message in a response, as it is: for code, which never shows it. */
export function serverMessage({ text, headers }: ServerText): string | null {
  const document = parseDocument(text);
  if (document === undefined)
    return /^text\/plain\b/i.test(String(headers["content-type"])) ? oneLine(text) : null;
  return messageIn(document, MESSAGE_MEMBERS);
}

/** Returns a text that is one short line. A longer one is a page, or a trace of the stack. */
function oneLine(text: string): string | null {
  const line = text.trim();
  return line.length > MAX_SHOWN || /[\r\n]/.test(line) || line.startsWith("<") ? null : line || null;
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

/** Returns the first text in the members, or in the first element of a list in them. */
function messageIn(document: unknown, members: readonly string[]): string | null {
  if (!isObject(document)) return null;
  for (const member of members) {
    const value = firstOf(document[member]);
    const text = isObject(value) && members !== INNER_MEMBERS ? messageIn(value, INNER_MEMBERS) : value;
    if (typeof text === "string" && text.trim() !== "") return text;
  }
  return null;
}

function firstOf(value: unknown): unknown {
  return isArray(value) ? value[0] : value;
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
