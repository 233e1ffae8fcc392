/** Strings that are shorter are too common for a search to mean anything. */
const SHORTEST_SECRET = 4;
/** Characters of the server's words that are shown, and that are looked at. */
const MOST_SHOWN = 200;
const MOST_READ = 4096;
/** What could be a secret of somebody else: a run of 16 or more characters as tokens have them, with a digit among them. */
const TOKEN_LIKE = /(?=[\w.~+/=|%-]*\d)[\w.~+/=|%-]{16,}/g;
/** What a terminal would obey, what begins a line (as commands to a CI system do), and what changes the order of letters. */
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]+/g;
/** The only form of a request id that is shown: neither an escape sequence nor a command for a CI system fits in. */
const REQUEST_ID = /^[A-Za-z0-9._:-]{1,128}$/;

/**
 * Makes what a server said fit for a person, a log and a state file.
 *
 * @param words Text from a response.
 * @param secrets The access token, and the key where the request named one.
 * @returns At most 200 characters on one line, `***` in place of anything that could be a secret; `null` if nothing is left.
 */
export function redactWords(words: string, secrets: readonly string[]): string | null {
  // What is cut must not leave the first part of a secret behind.
  let text = words.length > MOST_READ ? words.slice(0, MOST_READ).replace(/\S+$/, "") : words;
  const forms = secrets.filter((secret) => secret.length >= SHORTEST_SECRET).flatMap(formsOf);
  for (const form of forms) text = text.replaceAll(form, "***");
  text = text.replace(CONTROL, " ").replaceAll("::", ": :").replace(TOKEN_LIKE, "***");
  text = text.replace(/\s+/g, " ").trim();
  if (text === "") return null;
  return text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN - 1)}…` : text;
}

/** A request id that can be shown; `null` if it is absent, not plainly printable, or holds a secret. */
export function printableId(id: unknown, secrets: readonly string[]): string | null {
  if (typeof id !== "string" || !REQUEST_ID.test(id) || id.includes("::")) return null;
  const holdsSecret = secrets.some((secret) => secret.length >= SHORTEST_SECRET && id.includes(secret));
  return holdsSecret ? null : id;
}

/** A server may repeat a secret as it arrived in a path or a header, or encoded once more. */
function formsOf(secret: string): string[] {
  const base64 = Buffer.from(secret).toString("base64").replace(/=+$/, "");
  return [secret, encodeURIComponent(secret), base64, base64.replaceAll("+", "-").replaceAll("/", "_")];
}
