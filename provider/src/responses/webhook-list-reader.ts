import { isComplete, type ResponseHeaders } from "./completeness.js";
import { isArray, isObject, names, nodesOf, parseDocument, pointersOf } from "./document.js";
import type { DocumentNode, JsonObject } from "./document.js";
import { isScalar, resolvePointer, type ResponseMapping } from "./mapping.js";
import { ownNodesOf, readState, type StateReading } from "./state-reader.js";

export type { ResponseHeaders } from "./completeness.js";

/** One webhook of the list. */
export interface WebhookReading extends StateReading {
  /** A positive safe integer. */
  readonly webhookId: number;
  /** The record as the server sent it. */
  readonly record: Readonly<Record<string, unknown>>;
}

/** The result of reading a webhook list. */
export type WebhookListReading =
  | {
      readonly readable: true;
      /** The webhooks by ID, in list order. */
      readonly webhooks: ReadonlyMap<number, WebhookReading>;
      /** Whether nothing indicates further webhooks. */
      readonly complete: boolean;
      /**
       * Whether a webhook that is missing from the list certainly does not exist. An empty list inside an object proves it only
       * if the setting `complete` is true: it may be a list of something else.
       */
      readonly provesAbsence: boolean;
      /** JSON Pointers to the values found, by setting. `webhookId` and `webhookState` are relative to a record. */
      readonly pointers: Readonly<Partial<Record<"webhooks" | "webhookId" | "webhookState", string>>>;
    }
  | {
      readonly readable: false;
      /** The setting that would make the list readable. */
      readonly setting: "webhooks" | "webhookId";
      /** `pointer`: the setting points to nothing usable. `not unique`: several records have the same ID. */
      readonly reason: "not JSON" | "none" | "several" | "pointer" | "not unique";
      /** JSON Pointers to possible lists, or to possible IDs relative to a record; at most 10. */
      readonly candidates: readonly string[];
    };

type Refusal = WebhookListReading & { readonly readable: false };

/** A list of records, and where it is. */
interface FoundList {
  readonly records: readonly JsonObject[];
  readonly pointer: string | null;
}

/** The ID of a record, and where it is. */
interface FoundId {
  readonly record: JsonObject;
  readonly webhookId: number;
  readonly pointer: string | null;
}

/** The names of lists. Any name that ends with {@link LIST_ENDS} is one, too. Other lists may contain users or partners. */
const LISTS = names(
  "data items results result list values value entries records rows nodes edges elements objects resources entities models " +
    "documents content contents collection response responses member hydraMember payload webhookList userWebhookList " +
    "webhookConfigs webhookConfigurations configurations notificationConfigurations notifications notificationSettings " +
    "integrations extensions destinations listeners callbacks sinks streams connections eventSourceMappings registrations",
);
const LIST_ENDS = ["hooks", "subscriptions", "endpoints"];
/** The maximum depth of a recognized list. */
const MAX_DEPTH = 3;
const MAX_FIELDS = 40;
/** The names of IDs, by rank. If any record has one of a rank, the others are IDs of something else. */
const IDS = [names("webhookId hookId"), names("id"), names("subscriptionId endpointId uuid gid sid")];

/**
 * Reads a webhook list. Does not detect failures: see `reportsFailure`. Never throws.
 *
 * @param text The body.
 * @param status The HTTP status: 204 is an empty list, and 206 is part of a list.
 * @returns The webhooks, or the setting that would make them readable.
 * @example readWebhookList('[{"id":7,"active":true}]', {}, 200, {}) // webhooks: 7 → state "active"; complete: true
 */
