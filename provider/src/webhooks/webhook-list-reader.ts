import {
  isArray,
  isObject,
  isScalar,
  nameSet,
  nodesOf,
  parseDocument,
  pointersOf,
  resolvePointer,
  type DocumentNode,
  type JsonObject,
} from "../json.js";
import type { ResponseMapping } from "../plugin/response-mapping.js";
import { ownNodesOf, readState } from "./webhook-state-reader.js";

/** One webhook of a list. */
export interface WebhookReading {
  /** A positive safe integer. */
  readonly webhookId: number;
  /** `null` if it is not beyond doubt. */
  readonly state: "active" | "disabled" | null;
  /** As the service sent it. It may contain secrets. */
  readonly record: JsonObject;
}

/** What says that a list goes on: a header, a setting, or the JSON Pointer of a member beside the records. */
export type MoreSign = "Link" | "responses.complete" | `/${string}`;

/** A list that was read. */
export interface WebhookListReading {
  readonly isReadable: true;
  readonly webhooks: ReadonlyMap<number, WebhookReading>;
  /** `null` if nothing says that the list goes on. */
  readonly moreSign: MoreSign | null;
  /** Where the first of each was found. `webhookId` and `webhookState` are relative to a record. */
  readonly pointers: Readonly<Record<"webhooks" | "webhookId" | "webhookState", string | null>>;
}

/** A list that needs a setting to be read. */
export interface UnreadableList {
  readonly isReadable: false;
  /** The member of `responses` that would help; `null` if the response is not JSON. */
  readonly setting: "webhooks" | "webhookId" | null;
  /** The JSON Pointers that it can have, each of which leads on. */
  readonly pointers: readonly string[];
}

type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;

/** The names on the way to a list, and the ends of further ones. Other lists may hold users or partners. */
const LIST_NAMES = nameSet(
  "data item items result results list value values entry entries record records row rows node nodes edges " +
    "element elements object objects resource resources entity entities model models document documents " +
    "content contents collection collections response responses member members hydraMember payload " +
    "configurations notifications integrations extensions destinations listeners callbacks sinks streams",
);
const LIST_END = /(?:hooks?|subscriptions?|endpoints?)(?:s?list)?$/;
/** The names of IDs. The first that any record has counts for all. */
const ID_NAMES = ["webhookid", "hookid", "id"];
/** Members beside the records that say that there are more of them. */
const NEXT = /^(?:odata|hydra)?next|^loadmore/;
const CURSORS = nameSet(
  "cursor afterCursor continuation continuationToken paginationToken lastEvaluatedKey bookmark scrollId",
);
const MORE = /^(?:has|is)?more|^hasnext|truncated$/;
const LAST = /^(?:is)?(?:last(?:page)?|done)$/;
const PAGES = nameSet("pages totalPages pagesTotal pageCount numPages numberOfPages maxPage lastPage");
const RECORDS =
  "(?:items?|records?|results?|elements?|rows?|entries|(?:web)?hooks?|subscriptions?|endpoints?)";
const TOTAL = new RegExp(
  `^(?:hydra|odata|estimated)?(?:total|count|numfound|total(?:count|number|size|${RECORDS})|` +
    `num(?:ber)?(?:of)?${RECORDS}|${RECORDS}(?:total|count))$`,
);

/** Reads a list of webhooks. Never throws. @param headers By lower-case name. */
export function readWebhookList(
  text: string,
  headers: Headers,
  mapping: ResponseMapping,
): WebhookListReading | UnreadableList {
  const document = parseDocument(text);
  if (document === undefined) return { isReadable: false, setting: null, pointers: [] };
  const list = findList(document, mapping);
  if (list === null) return { isReadable: false, setting: "webhooks", pointers: listPointers(document) };
  const records = list.value ?? []; // Services in Go send null for an empty array.
  const { ids, pointer } = readIds(records, mapping);
  if (ids === null) return { isReadable: false, setting: "webhookId", pointers: idPointers(records) };
  const states = records.map((record) => readState(record, mapping));
  const webhooks = records.map((record, index): WebhookReading => {
    return { webhookId: ids[index] ?? 0, state: states[index]?.state ?? null, record };
  });
  return {
    isReadable: true,
    webhooks: new Map(webhooks.map((webhook) => [webhook.webhookId, webhook])),
    moreSign: moreSignOf(document, list.value, headers, mapping),
    pointers: {
      webhooks: list.pointer,
      webhookId: pointer,
      webhookState: states.find(({ state }) => state !== null)?.pointer ?? null,
    },
  };
}

