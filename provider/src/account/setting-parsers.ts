import { isObject, parseDocument } from "../bodies/json.js";
import type { ResponseMapping } from "../bodies/response-mapping.js";
import type { BaseUrl } from "../partner-api/connections.js";
import { API_ROOT, isVisibleAscii } from "../partner-api/operations.js";
import { RULES } from "../setting-messages.js";

/** Refuses a value. @param rule What it breaks. @param member The member of `responses`, if it is in one. */
export type Refuse = (rule: string, member?: keyof ResponseMapping) => null;

/** Returns the value of a setting, which is of no use if it was refused. */
export type Parser<Value> = (text: string, refuse: Refuse) => Value | null;

/** As the URL parser writes them. Names other than `localhost` could resolve to anything. */
const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

export const parseBaseUrl: Parser<BaseUrl> = (text, refuse) => {
  if (!URL.canParse(text)) return refuse(RULES.url);
  const { protocol, username, password, hostname, origin, pathname } = new URL(text);
  const loopback = LOOPBACK.test(hostname);
  if (username !== "" || password !== "") return refuse(RULES.noCredentials);
  if (protocol !== "https:" && !(protocol === "http:" && loopback)) return refuse(RULES.https);
  if (text.includes("?") || text.includes("#")) return refuse(RULES.noQuery);
  const prefix = pathname.replace(/\/{1,64}$/, "");
  if (prefix.endsWith(API_ROOT)) return refuse(RULES.noApiRoot(API_ROOT));
  return { address: origin + prefix, origin, prefix, loopback };
};

export const parseToken: Parser<string> = (text, refuse) =>
  isVisibleAscii(text) ? text : refuse(RULES.visibleAscii);

/** Returns milliseconds. */
export const parseSeconds: Parser<number> = (text, refuse) => {
  const seconds = Number(text);
  return seconds >= 0.001 && seconds <= 86_400 ? seconds * 1000 : refuse(RULES.seconds);
};

/** A token of RFC 9110 (5.6.2), and visible ASCII with spaces inside. */
const HEADER_NAME = /^[\w!#$%&'*+.^`|~-]+$/;
const HEADER_VALUE = /^[!-~](?:[ -~]*[!-~])?$/;
/** What the client or undici sets, and what belongs to the connection. */
const RESERVED_HEADER = new RegExp(
  `^(?:${[
    "accept(?:-encoding)?|authorization|connection|content-.*|expect|host|keep-alive|proxy-.*|te|trailer",
    "transfer-encoding|upgrade|user-agent",
  ].join("|")})$`,
  "i",
);

/** Returns the headers by name. A member that is `null` counts as not set. */
export const parseHeaders: Parser<Readonly<Record<string, string>>> = (text, refuse) => {
  const document = parseDocument(text);
  if (!isObject(document)) return refuse(RULES.headers);
  const headers = Object.entries(document).filter(([, value]) => value !== null);
  if (!headers.every(isHeader)) refuse(RULES.headers);
  for (const [name] of headers)
    if (RESERVED_HEADER.test(name)) refuse(RULES.reservedHeader(name.toLowerCase()));
  return Object.fromEntries(headers) as Record<string, string>;
};

function isHeader([name, value]: readonly [string, unknown]): boolean {
  return HEADER_NAME.test(name) && typeof value === "string" && HEADER_VALUE.test(value);
}
