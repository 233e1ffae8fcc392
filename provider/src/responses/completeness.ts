import { isEmpty, isObject, normalizeName, parseDocument, walk } from "./document.js";
import { asWord, isScalar } from "./mapping.js";

/** The headers of a response, by lower-case name. */
export type ResponseHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/**
 * The information that a member gives about further pages. `more` and `last` are explicit. `next` is a cursor or URL, which
 * some services send even with the last page; `end` is an empty one. `full` is a page size that the list fills.
 */
type Sign = "more" | "last" | "next" | "end" | "full" | null;

const IS_LAST =
  /^(?:is)?(?:last|lastpage|done|final|end|endofstream|eof|completed?|finished|exhausted|allloaded)$/;
const HAS_MORE =
  /^(?:has|is)?(?:more|next|additional|truncated|incomplete|partial|timedout|limited|[a-z]*(?:reached|exceeded)|overflow)(?:page|result|item|record)?s?(?:incollection)?$/;
const CUT_OFF = /truncated|incomplete|partial|timedout|limited|reached|exceeded|overflow/;
/** Objects that describe the list. Others may describe the pages of something else. */
const PAGING = /^$|meta|pag(?:e|ing|in)|cursor|link|info|data|result|response|hooks|list/;
const NEXT =
  /next|^prev(?:ious)?$|more|older|truncated|incomplete|partial|cursor|continu|offset|evaluated|marker|bookmark|scroll|(?:pag|skip|resum)[a-z]*(?:token|state)|lastkey|after$|remaining|(?:page|item|record|result)sleft$/;
/** The filter that restricts a list. */
const FILTER = /^(?:filter(?:s|edby)?|query|scope|where|search)$/;
const PAGE_SIZE =
  /^x?(?:limit|perpage|pagesize|pagelimit|pagelen|maxresults|itemsperpage|size|take|top|rows)$/;
const COUNT = /total|(?<!ac|dis)count$|found$|hits$|results|records/;
/** Numbers that do not count records. */
const OTHER_NUMBER =
  /code|status|version|time|date|year|stamp|duration|took|elapsed|latency|second|rate|quota|limit|max|per|size|take|top|rows|errors?$|port|retry|cost|usage|(?:id|at|on|ms|ttl|age|pid)$/;
/** Names that match the patterns above but mean something else. */
const OTHER = /nextjs|moreinfo|ratelimit|retryafter|(?:time|date|at)$/;

const NOTHING = /^(?:|null|none|no|false|nil|n\/a|undefined|all|\*|0|-1)$/i;
/** `57`, `1,057`, `1 of 6`, or as in Content-Range `items 0-9/57`. */
const NUMBERS =
  /^(?!bytes)(?:[a-z]{1,32}[ =])?([0-9]{1,9})(-[0-9]{1,9})?(?:(?:\/| of )([0-9]{1,9}|\*))?(?: [a-z]{3,9}s)?$/i;
/** A URL of a page other than the first. */
const LATER_PAGE =
  /[?&](?:page|p|pagenumber|page(?:\[|%5b)number(?:\]|%5d)|offset|start|skip)=(?!0*[01]?(?![0-9]))/i;
const PARTIAL = /\b(?:partial|incomplete|truncated)\b/i;
const LINK = /\brel\s{0,3}=\s{0,3}"?(?:[^\s",;]{1,40} ){0,3}(?:next|prev|previous)\b/i;

/**
 * Whether a list is complete: nothing in the response, outside the records, indicates further records.
 *
 * @param document The JSON value of the body.
 * @param list The array of records. Its elements are ignored.
 */
export function isComplete(
  document: unknown,
  list: readonly unknown[],
  headers: ResponseHeaders,
  status: number,
): boolean {
  const signs = new Set<Sign>(documentSigns(document, list, list.length));
  for (const [header, values = []] of Object.entries(headers)) {
    for (const text of [values].flat())
      for (const sign of headerSigns(header, text, list.length)) signs.add(sign);
  }
  if (status === 206 || signs.has("more")) return false;
  return signs.has("last") || !(signs.has("next") || (signs.has("full") && !signs.has("end")));
}

