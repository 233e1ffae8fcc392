import { OPERATIONS } from "../api/operations.js";
import {
  isEmpty,
  isObject,
  isScalar,
  nameSet,
  nodesOf,
  normalizeName,
  pointersOf,
  resolvePointer,
} from "../json.js";
import {
  asFlag,
  isNothing,
  LAST,
  LINK_TO_NEXT,
  MORE,
  PAGES,
  PREFIX,
  TOTAL,
  type ListExtent,
  type PageEnd,
  type ResponseHeaders,
} from "./completeness.js";
import type { ResponseMapping } from "./mapping.js";
import { asNamed, CURSORS, isDigits, OFFSETS, PAGE_NUMBERS, type Field } from "./page-parameters.js";

/** Where the next page of a list is. */
export type NextPage = Readonly<
  /** At one of these addresses, which may be relative to that of the list. Untrusted. */
  | { kind: "address"; addresses: readonly string[]; pointer: string | null }
  /** At the address of this page, with a query parameter. `isGuess`: its name is not in the response. */
  | { kind: "parameter"; parameter: string; value: string; isGuess: boolean; pointer: string | null }
  /** There may be one, but not how to request it. `pointers`: to what may say so, or may be its address. */
  | { kind: "unknown"; pointers: readonly string[]; isAddress: boolean }
>;

/** The position of a page in its list. */
export interface PagePosition {
  /** 1 for the first page. */
  readonly number: number;
  /** The number of records on the pages before. */
  readonly recordsBefore: number;
  /** How many of them are no webhooks that can be managed. */
  readonly othersBefore: number;
  /** The webhooks on the pages before, by ID. */
  readonly known: Pick<ReadonlyMap<number, unknown>, "has" | "size">;
  /** The address that led to this page; `null` if none did. */
  readonly followed: Pick<Extract<NextPage, { kind: "address" }>, "pointer"> | null;
}

/** The position of a page that is the whole list, as far as is known. */
export const FIRST_PAGE: PagePosition = {
  number: 1,
  recordsBefore: 0,
  othersBefore: 0,
  known: new Map(),
  followed: null,
};

/** What a page shows of its records. */
export interface PageRecords extends ListExtent {
  /** The ID of the last record; `null` if it is unknown. */
  readonly lastId: number | null;
}

/**
 * Names of an address: Django REST (`next`), JSON:API (`links.next`), HAL (`_links.next.href`), Laravel
 * (`next_page_url`), Twilio (`next_page_uri`), OData (`@odata.nextLink`), API Platform (`hydra:next`).
 */
const ADDRESSES = nameSet(
  "next nextPage nextUrl nextUri nextHref nextLink nextPageUrl nextPageUri nextPageLink " +
    "odataNextLink hydraNext",
);
/** Discourse: `load_more_web_hooks`. */
const LOAD_MORE = /^loadmore/;
/** Names of the address in an object that stands for the next page: HAL, HubSpot, Asana, Oracle. */
const ADDRESS_PARTS = nameSet("href url uri link path ref");
const ADDRESS = /^(?:https?:)?\/|^\?|^[^\s?]{0,200}\?[^\s=]{1,200}=/i;

/** The ID of the last record: OpenAI. */
const LAST_ID = nameSet("lastId");
/** In the names of what may be the value for the next page, to propose for `responses.nextPage`. */
const CANDIDATE = /next|cursor|marker|continu|scroll|pagetoken/;
/** In the names of addresses of other pages. */
const OTHER_PAGE = /self|prev|back|first|last|current/;
const LIST_SEGMENT = OPERATIONS.listWebhooks.template.slice(1);
/** Longer values are not sent: many servers refuse a request line of more than 8 KB. */
const MAX_VALUE = 4096;

/**
 * Finds the next page of a list that may have one, by the names that services use, or by the settings.
 *
 * @returns `null` if nothing tells how to request it, or if there is none.
 */
