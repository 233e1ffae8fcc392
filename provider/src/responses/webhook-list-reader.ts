import { isWebhookId } from "../api/operations.js";
import { parsed, parseDocument, TOO_MANY_VALUES, type ObjectText } from "../json-text.js";
import {
  isArray,
  isObject,
  nameSet,
  nodesOf,
  pointersOf,
  resolvePointer,
  type DocumentNode,
  type JsonObject,
} from "../json.js";
import { isComplete, type ResponseHeaders } from "./completeness.js";
import type { ResponseMapping } from "./mapping.js";
import { ownNodesOf, readState, type StateReading } from "./state-reader.js";

export interface WebhookReading extends StateReading {
  /** A positive safe integer. */
  readonly webhookId: number;
  /**
   * As it was sent. Most readers do not need it, so it is parsed only when it is needed: see {@link
   * recordOf}.
   */
  readonly record: JsonObject | ObjectText;
}

export type WebhookListReading =
  | {
      readonly readable: true;
      readonly webhooks: ReadonlyMap<number, WebhookReading>;
      /** Whether nothing indicates further webhooks. */
      readonly complete: boolean;
      /**
       * Whether a webhook that is missing does not exist. An empty list may be one of something else, or a
       * failure.
       */
      readonly provesAbsence: boolean;
      /**
       * JSON Pointers to the values found, by setting. `webhookId` and `webhookState` are relative to a
       * record.
       */
      readonly pointers: Readonly<Partial<Record<"webhooks" | "webhookId" | "webhookState", string>>>;
    }
  | {
      readonly readable: false;
      /** The member of `responses` that would help. */
      readonly setting: keyof ResponseMapping;
      /** `pointer`: the setting points to nothing usable. `not unique`: several records have the same ID. */
      readonly reason: "not JSON" | "none" | "several" | "pointer" | "not unique" | "too many values";
      /** JSON Pointers to possible lists, or to possible IDs relative to a record; at most 10. */
      readonly candidates: readonly string[];
    };

type Refusal = WebhookListReading & { readonly readable: false };
type Field = Pick<DocumentNode, "pointer">;
type FoundList = Field & Readonly<{ records: readonly WebhookReading["record"][] }>;
type FoundId = Readonly<{ webhookId: number; field: Field }>;

/** The names of lists, and the ends of further ones. Other lists may contain users or partners. */
const LISTS = nameSet(
  "data items results result list values value entries records rows nodes edges elements objects resources entities models " +
    "documents content contents collection response responses member hydraMember payload webhookList userWebhookList " +
    "webhookConfigs webhookConfigurations configurations notificationConfigurations notifications notificationSettings " +
    "integrations extensions addons triggers destinations apiDestinations listeners callbacks sinks streams connections " +
    "eventSourceMappings registrations",
);
const LIST_END = /(?:hooks|subscriptions|endpoints)$/;
/** The maximum number of names in the pointer to a list. */
export const MAX_DEPTH = 3;
/** The names of IDs, by rank. If any record has one of a rank, the others are IDs of something else. */
const IDS = [nameSet("webhookId hookId"), nameSet("id"), nameSet("subscriptionId endpointId uuid gid sid")];

/**
 * Reads a webhook list. Does not detect failures: see `reportsFailure`. Never throws.
 *
 * @example readWebhookList('[{"id":7,"active":true}]', {}, 200, {}) // webhooks: 7 → state "active";
 * complete: true
 */
export function readWebhookList(
  text: string,
  headers: ResponseHeaders,
  status: number,
  mapping: ResponseMapping,
): WebhookListReading {
  const document = status === 204 && text.trim() === "" ? null : parseDocument(text); // 204: an empty list.
  if (document === undefined) return refuse("webhooks", "not JSON", null);
  if (document === TOO_MANY_VALUES) return refuse("webhooks", "too many values", null);
  const list = findList(document, mapping.webhooks);
  if (typeof list === "string") return refuse("webhooks", list, document);

  const { records } = list;
  const webhooks = new Map<number, WebhookReading>();
  const pointers: Partial<Record<string, string>> = {};
  const note = (setting: string, field: Field | null): void => {
    if (pointers[setting] !== undefined) return; // Making a pointer takes long.
    const pointer = field?.pointer ?? null;
    if (pointer !== null) pointers[setting] = pointer;
  };
  note("webhooks", list);
  let rank = IDS.length;
  for (let index = 0; index < records.length; index += 1) {
    const record = records[index] as WebhookReading["record"];
    const members = recordOf({ record });
    const nodes = ownNodesOf(members);
    const better = rankOf(nodes, rank);
    if (better < rank) {
      rank = better; // What came before has IDs of something else. Two passes would parse each record twice.
      webhooks.clear();
      delete pointers["webhookId"];
      index = -1;
      continue;
    }
    const id = findId(members, nodes, IDS[rank], mapping.webhookId);
    if (typeof id === "string") return refuse("webhookId", id, records[0]);
    const { state, missing, field } = readState(members, nodes, mapping);
    webhooks.set(id.webhookId, { webhookId: id.webhookId, state, missing, record });
    note("webhookId", id.field);
    if (state !== null) note("webhookState", field);
  }
  if (webhooks.size < records.length) return refuse("webhookId", "not unique", records[0]);

  const complete = mapping.complete ?? (status !== 206 && isComplete(document, records, headers));
  const isRightList = records.length > 0 || mapping.complete === true;
  return { readable: true, webhooks, complete, provesAbsence: complete && isRightList, pointers };
}

