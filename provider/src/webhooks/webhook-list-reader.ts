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
import type { WebhookState } from "../partner-api/operations.js";
import { hasIdMember, idPointers, readIds, withDistinctIds } from "./webhook-id-reader.js";
import { readState } from "./webhook-state-reader.js";

/** One webhook of a list. */
export interface WebhookReading {
  /** A positive safe integer. */
  readonly webhookId: number;
  /** `null` if ambiguous. */
  readonly state: WebhookState | null;
  /** As the service sent it. It may contain secrets. */
  readonly record: JsonObject;
}

/** What says that a list is incomplete: a header, a setting, or a member next to the records. */
export type IncompleteSign = "Link" | "responses.complete" | `/${string}`;

/** A list that was read. */
export interface WebhookListReading {
  readonly isReadable: true;
  readonly webhooks: ReadonlyMap<number, WebhookReading>;
  /** `null` if nothing says that the list is incomplete. */
  readonly incompleteSign: IncompleteSign | null;
  /** Where the first of each was found. `webhookId` and `webhookState` are relative to a record. */
  readonly pointers: Readonly<Record<"webhooks" | "webhookId" | "webhookState", string | null>>;
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

/**
 * Member names that lead to the list in documented bodies, and in HAL, OData and Hydra; and ends of further
 * ones. Other lists may hold users or partners.
 */
const LIST_NAMES = nameSet(
  "data embedded items result results list value values entries nodes models hydraMember configurations " +
    "extensions sinks",
);
const LIST_END = /(?:hook|subscription|endpoint)s?(?:list)?$/;
/** Members next to the records that say that there are more of them. */
const NEXT = /^(?:odata|hydra)?next|^loadmore|^cursor$/;
const MORE = /^(?:has|is)?more$|^hasnext/;
const LAST = /^(?:islastpage|done)$/;
const TOTAL = /^(?:hydra|odata|estimated)?(?:count|total(?:count|items|records|elements)?)$/;

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
  const identified = withDistinctIds(readIds(records, mapping));
  if (identified === null) return { isReadable: false, setting: "webhookId", pointers: idPointers(records) };
  const webhooks = identified.map(({ record, id }) => ({ record, id, ...readState(record, mapping) }));
  return {
    isReadable: true,
    webhooks: new Map(webhooks.map(({ record, id, state }) => [id, { webhookId: id, state, record }])),
    incompleteSign: incompleteSignOf(document, list.value, headers, mapping),
    pointers: {
      webhooks: list.pointer,
      webhookId: identified[0]?.pointer ?? null,
      webhookState: webhooks.find(({ state }) => state !== null)?.pointer ?? null,
    },
  };
}

/** Finds the list at the setting, or the only array of objects reached through well-known names. */
function findList(
  document: unknown,
  { webhooks: setting }: ResponseMapping,
): { readonly value: readonly JsonObject[] | null; readonly pointer: string } | null {
  if (setting !== undefined) {
    const value = resolvePointer(document, setting);
    return value === null || isRecords(value) ? { value, pointer: setting } : null;
  }
  const isWellKnown = ({ name, parent }: DocumentNode): boolean => parent === null || isListName(name);
  const [list, ...others] = nodesOf(document, (node) => isObject(node.value) && isWellKnown(node))
    .filter(isWellKnown)
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

/** Returns what says that a list is incomplete. The setting overrides every sign. */
function incompleteSignOf(
  document: unknown,
  list: readonly JsonObject[] | null,
  headers: Headers,
  { complete }: ResponseMapping,
): IncompleteSign | null {
  if (complete !== undefined) return complete ? null : "responses.complete";
  const links = [headers["link"] ?? []].flat();
  if (links.some((link) => /\brel\s{0,3}=\s{0,3}"?(?:[^\s",;]{1,40} ){0,3}next\b/i.test(link))) return "Link";
  const outside = nodesOf(document, ({ value }) => value !== list && !isArray(value));
  const sign = outside.find((node) => node.value !== list && isSign(node, list?.length ?? 0));
  return (sign?.pointer ?? null) as IncompleteSign | null;
}

function isSign({ name, value }: DocumentNode, length: number): boolean {
  if (NEXT.test(name)) return leadsOn(value);
  // Another list of records with IDs may hold the other webhooks.
  if (isArray(value))
    return value.some((one) => isObject(one) && (one["rel"] === "next" || hasIdMember(one)));
  const text = String(isScalar(value) ? value : "");
  if ((MORE.test(name) && text === "true") || (LAST.test(name) && text === "false")) return true;
  return TOTAL.test(name) && Number(text) > length;
}

/** Whether a value leads anywhere. An address may be in an object, such as `{ href: null }`. */
function leadsOn(value: unknown): boolean {
  if (isArray(value)) return value.length > 0;
  return isObject(value) ? Object.values(value).some(Boolean) : Boolean(value);
}
