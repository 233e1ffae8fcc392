import { isArray, isObject, normaliseName, parseDocument, walk } from "./document.js";

/** The headers of an answer, their names in lower case. */
export type ResponseHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/**
 * What a member says about further records. `more` and `last` are said in so many words; `next` is a cursor or an address,
 * which some services send with the last page too; `end` is the lack of one; `full` is only a page size that is filled.
 */
type Sign = "more" | "last" | "next" | "end" | "full";

const IS_LAST = /^(?:is)?(?:last|lastpage|done|final)$/;
const HAS_MORE =
  /^(?:has|is|any)?(?:more|next|truncated|incomplete)(?:pages?|results?|items?|records?|data)?(?:incollection)?$/;
/** Objects that speak of the list. Others may say that there is nothing more of something else. */
const PAGING = /^$|meta|pag(?:e|ing|in)|cursor|link|info|data|result|response|hooks|list/;
const NEXT = /next|more|cursor|continuation|offset|lastevaluated|marker|bookmark|scroll/;
const PREVIOUS = /^prev(?:ious)?(?:page|link|url)?$|^skip$/;
const CUT = /truncated|incomplete/;
const PAGES = /^(?:current|last|total|num(?:berof)?)?pages?(?:count|number|num|total)?$|^pagestotal$/;
const ALL_PAGES = /total|last|num|count|^pages/;
const TOTAL = /total|(?<!ac|dis)count$|^numfound$/;
const PAGE_SIZE = /^(?:limit|perpage|pagesize|pagelimit|pagelen|maxresults|itemsperpage)$/;
/** Names that look like the above and are about something else. */
const OTHER = /nextjs|moreinfo|ratelimit|time$|duration|(?:date|at|retry)$/;

const NOTHING = /^(?:|null|none|no|false|nil|n\/a|undefined|0|-1)$/i;
/** `items 0-9/57`, also without the unit. */
const CONTENT_RANGE = /^(?:([a-z]{1,32})[ =])?(?:([0-9]{1,15})-[0-9]{1,15}|\*)\/([0-9]{1,15}|\*)$/i;

/**
 * Whether a list is all there is: nothing outside of it tells of further records.
 *
 * @param document the JSON value of the body.
 * @param list the array of records, which is not looked into.
 */
export function isComplete(
  document: unknown,
  list: readonly unknown[],
  headers: ResponseHeaders,
  status: number,
): boolean {
  if (status === 206) return false;
  const signs = new Set<Sign>(headerSigns(headers, list.length));
  collectSigns(document, list, list.length, signs);
  if (signs.has("more")) return false;
  return signs.has("last") || !(signs.has("next") || (signs.has("full") && !signs.has("end")));
}

function collectSigns(document: unknown, list: unknown, length: number, signs: Set<Sign>): void {
  for (const { name, value, around } of walk(document, (node) => node.value !== list)) {
    if (value === list) continue;
    // A list of links, { rel, href } each, says the same as one member for each relation.
    const isLink = isObject(value) && Object.hasOwn(value, "rel") && typeof value["rel"] === "string";
    const target: unknown = isLink && Object.hasOwn(value, "href") ? value["href"] : true;
    const sign = isLink
      ? readSign(normaliseName(String(value["rel"])), target, length)
      : readSign(name, value, length);
    if (sign === "last" && !PAGING.test(around)) continue;
    if (sign !== null) signs.add(sign);
  }
}

function readSign(name: string, value: unknown, length: number): Sign | null {
  if (OTHER.test(name)) return null;
  const number = toNumber(value);
  const flag = toFlag(value);
  if (IS_LAST.test(name) && flag !== null) return flag ? "end" : "more";
  if (HAS_MORE.test(name) && flag !== null) return flag ? "more" : "last";
  if (CUT.test(name)) return isNothing(value) ? null : "more";
  if (NEXT.test(name)) {
    if (isArray(value)) return value.length > 0 ? "next" : "end";
    if (isNothing(value)) return /next|more/.test(name) ? "end" : null;
    // The members of an object speak for themselves.
    if (isObject(value) && !/evaluated/.test(name)) return Object.hasOwn(value, "href") ? "next" : null;
    return /offset/.test(name) && !name.includes("next") ? "more" : "next";
  }
  if (PREVIOUS.test(name)) return isNothing(value) || isObject(value) ? null : "next";
  if (number === null) return null;
  if (PAGES.test(name)) {
    if (number > 1) return "more";
    return ALL_PAGES.test(name) ? "end" : null;
  }
  if (TOTAL.test(name)) {
    if (number > length) return "more";
    return name.includes("total") ? "end" : null;
  }
  return PAGE_SIZE.test(name) && number > 0 && number <= length ? "full" : null;
}

function headerSigns(headers: ResponseHeaders, length: number): Set<Sign> {
  const signs = new Set<Sign>();
  for (const [header, values = []] of Object.entries(headers)) {
    for (const text of [values].flat()) {
      if (header === "link") {
        if (linksTo(text, /^(?:next|prev|previous)$/)) signs.add("more");
      } else if (header === "content-range") {
        const [, unit, first = "0", total = "*"] = CONTENT_RANGE.exec(text.trim()) ?? [];
        if (unit !== "bytes" && (Number(first) > 0 || Number(total) > length)) signs.add("more");
      } else if (text.startsWith("{")) {
        if (header.includes("paginat")) collectSigns(parseDocument(text), undefined, length, signs);
      } else {
        const name = normaliseName(header.replace(/^x-(?:pagination-|wp-)?/, ""));
        const sign = readSign(name, text.trim(), length);
        if (sign !== null) signs.add(sign);
      }
    }
  }
  return signs;
}

/** Whether a `Link` header (RFC 8288) has a link with one of the relations. */
function linksTo(header: string, relation: RegExp): boolean {
  return header
    .toLowerCase()
    .split(/[;,]/)
    .some((part) => {
      const [name = "", value = ""] = part.split("=", 2);
      return (
        name.trim() === "rel" &&
        value
          .replaceAll('"', " ")
          .split(/\s+/)
          .some((one) => relation.test(one))
      );
    });
}

/** Whether a value says that there is nothing. */
function isNothing(value: unknown): boolean {
  if (isArray(value)) return value.length === 0;
  if (isObject(value)) {
    if (Object.hasOwn(value, "href")) return isNothing(value["href"]);
    return Object.keys(value).length === 0;
  }
  if (typeof value === "string") return value.length <= 16 && NOTHING.test(value.trim());
  return value === null || value === false || (typeof value === "number" && value <= 0);
}

function toFlag(value: unknown): boolean | null {
  if (value === true || value === "true" || value === "True") return true;
  return value === false || value === "false" || value === "False" ? false : null;
}

function toNumber(value: unknown): number | null {
  if (typeof value === "number") return value;
  return typeof value === "string" && /^[0-9]{1,15}$/.test(value) ? Number(value) : null;
}
