import { resolvePointer } from "../json.js";
import { isNothing, type PageEnd, type ResponseHeaders } from "./completeness.js";
import type { ResponseMapping } from "./mapping.js";
import { hasNextAddress, type PagePosition, type PageRecords } from "./next-page.js";

/**
 * Reads what a page says by what it does not have: a page without the value that leads from each page to the
 * next is the last one. Facebook shows its cursors on that page too, so they do not count.
 */
export function readPageEnd(
  document: unknown,
  headers: ResponseHeaders,
  page: Pick<PageRecords, "parts">,
  { nextPage }: ResponseMapping,
  { number, followed }: PagePosition,
): PageEnd {
  if (nextPage !== undefined) {
    const value = resolvePointer(document, nextPage);
    if (!isNothing(value)) return null;
    // On the first page, a pointer to nothing may also be wrong.
    return value !== undefined || number > 1 ? "proven" : "likely";
  }
  if (followed === null) return null;
  const { pointer } = followed;
  const isAbsent = pointer === null || isNothing(resolvePointer(document, pointer));
  return isAbsent && !hasNextAddress(document, headers, page) ? "proven" : null;
}