/** Finds the list at the setting, or the only array of objects on whose way every name is usual. */
function findList(
  document: unknown,
  { webhooks: setting }: ResponseMapping,
): { readonly value: readonly JsonObject[] | null; readonly pointer: string } | null {
  if (setting !== undefined) {
    const value = resolvePointer(document, setting);
    return value === null || isRecords(value) ? { value, pointer: setting } : null;
  }
  const isUsual = ({ name, parent }: DocumentNode): boolean => parent === null || isListName(name);
  const [list, ...others] = nodesOf(document, (node) => isObject(node.value) && isUsual(node))
    .filter(isUsual)
    .flatMap(({ value, pointer }) => (isRecords(value) ? [{ value, pointer }] : []));
  return others.length === 0 ? (list ?? null) : null;
}

function isListName(name: string): boolean {
  return LIST_NAMES.has(name) || LIST_END.test(name);
}

function isRecords(value: unknown): value is readonly JsonObject[] {
  return isArray(value) && value.every(isObject);
}

/** Returns the JSON Pointers to possible lists: those with IDs, or all if none has any. */
function listPointers(document: unknown): string[] {
  const nodes = nodesOf(document, ({ value }) => isObject(value)).filter(
    ({ value, name }) => isRecords(value) || (value === null && isListName(name)),
  );
  const withIds = nodes.filter(({ value }) => isRecords(value) && idPointers(value).length > 0);
  return pointersOf(withIds.length > 0 ? withIds : nodes);
}

/** Reads the ID of each record; `null` unless every record has one, and each another. */
function readIds(
  records: readonly JsonObject[],
  { webhookId: setting }: ResponseMapping,
): { readonly ids: readonly number[] | null; readonly pointer: string | null } {
  if (setting !== undefined) return { ids: idsAt(records, setting), pointer: setting };
  const owns = records.map(ownNodesOf);
  const named = (own: readonly DocumentNode[], name: string | undefined): DocumentNode[] =>
    own.filter((node) => node.name === name && node.value !== null);
  const name = ID_NAMES.find((one) => owns.some((own) => named(own, one).length > 0));
  const ids = owns.map((own) => {
    const [id = null, ...others] = new Set(named(own, name).map(({ value }) => toWebhookId(value)));
    return others.length === 0 ? id : null;
  });
  return { ids: distinct(ids), pointer: named(owns[0] ?? [], name)[0]?.pointer ?? null };
}

function idsAt(records: readonly JsonObject[], pointer: string): number[] | null {
  return distinct(records.map((record) => toWebhookId(resolvePointer(record, pointer))));
}

function distinct(ids: readonly (number | null)[]): number[] | null {
  const known = ids.filter((id) => id !== null);
  return new Set(known).size === ids.length ? known : null;
}

/** Returns a positive safe integer, or its decimal digits, as an ID. A bigint is none: no number holds it. */
function toWebhookId(value: unknown): number | null {
  const isId = ["number", "string"].includes(typeof value) && /^[1-9]\d{0,15}$/.test(String(value));
  return isId && Number.isSafeInteger(Number(value)) ? Number(value) : null;
}

/** Returns the JSON Pointers at which every record has an ID, and each another. */
function idPointers(records: readonly JsonObject[]): string[] {
  const nodes = records.slice(0, 1).flatMap((first) => nodesOf(first, ({ value }) => isObject(value)));
  const isId = ({ value, pointer }: DocumentNode): boolean =>
    toWebhookId(value) !== null && idsAt(records, pointer) !== null;
  return pointersOf(nodes.filter(isId));
}

/** Returns what says that a list goes on. Nothing else is a sign, and the setting overrules them all. */
function moreSignOf(
  document: unknown,
  list: readonly JsonObject[] | null,
  headers: Headers,
  { complete }: ResponseMapping,
): MoreSign | null {
  if (complete !== undefined) return complete ? null : "responses.complete";
  const links = [headers["link"] ?? []].flat();
  if (links.some((link) => /\brel\s{0,3}=\s{0,3}"?(?:[^\s",;]{1,40} ){0,3}next\b/i.test(link))) return "Link";
  const beside = nodesOf(document, ({ value }) => value !== list && !isArray(value));
  const sign = beside.find((node) => node.value !== list && isSign(node, list?.length ?? 0));
  return (sign?.pointer ?? null) as MoreSign | null;
}

function isSign({ name, value }: DocumentNode, length: number): boolean {
  if (NEXT.test(name) || CURSORS.has(name)) return leadsOn(value);
  if (isArray(value)) return value.some((one) => isObject(one) && (one["rel"] === "next" || hasId(one)));
  const text = String(isScalar(value) ? value : "");
  if ((MORE.test(name) && text === "true") || (LAST.test(name) && text === "false")) return true;
  return (PAGES.has(name) && Number(text) > 1) || (TOTAL.test(name) && Number(text) > length);
}

/** Whether a value leads anywhere. An address may be in an object, such as `{ href: null }`. */
function leadsOn(value: unknown): boolean {
  if (isArray(value)) return value.length > 0;
  return isObject(value) ? Object.values(value).some(Boolean) : Boolean(value);
}

function hasId(record: JsonObject): boolean {
  return ownNodesOf(record).some(({ name }) => ID_NAMES.includes(name));
}
