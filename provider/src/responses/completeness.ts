import { isEmpty, isObject, MAX_NODES, nameSet, nodesOf, normalizeName, type DocumentNode } from "../json.js";

/** The headers of a response, by lower-case name. */
export type ResponseHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/**
 * What a member says about further pages. `more` and `last` are explicit. `next` is a cursor, an address or a
 * number of records that remain, which some services send even with the last page. `cursor` is one whose name
 * does not say "next", so it may be the position of this page. `end` is an empty one, or
 * a number that fits the list. `short` is a page size that the list does not reach. `place` only says which
 * page this is. `unclear` may be a sign.
 */
type Sign = "more" | "last" | "next" | "cursor" | "end" | "short" | "place" | "unclear" | null;

export const MORE = nameSet(
  "more hasMore isMore moreAvailable hasNext hasNextPage hasMoreItems hasMoreResults",
);
/** Flags that say that something was left out. False, they say nothing: the list may still have pages. */
const CUT_OFF = nameSet(
  "truncated isTruncated resultsTruncated partial isPartial partialResults incomplete isIncomplete " +
    "incompleteResults limitReached limitExceeded cutOff",
);
const REMAINING = nameSet(
  "remaining remainingCount remainingItems remainingItemCount remainingResults itemsRemaining left",
);
/** Objects about requests, in which something else remains. */
const QUOTA = /(?:rate|quota|usage|credit|throttl)[a-z_-]{0,16}\/[^/]*$/i;
export const LAST = nameSet("last isLast lastPage isLastPage done isDone isEnd");
const NEXT = nameSet(
  "next nextPage nextCursor nextToken nextPageToken nextPageUrl nextUrl nextLink nextOffset nextMarker " +
    "continue continuationToken",
);
const CURSOR = nameSet("cursor endCursor after iterator marker pageToken scrollId");
export const TOTAL = nameSet(
  "total totalCount totalItems totalRecords totalResults totalElements totalRows totalSize itemsTotal " +
    "estimatedTotal recordsTotal numFound hydraTotalItems odataCount",
);
const COUNT = nameSet("count resultCount");
export const PAGES = nameSet("totalPages pagesTotal pageCount pages numPages numberOfPages maxPage lastPage");
const PAGE_SIZE = nameSet(
  "limit perPage pageSize pageLen pageLimit itemsPerPage maxResults size take top rows",
);
/**
 * Words in any other name: that of a cursor or an address, that of what may be a sign, and that of the place
 * of a page.
 */
const NEXT_WORDS = nameSet("next more");
const PAGE_WORDS = nameSet(
  "pages paging pagination last total count token marker iterator continue continuation scroll remaining " +
    "left truncated partial incomplete range",
);
const PLACE_WORDS = nameSet("page prev previous first offset skip start from limit size");
const WORD = /[A-Z]?[a-z]+|[A-Z]+/g;
/** What the names of headers may begin with. */
export const PREFIX = /^(?:x-)?(?:pagination-|paging-)?/;
export const LINK_TO_NEXT = /\brel\s{0,3}=\s{0,3}"?(?:[^\s",;]{1,40} ){0,3}next\b/i;

/** The records of a document: the values that hold them, and their number. */
export interface ListExtent {
  readonly parts: readonly unknown[];
  readonly length: number;
}

/** Whether a page is the last one because nothing leads on from it; `likely` if nothing ever did. */
export type PageEnd = "proven" | "likely" | null;

/** How much of a list was read, up to and with one of its pages. */
export interface ReadExtent {
  readonly pages: number;
  /** The number of distinct records. */
  readonly records: number;
}

/**
 * Whether a list is complete: nothing outside it may be a sign of another page, or a sign says that this is
 * the last.
 *
 * @param read A total is compared with it, and the number of pages.
 * @param end Outvotes all signs but explicit ones, and a likely one only those that do not say "next".
 */
