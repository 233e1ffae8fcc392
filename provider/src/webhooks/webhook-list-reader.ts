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
} from "../bodies/json.js";
import type { ResponseMapping } from "../bodies/response-mapping.js";
import { hasIdMember, identify, idPointers, type IdentifiedRecord } from "./webhook-id-reader.js";
import { readState, type StateReading } from "./webhook-state-reader.js";

/** One webhook of a list. */
export type WebhookReading = IdentifiedRecord & StateReading;

/** What says that a list is incomplete: a header, a setting, or the JSON Pointer to a value outside it. */
export type IncompleteSign = "Link" | "responses.complete" | "" | `/${string}`;

/** A list that was read. */
export interface WebhookListReading {
  readonly isReadable: true;
  /** The JSON Pointer to the records. */
  readonly pointer: string;
  /** By ID, in the order of the service. */
  readonly webhooks: ReadonlyMap<number, WebhookReading>;
  /** `null` if nothing says that the list is incomplete. */
  readonly incompleteSign: IncompleteSign | null;
}

/** A list that needs a setting to be read. */
export interface UnreadableList {
  readonly isReadable: false;
  /** The member of `responses` that would help; `null` if the response is not JSON. */
  readonly setting: "webhooks" | "webhookId" | null;
  /** The JSON Pointers that it can have, each of which would work. */
  readonly pointers: readonly string[];
}

type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;

/** The names on the way to the list in documented bodies, HAL, OData and Hydra. Others may lead to users. */
const LIST_NAMES = nameSet(
  "data embedded items result results list value values entries nodes models hydraMember configurations " +
    "extensions sinks",
);
/** The ends of further such names. */
const LIST_END = /(?:hook|subscription|endpoint)s?(?:list)?$/;
/** The names of members outside the records that say whether there are more of them. */
const NEXT = /^(?:odata|hydra)?next|^loadmore|^cursor$/;
const MORE = /^(?:has|is)?more$|^hasnext/;
const LAST = /^(?:islastpage|done)$/;
const TOTAL = /^(?:hydra|odata|estimated)?(?:count|total(?:count|items|records|elements)?)$/;
/** A `Link` header with the relation `next`, alone or among others. */
const NEXT_LINK = /\brel\s{0,3}=\s{0,3}"?(?:[^\s",;]{1,40} ){0,3}next\b/i;

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
  const { records, pointer } = list;
  const identified = identify(records, mapping);
  if (identified === null) return { isReadable: false, setting: "webhookId", pointers: idPointers(records) };
  const webhooks = identified.map((each) => ({ ...each, ...readState(each.record, mapping) }));
  return {
    isReadable: true,
    pointer,
    webhooks: new Map(webhooks.map((webhook) => [webhook.webhookId, webhook])),
    incompleteSign: incompleteSignOf(document, records, headers, mapping),
  };
}

/** The records of a list, and the JSON Pointer to them. */
interface RecordList {
  readonly records: readonly JsonObject[];
  readonly pointer: string;
}

/** Finds the list at the setting, or the only array of objects reached through well-known names. */
function findList(document: unknown, { webhooks: setting }: ResponseMapping): RecordList | null {
  if (setting !== undefined) {
    const value = resolvePointer(document, setting);
    const records = value === null ? [] : value; // Services in Go send null for an empty array.
    return isRecords(records) ? { records, pointer: setting } : null;
  }
  const mayLeadToList = ({ name, parent }: DocumentNode): boolean => parent === null || isListName(name);
  const [list, ...others] = nodesOf(document, (node) => isObject(node.value) && mayLeadToList(node))
    .filter(mayLeadToList) // Not the other members of objects on the way.
    .flatMap(({ value, pointer }) => (isRecords(value) ? [{ records: value, pointer }] : []));
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
  const lists = nodesOf(document, ({ value }) => isObject(value)).filter(
    ({ value, name }) => isRecords(value) || (value === null && isListName(name)),
  );
  const withIds = lists.filter(({ value }) => isRecords(value) && idPointers(value).length > 0);
  return pointersOf(withIds.length > 0 ? withIds : lists);
}

/** Returns what says that a list is incomplete: the setting, or else the first sign. */
function incompleteSignOf(
  document: unknown,
  records: readonly JsonObject[],
  headers: Headers,
  { complete }: ResponseMapping,
): IncompleteSign | null {
  if (complete !== undefined) return complete ? null : "responses.complete";
  const links = [headers["link"] ?? []].flat();
  if (links.some((link) => NEXT_LINK.test(link))) return "Link";
  const outside = nodesOf(document, ({ value }) => !isArray(value)).filter(({ value }) => value !== records);
  const sign = outside.find((node) => indicatesMore(node, records.length));
  return (sign?.pointer ?? null) as IncompleteSign | null;
}

/** Whether a value outside the records says that there are more of them. */
function indicatesMore({ name, value }: DocumentNode, listed: number): boolean {
  if (NEXT.test(name)) return namesPage(value);
  // Another list of records with IDs may hold the other webhooks.
  if (isArray(value))
    return value.some((one) => isObject(one) && (one["rel"] === "next" || hasIdMember(one)));
  const text = String(isScalar(value) ? value : "");
  if ((MORE.test(name) && text === "true") || (LAST.test(name) && text === "false")) return true;
  return TOTAL.test(name) && Number(text) > listed;
}

/** Whether the value of a member such as `next` names a page. The address may be in an object. */
function namesPage(value: unknown): boolean {
  if (isArray(value)) return value.length > 0;
  return isObject(value) ? Object.values(value).some(Boolean) : Boolean(value);
}