export function findNextPage(
  document: unknown,
  headers: ResponseHeaders,
  page: PageRecords,
  mapping: ResponseMapping,
  position: PagePosition,
): NextPage | null {
  if (mapping.nextPage !== undefined) return configuredPage(document, mapping.nextPage, mapping, position);
  const fields = fieldsOf(document, headers, page);
  const more = hasMore(fields, page, position);
  if (mapping.pageParameter !== undefined) {
    const isLast = more === false || page.length === 0;
    return isLast ? null : parameter(mapping.pageParameter, position.number + 1, null, false);
  }
  const found = findAddress(fields, headers) ?? findCursor(fields, position);
  if (found !== null) return found;
  const numbered = more === true ? findNumber(fields, page) : null;
  if (numbered !== null) return numbered;
  const addresses = fields.filter(
    ({ name, parentName, value }) => isListAddress(value) && !OTHER_PAGE.test(`${parentName} ${name}`),
  );
  if (addresses.length > 0) return { kind: "unknown", pointers: pointersOf(addresses), isAddress: true };
  const last = more === true ? findLastId(fields, page) : null;
  if (last !== null) return last;
  const candidates = fields.filter(({ name, value }) => CANDIDATE.test(name) && isValue(value));
  const pointers = pointersOf(candidates);
  return candidates.length === 0 ? null : { kind: "unknown", pointers, isAddress: false };
}

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
  return isAbsent && findAddress(fieldsOf(document, headers, page), headers) === null ? "proven" : null;
}

/** Reads the value at `responses.nextPage`, which is the only source. */
function configuredPage(
  document: unknown,
  pointer: string,
  { pageParameter }: ResponseMapping,
  position: PagePosition,
): NextPage | null {
  const value = resolvePointer(document, pointer);
  if (isEmpty(value)) return null;
  const unknown = { kind: "unknown", pointers: [pointer], isAddress: false } as const;
  if (!isValue(value)) return unknown;
  if (pageParameter !== undefined) return parameter(pageParameter, value, pointer, false);
  if (isAddress(value)) return { kind: "address", addresses: [value], pointer };
  const [token = "", parent = ""] = pointer.split("/").reverse();
  const [name, parentName] = [normalizeName(token), normalizeName(parent)];
  const field = { name, parentName, token, value, pointer };
  return findCursor([field], position) ?? unknown;
}

/** Finds the link of RFC 8288, or a member that is an address. */
function findAddress(fields: readonly Field[], { link = [] }: ResponseHeaders): NextPage | null {
  const links = [link].flat().flatMap((text) => [...text.matchAll(/<([^<>]{0,4096})>([^<]*)/g)]);
  const targets = links.flatMap(([, target = "", rest = ""]) => (LINK_TO_NEXT.test(rest) ? [target] : []));
  if (targets.length > 0) return { kind: "address", addresses: targets, pointer: null };
  const found = fields.filter(
    ({ name, parentName, value }) =>
      isAddress(value) &&
      (ADDRESSES.has(name) || LOAD_MORE.test(name) || (ADDRESSES.has(parentName) && ADDRESS_PARTS.has(name))),
  );
  const addresses = found.map(({ value }) => String(value));
  return found[0] === undefined ? null : { kind: "address", addresses, pointer: found[0].pointer };
}

function findCursor(fields: readonly Field[], position: PagePosition): NextPage | null {
  for (const [names, parameterOf] of CURSORS)
    for (const field of fields) {
      const name = names.has(field.name) && isValue(field.value) ? parameterOf(field, position.number) : null;
      if (name !== null) return parameter(name, String(field.value), field.pointer);
    }
  return null;
}