export function isComplete(
  document: unknown,
  list: ListExtent,
  headers: ResponseHeaders,
  read: ReadExtent,
  end: PageEnd,
): boolean {
  const signs = new Set<Sign>();
  let count = 0;
  for (const node of nodesOf(document, ({ value }) => !list.parts.includes(value))) {
    count += 1;
    if (!list.parts.includes(node.value)) signs.add(readMember(node, list.length, read));
  }
  if (count === MAX_NODES) return false; // The rest may hold a sign.
  for (const [header, values = []] of Object.entries(headers))
    for (const text of [values].flat()) signs.add(readHeader(header, text, list.length, read));
  if (signs.has("more")) return false;
  if (signs.has("last") || end === "proven") return true;
  if (signs.has("next")) return false;
  if (end === "likely") return true;
  if (signs.has("cursor")) return false;
  // A page that is not full settles only which page this is: it may have been filtered after it was cut.
  // After the first page, so does one that leads to no other, as those before did.
  const isPlaced = signs.has("short") || read.pages > 1 || !signs.has("place");
  return signs.has("end") || (!signs.has("unclear") && isPlaced);
}

/** Returns the total that a document or a header shows, unless it is an estimate; `null` if there is none. */
export function readTotal(document: unknown, list: ListExtent, headers: ResponseHeaders): number | null {
  const isTotal = (name: string, value: unknown): boolean =>
    TOTAL.has(name) && name !== "estimatedtotal" && /^\d{1,15}$/.test(String(value));
  for (const { name, value } of nodesOf(document, (node) => !list.parts.includes(node.value)))
    if (isTotal(name, value)) return Number(value);
  for (const [header, value] of Object.entries(headers))
    if (isTotal(normalizeName(header.replace(PREFIX, "")), value)) return Number(value);
  return null;
}

function readMember(node: DocumentNode, length: number, read: ReadExtent): Sign {
  if (REMAINING.has(node.name) && Number(node.value) > 0)
    return QUOTA.test(node.pointer ?? "") ? null : "next";
  return readSign(node.name, node.value, length, read) ?? readWords(node);
}

/** Reads a member or a header by its whole name. */
function readSign(name: string, value: unknown, length: number, read: ReadExtent): Sign {
  if (NEXT.has(name)) return isNothing(value) ? "end" : "next";
  if (CURSOR.has(name)) return isNothing(value) ? "end" : "cursor";
  const flag = asFlag(value);
  if (MORE.has(name) && flag !== null) return flag ? "more" : "last";
  if (LAST.has(name) && flag !== null) return flag ? "last" : "more";
  if (CUT_OFF.has(name)) return isNothing(value) || flag === false ? null : "more";
  const number = typeof value === "string" && value !== "" ? Number(value) : value;
  if (typeof number !== "number" || Number.isNaN(number)) return null;
  if (TOTAL.has(name) && number < length) return "unclear";
  if (TOTAL.has(name)) return number > read.records ? "more" : "end";
  if (COUNT.has(name)) return number > read.records ? "more" : null;
  if (PAGES.has(name)) return number > read.pages ? "more" : "end";
  if (!PAGE_SIZE.has(name)) return null;
  return number > length ? "short" : "place";
}

/** Whether a value leads nowhere. An address may be in an object, such as `{ href: null }`. */
export function isNothing(value: unknown): boolean {
  return isEmpty(value) || (isObject(value) && Object.values(value).every(isEmpty));
}

/** Reads a flag, which a header holds as text; `null` for any other value. A number may count something. */
export function asFlag(value: unknown): boolean | null {
  const text = typeof value === "string" ? value.trim().toLowerCase() : value;
  if (text === true || text === "true") return true;
  return text === false || text === "false" ? false : null;
}

/** Reads a member by the words in its name. A link may be named by its value. */
function readWords({ token, name, value }: DocumentNode): Sign {
  if (value === "next") return "next";
  if (typeof value === "object" || isEmpty(value) || COUNT.has(name)) return null;
  const words = (token.slice(0, 64).match(WORD) ?? []).map((word) => word.toLowerCase());
  if (words.some((word) => NEXT_WORDS.has(word))) return "next";
  if (words.includes("cursor")) return "cursor";
  if (words.some((word) => PAGE_WORDS.has(word))) return "unclear";
  return words.some((word) => PLACE_WORDS.has(word)) ? "place" : null;
}

function readHeader(header: string, text: string, length: number, read: ReadExtent): Sign {
  if (header === "link") return LINK_TO_NEXT.test(text) ? "more" : null;
  if (header === "x-pagination" || header === "content-range") return "unclear";
  return readSign(normalizeName(header.replace(PREFIX, "")), text, length, read);
}
