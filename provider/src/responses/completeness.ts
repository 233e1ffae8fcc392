import { isEmpty, isObject, normaliseName, parseDocument, walk } from "./document.js";

/** The headers of a response, their names in lower case. */
export type ResponseHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/**
 * What a member says about further records. `more` and `last` say it in so many words; `next` is a cursor or an address, which
 * some services send with the last page, too; `end` is the lack of one; `full` is only a page size that the list fills.
 */
type Sign = "more" | "last" | "next" | "end" | "full";

const IS_LAST =
  /^(?:is)?(?:last|lastpage|done|final|end|endofstream|eof|completed?|finished|exhausted|allloaded)$/;
const HAS_MORE =
  /^(?:has|is)?(?:more|next|additional|truncated|incomplete|partial)(?:page|result|item|record)?s?(?:incollection)?$/;
/** Objects that speak of the list. Others may say that there is nothing more of something else. */
const PAGING = /^$|meta|pag(?:e|ing|in)|cursor|link|info|data|result|response|hooks|list/;
const CUT_OFF = /truncated|incomplete|partial/;
const NEXT =
  /next|^prev(?:ious)?$|more|older|truncated|incomplete|partial|cursor|continu|offset|evaluated|marker|bookmark|scroll|(?:pag|skip|resum)[a-z]*(?:token|state)|lastkey|after$|remaining/;
const PAGE_NUMBER = /^(?:current)?page(?:number)?$/;
const COUNT =
  /total|(?<!ac|dis)count$|found$|^nbhits$|^(?:num)?(?:results|records|hits)(?:filtered|found)?$|^(?:last|num|nb|max|no|noof)?pages?$|^(?:last|max)page$/;
const PAGE_SIZE =
  /^x?(?:limit|perpage|pagesize|pagelimit|pagelen|maxresults|itemsperpage|size|take|rows|top)$/;
/** Counts that say that the list is all there is. Others may be of pages, or of something else. */
const COUNT_OF_ALL =
  /^(?:x|hydra|list|pagination)*total(?:count|items|records|results|rows|elements|webhooks|pages)*$|^(?:last|num)pages?$/;
/** Names that look like the above and are about something else. */
const OTHER = /nextjs|moreinfo|ratelimit|(?:time|date|at)$/;

const NOTHING = /^(?:|null|none|no|false|nil|n\/a|undefined|0|-1)$/i;
/** `items 0-9/57`, also without the unit. */
const CONTENT_RANGE = /^(?:([a-z]{1,32})[ =])?(?:([0-9]{1,15})-[0-9]{1,15}|\*)\/([0-9]{1,15}|\*)$/i;
const LINK = /\brel\s{0,3}=\s{0,3}"?(?:[^\s",;]{1,40} ){0,3}(?:next|prev|previous)\b/i;

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
  const signs = new Set<Sign | null>(documentSigns(document, list, list.length));
  for (const [header, values = []] of Object.entries(headers)) {
    for (const text of [values].flat())
      for (const sign of headerSigns(header, text, list.length)) signs.add(sign);
  }
  if (status === 206 || signs.has("more")) return false;
  return signs.has("last") || !(signs.has("next") || (signs.has("full") && !signs.has("end")));
}

function* documentSigns(document: unknown, list: unknown, length: number): Generator<Sign | null> {
  for (const { name, value, around } of walk(document, (node) => node.value !== list)) {
    if (value === list) continue;
    const isLink = /^(?:rel|relation)$/.test(name) && typeof value === "string";
    const sign = isLink ? readSign(normaliseName(value), true, length) : readSign(name, value, length);
    if (sign !== "last" || PAGING.test(around)) yield sign;
  }
}

function* headerSigns(header: string, text: string, length: number): Generator<Sign | null> {
  if (header === "link") {
    if (LINK.test(text)) yield "more";
  } else if (header === "content-range") {
    const [, unit, first = "0", total = "*"] = CONTENT_RANGE.exec(text.trim()) ?? [];
    if (unit !== "bytes" && (Number(first) > 0 || Number(total) > length)) yield "more";
  } else if (text.startsWith("{")) {
    if (/pag(?:e|ing|in)/.test(header)) yield* documentSigns(parseDocument(text), undefined, length);
  } else yield readSign(normaliseName(header.replace(/^x-/, "")), text.trim(), length);
}

function readSign(name: string, value: unknown, length: number): Sign | null {
  if (OTHER.test(name)) return null;
  const flag = typeof value === "string" ? value.toLowerCase() : value;
  const isTrue = flag === true || flag === "true";
  const isFlag = isTrue || flag === false || flag === "false";
  if (IS_LAST.test(name) && (isFlag || flag === 0 || flag === "0")) return isTrue ? "end" : "more";
  // That nothing was cut off does not say that this is the last page.
  if (HAS_MORE.test(name) && isFlag) return isTrue ? "more" : CUT_OFF.test(name) ? null : "last";
  if (NEXT.test(name)) {
    if (isNothing(value)) return /next|more/.test(name) ? "end" : null;
    // The members of an object with another name, such as `cursors`, speak for themselves.
    if (isObject(value) && !/^next|evaluated|lastkey|truncated|incomplete/.test(name)) return null;
    return name === "offset" ? "more" : "next";
  }
  const inner = isObject(value) && COUNT.test(name) && Object.hasOwn(value, "value") ? value["value"] : value;
  const isText = typeof inner === "string" && /^[0-9][0-9,]{0,18}$/.test(inner);
  const number = isText ? Number(inner.replaceAll(",", "")) : inner;
  if (typeof number !== "number") return null;
  if (PAGE_NUMBER.test(name)) return number > 1 ? "more" : null;
  if (COUNT.test(name)) {
    // A total below the length is one of pages.
    if (number > length || (number > 1 && (name.includes("page") || (name === "total" && number < length))))
      return "more";
    return COUNT_OF_ALL.test(name) ? "end" : null;
  }
  return PAGE_SIZE.test(name) && number > 0 && number <= length ? "full" : null;
}

/** Whether a value says that there is nothing. */
function isNothing(value: unknown): boolean {
  if (isObject(value)) return Object.values(value).every((one) => isEmpty(one) || one === "");
  if (typeof value === "string") return value.length <= 16 && NOTHING.test(value.trim());
  return isEmpty(value) || value === false || (typeof value === "number" && value <= 0);
}
