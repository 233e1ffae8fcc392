import { isEmpty, isObject, names, normalizeName, parseDocument, walk } from "./document.js";

/** The headers of a response, by lower-case name. */
export type ResponseHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/**
 * What a member says about further pages. `more` and `last` are explicit. `next` is a cursor or an address, which some services
 * send even with the last page. `end` is an empty one, or a number that fits the list. `unclear` may be a sign.
 */
type Sign = "more" | "last" | "next" | "end" | "unclear" | null;
type ReadSign = (value: unknown, length: number) => Sign;

const readPages: ReadSign = (value) => readNumber(value, (pages) => (pages > 1 ? "more" : "end"));
const readNext: ReadSign = (value) => (isNothing(value) ? "end" : "next");

/** The signs by name. Any name that begins with `next` is a sign, too. */
const SIGNS: readonly (readonly [ReadonlySet<string>, ReadSign])[] = [
  [
    names("hasMore more isMore moreAvailable hasNext hasNextPage hasMoreItems hasMoreResults"),
    (value) => readFlag(value, "more", "last"),
  ],
  [names("isLast isLastPage done isDone isEnd"), (value) => readFlag(value, "last", "more")],
  // A flag in Spring, a number of pages in Laravel.
  [
    names("last lastPage"),
    (value) => (typeof value === "boolean" ? readFlag(value, "last", "more") : readPages(value, 0)),
  ],
  [
    names(
      "cursor endCursor after iterator marker continue continuationToken pageToken paginationToken scrollId bookmark",
    ),
    readNext,
  ],
  [names("prev previous prevPage previousPage"), (value) => (isNothing(value) ? null : "next")],
  [
    names(
      "total totalCount totalItems totalRecords totalResults totalElements totalRows totalSize estimatedTotal " +
        "recordsTotal numFound hydraTotalItems odataCount",
    ),
    (value, length) =>
      readNumber(value, (total) => (total > length ? "more" : total === length ? "end" : "unclear")),
  ],
  [
    names("count resultCount"),
    (value, length) => readNumber(value, (count) => (count > length ? "more" : null)),
  ],
  [names("totalPages pageCount pages numPages numberOfPages maxPage"), readPages],
  [
    names("page currentPage pageNumber pageIndex"),
    (value) => readNumber(value, (page) => (page > 1 ? "more" : "unclear")),
  ],
  [
    names("offset skip start startAt startIndex from"),
    (value) => readNumber(value, (offset) => (offset > 1 ? "more" : null)),
  ],
  [
    names("limit perPage pageSize pageLen pageLimit itemsPerPage maxResults size take top rows"),
    (value, length) => readNumber(value, (size) => (size > length ? "end" : "unclear")),
  ],
];

/** Words in other names that may be about pages. A name with `more` or `cursor` is an address or a cursor. */
const PAGE_WORDS = names(
  "page pages paging pagination prev previous last first offset skip limit size total count token marker iterator continue " +
    "continuation scroll remaining left truncated partial incomplete range",
);
const NEXT_WORDS = names("next more cursor");
const WORD = /[A-Z]?[a-z]+|[A-Z]+/g;
const LINK_TO_NEXT = /\brel\s{0,3}=\s{0,3}"?(?:[^\s",;]{1,40} ){0,3}(?:next|prev|previous)\b/i;
/** The end of `Content-Range: items 0-9/57`. */
const RANGE_TOTAL = /\/([0-9]{1,9})$/;

/**
 * Whether a list is complete: nothing in the response, outside the records, may be a sign of another page, or a sign says that
 * this is the last.
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
  const signs = new Set<Sign>(status === 206 ? ["more"] : signsIn(document, list, list.length));
  for (const [header, values = []] of Object.entries(headers))
    for (const text of [values].flat())
      for (const sign of headerSigns(header, text, list.length)) signs.add(sign);
  if (signs.has("more")) return false;
  if (signs.has("last")) return true;
  return !signs.has("next") && (signs.has("end") || !signs.has("unclear"));
}

function* signsIn(document: unknown, list: unknown, length: number): Generator<Sign> {
  for (const { token, name, value } of walk(document, (node) => node.value !== list))
    if (value !== list) yield readSign(name, value, length) ?? readWords(token, value);
}

function* headerSigns(header: string, text: string, length: number): Generator<Sign> {
  if (header === "link" && LINK_TO_NEXT.test(text)) yield "more";
  if (header === "content-range") yield readSign("total", RANGE_TOTAL.exec(text)?.[1], length);
  if (!header.startsWith("x-")) return;
  yield readSign(normalizeName(header.slice(2)), text, length);
  // ASP.NET sends an object in X-Pagination.
  if (text.startsWith("{")) yield* signsIn(parseDocument(text), null, length);
}

function readSign(name: string, value: unknown, length: number): Sign {
  if (name.startsWith("next")) return readNext(value, length);
  return SIGNS.find(([signs]) => signs.has(name))?.[1](value, length) ?? null;
}

/** Reads a member that has none of the known names. Links may be named by their value. */
function readWords(token: string, value: unknown): Sign {
  if (value === "next") return "next";
  if (typeof value === "object" || isEmpty(value)) return null;
  const words = (token.slice(0, 64).match(WORD) ?? []).map((word) => word.toLowerCase());
  if (words.some((word) => NEXT_WORDS.has(word))) return "next";
  return words.some((word) => PAGE_WORDS.has(word)) ? "unclear" : null;
}

function readFlag(value: unknown, ifTrue: Sign, ifFalse: Sign): Sign {
  const word = String(value).toLowerCase();
  if (word === "true") return ifTrue;
  if (word === "false") return ifFalse;
  return typeof value === "object" || isEmpty(value) ? null : "unclear";
}

function readNumber(value: unknown, read: (number: number) => Sign): Sign {
  if (value === null || value === undefined || value === "" || typeof value === "object") return null;
  const number = Number(value);
  return Number.isNaN(number) ? "unclear" : read(number);
}

/** Whether a cursor or an address is missing. */
function isNothing(value: unknown): boolean {
  return isEmpty(value) || (isObject(value) && Object.values(value).every(isEmpty));
}