export function readWebhookList(
  text: string,
  headers: ResponseHeaders,
  status: number,
  mapping: ResponseMapping,
): WebhookListReading {
  const document = status === 204 && text.trim() === "" ? null : parseDocument(text);
  if (document === undefined) return refuse("webhooks", "not JSON", null);
  const list = findList(document, mapping.webhooks);
  if (typeof list === "string") return refuse("webhooks", list, document);
  const { records } = list;
  const ids = findIds(records, mapping.webhookId);
  if (ids === null)
    return refuse("webhookId", mapping.webhookId === undefined ? "none" : "pointer", records[0]);

  const webhooks = new Map<number, WebhookReading>();
  let statePointer: string | null = null;
  for (const { record, webhookId } of ids) {
    const { pointer, ...reading } = readState(record, mapping);
    webhooks.set(webhookId, { ...reading, webhookId, record });
    if (reading.state !== null) statePointer ??= pointer;
  }
  if (webhooks.size < records.length) return refuse("webhookId", "not unique", records[0]);

  const complete = mapping.complete ?? isComplete(document, records, headers, status);
  const isRightList = records.length > 0 || isArray(document) || mapping.complete === true;
  const pointers = {
    ...(list.pointer !== null && { webhooks: list.pointer }),
    ...(ids[0] && ids[0].pointer !== null && { webhookId: ids[0].pointer }),
    ...(statePointer !== null && { webhookState: statePointer }),
  };
  return { readable: true, webhooks, complete, provesAbsence: complete && isRightList, pointers };
}

/** Returns the JSON Pointers of the scalars in a record, relative to the record; at most 40. */
export function listFields(record: JsonObject): string[] {
  const scalars = nodesOf(record).filter(({ value }) => isScalar(value));
  return pointersOf(scalars, MAX_FIELDS);
}

/** Finds the list at a setting, or the only one under a usual name. Services in Go send null for an empty list. */
function findList(
  document: unknown,
  setting: string | undefined,
): FoundList | "pointer" | "none" | "several" {
  if (setting !== undefined) {
    const value = resolvePointer(document, setting);
    return isList(value) ? { records: value ?? [], pointer: setting } : "pointer";
  }
  const nodes = nodesOf(document, ({ value, depth }) => isObject(value) && depth < MAX_DEPTH);
  const named = nodes.filter(({ name, depth }) => depth === 0 || isListName(name));
  const arrays = named.filter(({ value }) => isArray(value) && isList(value));
  const [list, other] = arrays.length > 0 ? arrays : named.filter(({ value }) => value === null);
  if (list === undefined || other !== undefined) return list === undefined ? "none" : "several";
  return { records: isList(list.value) ? (list.value ?? []) : [], pointer: list.pointer };
}

function isListName(name: string): boolean {
  return LISTS.has(name) || LIST_ENDS.some((end) => name.endsWith(end));
}

function isList(value: unknown): value is readonly JsonObject[] | null {
  return value === null || (isArray(value) && value.every(isObject));
}

/** Finds the IDs at a setting, or under the best of the usual names; `null` if a record has none, or two that differ. */
function findIds(records: readonly JsonObject[], setting: string | undefined): FoundId[] | null {
  const found =
    setting === undefined ? findNamedIds(records) : records.map((record) => idAt(record, setting));
  return found.every((id) => id !== null) ? found : null;
}

function idAt(record: JsonObject, pointer: string): FoundId | null {
  const webhookId = toWebhookId(resolvePointer(record, pointer));
  return webhookId === null ? null : { record, webhookId, pointer };
}

function findNamedIds(records: readonly JsonObject[]): (FoundId | null)[] {
  const rows = records.map((record) => ownNodesOf(record).filter(({ value }) => value !== null));
  const rank = IDS.find((ids) => rows.some((nodes) => nodes.some(({ name }) => ids.has(name))));
  return records.map((record, index) => {
    const ids =
      rows[index]?.filter(({ name, value }) => rank?.has(name) && toWebhookId(value) !== null) ?? [];
    const [webhookId = null, ...others] = new Set(ids.map(({ value }) => toWebhookId(value)));
    if (webhookId === null || others.length > 0) return null;
    return { record, webhookId, pointer: ids[0]?.pointer ?? null };
  });
}

/** Returns a positive safe integer, or its decimal digits, as a webhook ID; `null` for any other value. */
function toWebhookId(value: unknown): number | null {
  const id = typeof value === "string" && /^[1-9][0-9]{0,15}$/.test(value) ? Number(value) : value;
  return typeof id === "number" && Number.isSafeInteger(id) && id > 0 ? id : null;
}

/** @param searched The document or the record to find candidates in. */
function refuse(setting: Refusal["setting"], reason: Refusal["reason"], searched: unknown): Refusal {
  const isCandidate = ({ value }: DocumentNode): boolean =>
    setting === "webhooks" ? isArray(value) && isList(value) : toWebhookId(value) !== null;
  return { readable: false, setting, reason, candidates: pointersOf(nodesOf(searched).filter(isCandidate)) };
}
