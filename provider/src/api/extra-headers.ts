import { isObject, parseDocument } from "../json.js";

/** The headers of the setting `headers`, which are sent with each request, by name. The values are secret. */
export type ExtraHeaders = Readonly<Record<string, string>>;

/** The rules that the setting `headers` can break. None names a header unless it is one of those we know. */
export type HeaderRule =
  | "jsonObject"
  | "headerName"
  | "headerText"
  | "headerValue"
  /** The same name twice, in any case: a server may use either value. */
  | "headerTwice"
  /** Only the client sets this header. */
  | { readonly reserved: string };

/** A token of RFC 9110 (5.6.2). */
const NAME = /^[\w!#$%&'*+.^`|~-]{1,256}$/;
/** Laxer than a token, because a value may have several words, as in `Basic …`. */
const VALUE = /^[!-~](?:[ -~]{0,8190}[!-~])?$/;
/**
 * What the client or undici sets, and what a proxy or the connection uses. Also what would change what a
 * request does if it had the same value in each: with one `idempotency-key`, all creations return one key.
 */
const RESERVED =
  /^(?:accept|accept-encoding|authorization|connection|content-(?:encoding|length)|expect|host|http2-settings|idempotency-key|if-.*|keep-alive|proxy-.*|range|te|trailer|transfer-encoding|upgrade|user-agent)$/;
/** A string of JSON, including its quotes. */
const JSON_STRING = /"(?:[^"\\]|\\.)*"/g;
/** The minimum length of one word of a value that is hidden by itself. */
const MIN_WORD_LENGTH = 8;

/**
 * Reads the setting `headers`. A member that is `null` counts as not set.
 *
 * @param text The setting as JSON.
 * @param refuse Records a broken rule.
 */
export function readHeaders(text: string, refuse: (rule: HeaderRule) => void): ExtraHeaders {
  const document = parseDocument(text);
  if (!isObject(document)) {
    refuse("jsonObject");
    return {};
  }
  const members = Object.entries(document);
  const given = members.filter((member): member is [string, string] => member[1] !== null);
  const names = given.map(([name]) => name.toLowerCase());
  const reserved = new Set(names.filter((name) => RESERVED.test(name)));
  for (const name of reserved) refuse({ reserved: name });
  if (!names.every((name) => NAME.test(name))) refuse("headerName");
  const areTexts = given.every(([, value]) => typeof value === "string");
  if (!areTexts) refuse("headerText");
  else if (!given.every(([, value]) => VALUE.test(value))) refuse("headerValue");
  // Of two members with the same name, the document has only the last.
  const strings = text.match(JSON_STRING)?.length ?? 0;
  const isRepeated = areTexts && strings !== members.length + given.length;
  if (isRepeated || new Set(names).size < names.length) refuse("headerTwice");
  return Object.fromEntries(given);
}

/** What a client sends with each request, and no message may contain. */
export interface SentSecrets {
  readonly accessToken: string;
  readonly headers: ExtraHeaders;
}

/**
 * Returns what to hide wherever a server repeats it: the access token, the values of the headers and, because
 * a server may quote only one of them, their words.
 */
export function textsToHide({ accessToken, headers }: SentSecrets): readonly string[] {
  const values = Object.values(headers);
  const words = values.flatMap((value) => value.split(/[\s;,=]+/));
  return [accessToken, ...values, ...words.filter((word) => word.length >= MIN_WORD_LENGTH)];
}