/** Finds the number of the next page, or its offset. */
function findNumber(fields: readonly Field[], { length }: PageRecords): NextPage | null {
  const pages = fields.find(({ name, value }) => PAGES.has(name) && isDigits(value));
  for (const [names, parameterOf] of PAGE_NUMBERS)
    for (const field of fields) {
      if (!names.has(field.name) || !isDigits(field.value)) continue;
      if (field.name === "number" && field.parentName !== pages?.parentName) continue;
      const name = parameterOf(field, FIRST_PAGE.number);
      if (name !== null) return parameter(name, Number(field.value) + 1, field.pointer);
    }
  for (const field of fields) {
    const name = OFFSETS.has(field.name) && isDigits(field.value) ? asNamed(field, FIRST_PAGE.number) : null;
    // Plus what arrived, not plus the limit: a service may return less, and no record may be skipped.
    if (name !== null) return parameter(name, Number(field.value) + length, field.pointer);
  }
  return null;
}

/** Finds the record before the next page. */
function findLastId(fields: readonly Field[], { lastId }: PageRecords): NextPage | null {
  const last = fields.find(({ name, value }) => LAST_ID.has(name) && isValue(value));
  if (last !== undefined) return parameter("after", String(last.value), last.pointer);
  const isSaid = fields.some(({ name, value }) => saysMore(name, value) === true);
  return isSaid && lastId !== null ? parameter("starting_after", lastId, null) : null; // Stripe
}

function saysMore(name: string, value: unknown): boolean | null {
  const flag = asFlag(value);
  if (flag === null) return null;
  if (MORE.has(name)) return flag;
  return LAST.has(name) ? !flag : null;
}

/** Whether a list has more pages, by what says so explicitly; `null` if nothing does. */
function hasMore(
  fields: readonly Field[],
  { length }: PageRecords,
  { number, recordsBefore }: PagePosition,
): boolean | null {
  const signs = fields.flatMap(({ name, value }) => {
    if (!isDigits(value)) return saysMore(name, value) ?? [];
    if (TOTAL.has(name)) return [Number(value) > recordsBefore + length];
    return PAGES.has(name) ? [Number(value) > number] : [];
  });
  return signs.length === 0 ? null : signs.includes(true);
}

function fieldsOf(document: unknown, headers: ResponseHeaders, page: Pick<PageRecords, "parts">): Field[] {
  return [...memberFields(document, page), ...headerFields(headers)];
}

/** Returns the members outside the records. A link in an array has the name of its relation. */
function* memberFields(document: unknown, { parts }: Pick<PageRecords, "parts">): Generator<Field> {
  for (const node of nodesOf(document, ({ value }) => !parts.includes(value))) {
    if (parts.includes(node.value)) continue;
    yield node;
    if (isObject(node.value) && node.value["rel"] === "next")
      for (const child of ["href", "url", "uri"])
        yield { name: "next", parentName: "", value: node.value[child], token: "", pointer: null };
  }
}

function headerFields(headers: ResponseHeaders): Field[] {
  return Object.entries(headers).map(([header, value]) => {
    const name = normalizeName(header.replace(PREFIX, ""));
    return { name, parentName: "", value, token: "", pointer: null };
  });
}

function parameter(
  name: string,
  value: string | number,
  pointer: string | null,
  isGuess = true,
): NextPage & { readonly kind: "parameter" } {
  return { kind: "parameter", parameter: name, value: String(value), isGuess, pointer };
}

function isAddress(value: unknown): value is string {
  return typeof value === "string" && value.length <= MAX_VALUE && ADDRESS.test(value);
}

/** Whether a value is an address with the last segment of the path of a list, and a query. */
function isListAddress(value: unknown): boolean {
  if (!isAddress(value)) return false;
  const [path = "", query] = value.split("?", 2);
  return query !== undefined && (path === "" || path.split("/").at(-1) === LIST_SEGMENT);
}

/** Whether a value can be sent as that of a parameter. */
function isValue(value: unknown): value is string | number {
  return (
    isScalar(value) && typeof value !== "boolean" && !isEmpty(value) && String(value).length <= MAX_VALUE
  );
}