/** Returns the members of a webhook as it was sent. */
export function recordOf({ record }: Pick<WebhookReading, "record">): JsonObject {
  return parsed(record) as JsonObject;
}

/**
 * Reads the ID in the record of one webhook; `null` if it is not clear, and `undefined` if there is none.
 *
 * @param nodes The result of {@link ownNodesOf}.
 */
export function readWebhookId(
  record: JsonObject,
  nodes: readonly DocumentNode[],
  { webhookId: pointer }: ResponseMapping,
): number | null | undefined {
  const rank = rankOf(nodes, IDS.length);
  const hasId = pointer === undefined ? rank < IDS.length : resolvePointer(record, pointer) !== undefined;
  if (!hasId) return undefined;
  const id = findId(record, nodes, IDS[rank], pointer);
  return typeof id === "string" ? null : id.webhookId;
}

/** Whether a name is one of a list, or of an object around it. @param name A normalized name. */
export function isListName(name: string): boolean {
  return LISTS.has(name) || LIST_END.test(name);
}

/** Finds the list at a setting, or the only one under a usual name. */
function findList(document: unknown, setting?: string): FoundList | Refusal["reason"] {
  if (setting !== undefined) {
    const records = recordsIn(resolvePointer(document, setting));
    return records === null ? "pointer" : { records, pointer: setting };
  }
  const nodes = nodesOf(document, ({ value, depth }) => isObject(value) && depth < MAX_DEPTH);
  const isList = ({ name, value, depth }: DocumentNode): boolean =>
    (depth === 0 || isListName(name)) && recordsIn(value) !== null;
  const lists = [...nodes.filter(isList)];
  const arrays = lists.filter(({ value }) => isArray(value));
  const [list, other] = arrays.length > 0 ? arrays : lists;
  if (list === undefined || other !== undefined) return list === undefined ? "none" : "several";
  return { records: recordsIn(list.value) ?? [], pointer: list.pointer };
}

/** Returns an array of objects; `null` for anything else. Services in Go send null for an empty array. */
function recordsIn(value: unknown): FoundList["records"] | null {
  if (value === null) return [];
  return isArray(value) && value.every(isObject) ? value : null;
}

/** Returns the rank of the best ID of a record, if it is better than that of the records before. */
function rankOf(nodes: readonly DocumentNode[], rank: number): number {
  const better = IDS.findIndex(
    (ids, index) => index < rank && nodes.some(({ name, value }) => ids.has(name) && value !== null),
  );
  return better === -1 ? rank : better;
}

/** Finds the ID at a setting, or the only one under the usual names. */
function findId(
  record: JsonObject,
  own: readonly DocumentNode[],
  ids: ReadonlySet<string> | undefined,
  at: string | undefined,
): FoundId | Refusal["reason"] {
  if (at !== undefined) {
    const webhookId = toWebhookId(resolvePointer(record, at));
    return webhookId === null ? "pointer" : { webhookId, field: { pointer: at } };
  }
  const nodes = own.filter(({ name, value }) => ids?.has(name) && toWebhookId(value) !== null);
  const [field] = nodes;
  const [webhookId = null, ...others] = new Set(nodes.map(({ value }) => toWebhookId(value)));
  if (field === undefined || webhookId === null || others.length > 0) return "none";
  return { webhookId, field };
}

/** Returns a positive safe integer, or its decimal digits, as a webhook ID; `null` for any other value. */
function toWebhookId(value: unknown): number | null {
  const text = typeof value === "number" ? String(value) : value;
  return typeof text === "string" && isWebhookId(text) ? Number(text) : null;
}

function refuse(setting: "webhooks" | "webhookId", reason: Refusal["reason"], searched: unknown): Refusal {
  const isCandidate = (value: unknown): boolean =>
    setting === "webhooks" ? isArray(value) && recordsIn(value) !== null : toWebhookId(value) !== null;
  const candidates = pointersOf(nodesOf(searched).filter(({ value }) => isCandidate(value)));
  return { readable: false, setting, reason, candidates };
}