function* documentSigns(document: unknown, list: unknown, length: number): Generator<Sign> {
  for (const { name, value, containerName } of walk(document, (node) => node.value !== list)) {
    if (value === list || OTHER.test(containerName)) continue;
    const sign = readSign(name, value, length, true);
    if (sign !== "last" || PAGING.test(containerName)) yield sign;
    if (typeof value !== "string") continue;
    if (PARTIAL.test(value)) yield "more";
    if (normalizeName(value) === "next" || LATER_PAGE.test(value)) yield "next";
  }
}

function* headerSigns(header: string, text: string, length: number): Generator<Sign> {
  const name = normalizeName(header.replace(/^x-/, ""));
  if (PARTIAL.test(text)) yield "more";
  if (name === "link") {
    if (LINK.test(text) || LATER_PAGE.test(text)) yield "more";
  } else if (!text.startsWith("{")) yield readSign(name, text.trim(), length, false);
  else if (/pag(?:e|ing|in)/.test(name)) yield* documentSigns(parseDocument(text), undefined, length);
}

/** @param isBody Whether a number under any name may count records. */
function readSign(name: string, value: unknown, length: number, isBody: boolean): Sign {
  if (OTHER.test(name)) return null;
  const word = isScalar(value) ? asWord(value) : "";
  const isTrue = word === "true";
  if (IS_LAST.test(name) && /^(?:true|false|no|0)$/.test(word)) return isTrue ? "end" : "more";
  if (HAS_MORE.test(name) && isTrue) return "more";
  // `truncated: false` does not mean that this is the last page.
  if (HAS_MORE.test(name) && word === "false") return CUT_OFF.test(name) ? null : "last";
  if (FILTER.test(name)) return isNothing(value) ? null : "more";
  if (!NEXT.test(name)) return readNumber(name, value, length, isBody);
  if (isNothing(value)) return /next|more/.test(name) ? "end" : null;
  // Objects with other names, such as `cursors`, are judged by their members.
  if (isObject(value) && !/^next|older|evaluated|lastkey|truncated|incomplete/.test(name)) return null;
  return name === "offset" ? "more" : "next";
}

function readNumber(name: string, value: unknown, length: number, isBody: boolean): Sign {
  if (typeof value !== "number" && typeof value !== "string") return null;
  const [, first, range, total] = NUMBERS.exec(String(value).slice(0, 64).replaceAll(",", "")) ?? [];
  const number = Number(first);
  if (total !== undefined) {
    const isLaterPage = range !== undefined && number > 1;
    return isLaterPage || Number(total) > (range === undefined ? number : length) ? "more" : null;
  }
  if (PAGE_SIZE.test(name)) return number > 0 && number <= length ? "full" : null;
  if (/^(?:start|skip)(?:at|index)?$/.test(name)) return number > 1 ? "more" : null;
  if (name.includes("pag") && !/size|per|por|limit/.test(name)) {
    if (number > 1) return "more";
    return number === 1 && /total|last|num|pages/.test(name) ? "end" : null;
  }
  if (!COUNT.test(name) && !(isBody && !OTHER_NUMBER.test(name))) return null;
  if (number === length) return name.includes("total") ? "end" : null;
  // A total below the length counts pages.
  const countsPages = name === "total" && number > 1;
  return (number > length || countsPages) && number < 1e8 ? "more" : null;
}

/** Whether a value means "none". */
function isNothing(value: unknown): boolean {
  if (isObject(value)) return Object.values(value).every((member) => isEmpty(member) || member === "");
  if (typeof value === "string") return value.length <= 16 && NOTHING.test(value.trim());
  return isEmpty(value) || value === false || (typeof value === "number" && value <= 0);
}
