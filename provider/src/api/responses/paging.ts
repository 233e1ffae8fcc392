import { isArray, isObject, type JsonObject } from "./json.js";
import { normalise } from "./names.js";
import { headerMembers, type Headers } from "./paging-headers.js";
import { resolve, type Pointer } from "./pointer.js";

/** Objects beside the list that may speak about its pages. */
const PAGING_OBJECTS = new Set([
  ...["meta", "metadata", "page", "pages", "pageable", "pageinfo", "paginator", "responsemetadata"],
  ...["paging", "paginginfo", "pagination", "paginationinfo", "link", "links", "cursor", "cursors"],
]);
const MORE_NAMES = new Set(["more", "moreavailable", "moreresults", "truncated", "istruncated"]);
const LAST_NAMES = new Set(["last", "islast", "lastpage", "islastpage"]);
const PAGES_NAMES = new Set(["pages", "totalpages", "pagecount", "pagescount", "numpages", "lastpage"]);
const TOTAL_NAMES = new Set([
  ...["total", "totalcount", "totalitems", "totalresults", "totalrecords", "totalelements", "totalentries"],
  ...["totalsize", "numfound"],
]);
/** A total, or only the length of the page: no more than the length says nothing. */
const COUNT_NAMES = new Set(["count", "itemcount", "recordcount", "resultcount"]);
const PAGE_SIZE_NAMES = new Set(["limit", "perpage", "pagesize", "pagelimit"]);

/** What a member says about further pages; `null` if nothing. `full` is only a suspicion: a page size that the list fills. */
type Sign = "more" | "last" | "full" | null;

/**
 * Whether a list is all there is: nothing beside it, on the way to it or in the headers tells of a further page.
 *
 * @param path where the list is in the document.
 * @param length how many records it has.
 */
export function isComplete(
  root: unknown,
  path: Pointer,
  length: number,
  linkHeader: string | undefined,
  headers: Headers = {},
): boolean {
  if (linkHeader !== undefined && linksToNext(linkHeader)) return false;
  const signs = new Set<Sign>();
  for (const object of pagingObjects(root, path)) {
    for (const [name, value] of Object.entries(object)) signs.add(readSign(normalise(name), value, length));
  }
  for (const { name, value } of headerMembers(headers)) signs.add(readSign(name, value, length));
  return !signs.has("more") && (signs.has("last") || !signs.has("full"));
}

/** The objects on the way to the list, and the paging objects in them at any depth. */
function pagingObjects(root: unknown, path: Pointer): Set<JsonObject> {
  const objects = new Set(path.map((_, depth) => resolve(root, path.slice(0, depth))).filter(isObject));
  // `objects` grows while it is walked.
  for (const object of objects) {
    for (const [rawName, value] of Object.entries(object)) {
      if (!PAGING_OBJECTS.has(normalise(rawName))) continue;
      if (isObject(value)) objects.add(value);
      // Links may be a list of { rel, href }: the same as one member named after each rel.
      else if (isArray(value)) for (const link of value) objects.add(linkAsMember(link));
    }
  }
  return objects;
}

function linkAsMember(link: unknown): JsonObject {
  const rel = resolve(link, ["rel"]);
  const href = resolve(link, ["href"]);
  return typeof rel === "string" ? { [rel]: href === undefined ? true : href } : {};
}

function readSign(name: string, value: unknown, length: number): Sign {
  const number = toNumber(value);
  // Any name with "next" in it: nextPageToken, hasNextPage, @odata.nextLink.
  if (
    name.includes("next") ||
    name.startsWith("hasmore") ||
    name.startsWith("continuation") ||
    MORE_NAMES.has(name)
  ) {
    return isNothing(value) ? "last" : "more";
  }
  if (LAST_NAMES.has(name) && typeof value === "boolean") return value ? "last" : "more";
  if (number === null) return null;
  if (PAGES_NAMES.has(name)) return number > 1 ? "more" : "last";
  if (TOTAL_NAMES.has(name)) return number > length ? "more" : "last";
  if (COUNT_NAMES.has(name)) return number > length ? "more" : null;
  return PAGE_SIZE_NAMES.has(name) && number > 0 && number <= length ? "full" : null;
}

/** Whether the value of a "next" says that there is none. */
function isNothing(value: unknown): boolean {
  if (value === null || value === false || value === "" || value === "false") return true;
  if (typeof value === "number") return value <= 0;
  return typeof value === "object" && Object.keys(value).length === 0;
}

function toNumber(value: unknown): number | null {
  if (typeof value === "number") return value;
  return typeof value === "string" && /^[0-9]{1,15}$/.test(value) ? Number(value) : null;
}

/** Whether a `Link` header (RFC 8288) has a link with the relation "next". What stands in a URL may only be mistaken for one. */
function linksToNext(header: string): boolean {
  return header
    .toLowerCase()
    .split(/[;,]/)
    .some((part) => {
      const [name, value] = part.split("=", 2);
      return (
        name?.trim() === "rel" &&
        value !== undefined &&
        value.replaceAll('"', " ").split(/\s+/).includes("next")
      );
    });
}
