import { isComplete, type ResponseHeaders } from "./completeness.js";
import { isArray, isEmpty, isInside, isObject, membersOf, parseDocument, walk } from "./document.js";
import type { DocumentNode, JsonObject } from "./document.js";
import { resolvePointer, type ResponseMapping } from "./mapping.js";
import { ownNodesOf, readStates, type StateReading } from "./state-reader.js";
import { isFieldName, listCandidates, printPointer } from "./candidates.js";

export type { ResponseHeaders } from "./completeness.js";

/** One record of the list of webhooks. */
export interface WebhookReading extends StateReading {
  /** The id, a positive safe integer. */
  readonly webhookId: number;
  /** The record as the server sent it. */
  readonly record: Readonly<Record<string, unknown>>;
}

/** What the response to the listing of webhooks gave. */
export type WebhookListReading =
  | {
      readonly readable: true;
      /** The webhooks by id, in the order of the list. */
      readonly webhooks: ReadonlyMap<number, WebhookReading>;
      /** Whether there is no sign of further webhooks. */
      readonly complete: boolean;
      /**
       * Whether a webhook that is missing from the list is certain not to exist. An empty list inside an object never proves
       * that, unless `complete` is set: it may be the list of something else.
       */
      readonly provesAbsence: boolean;
      /** Where things were recognised, for people: JSON Pointers by setting, those in a record relative to it. */
      readonly places: Readonly<Partial<Record<"webhooks" | "webhookId" | "webhookState", string>>>;
    }
  | {
      readonly readable: false;
      /** Which setting to make. */
      readonly setting: "webhooks" | "webhookId";
      /** `pointer`: the setting is made and finds nothing of use; `not unique`: several records have the same id. */
      readonly reason: "not JSON" | "none" | "several" | "pointer" | "not unique";
      /** JSON Pointers to what may be the list, or relative to a record the id; at most 10. */
      readonly candidates: readonly string[];
    };

type Refusal = WebhookListReading & { readonly readable: false };

const WEBHOOKS = /^(?:web)?hooks$/;
/** Names of lists. Under any other name, records may be users or partners. */
const LIST =
  /^(?:data|list|items|results?|content|value|records|entries|values|rows|nodes|response)$|hook|subscription|endpoint|member$/;
/** Names of the above under which an empty array, an empty object or null is an empty list. */
const MAY_BE_EMPTY = /^(?:(?:web)?hooks|data|items|results?|content|value)$/;
/** Arrays that are found next to webhooks or in them, and hold none. */
const ABOUT_WEBHOOKS =
  /event|topic|type|tag|scope|log|deliver|plan|^(?:links?|sort|included|errors?|warnings|messages)$/;
/** How many names the JSON Pointer of a recognised list has at most. */
const MAX_NAMES = 3;

/** Names of ids, what says most first. Where any record has one, the others are ids of something else. */
const ID_NAMES = [/^(?:web)?hookid$/, /^id$/];

/**
 * Reads the response to the listing of webhooks. Does not look for a failure: see `reportsFailure`.
 *
 * @param text the body.
 * @param status the HTTP status; 204 is an empty list, and 206 a part of one.
 * @returns the webhooks, or which setting would make them readable. Never throws.
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
  const list = readRecords(document, mapping.webhooks);
  if ("readable" in list) return list;
  const records = list.found;
  const ids = readIds(records, mapping.webhookId);
  if ("readable" in ids) return ids;

  const { states, place } = readStates(records, mapping);
  const webhooks = new Map<number, WebhookReading>();
  for (const [index, webhookId] of ids.found.entries()) {
    const record = records[index] ?? {};
    webhooks.set(webhookId, { state: null, missing: "webhookState", ...states[index], webhookId, record });
  }
  if (webhooks.size < records.length) return refuse("webhookId", "not unique", records[0]);

  const complete = mapping.complete ?? isComplete(document, records, headers, status);
  const isCertain = records.length > 0 || isArray(document) || mapping.complete === true;
  const places = {
    ...(list.place !== null && { webhooks: list.place }),
    ...(ids.place !== null && { webhookId: ids.place }),
    ...(place !== null && { webhookState: place }),
  };
  return { readable: true, webhooks, complete, provesAbsence: complete && isCertain, places };
}

/** Whether an object is the record of a webhook: it has the id of one, and is not a JSON-RPC response with an id. */
export function hasWebhookId(object: JsonObject): boolean {
  if (Object.hasOwn(object, "jsonrpc") || (Object.hasOwn(object, "result") && Object.hasOwn(object, "error")))
    return false;
  return membersOf(object).some(
    ({ name, value }) => toWebhookId(value) !== null && ID_NAMES.some((names) => names.test(name)),
  );
}

/** Records or ids, and the JSON Pointer to them, or to the first; `null` if it cannot be shown. */
interface Found<T> {
  readonly found: readonly T[];
  readonly place: string | null;
}

function readRecords(document: unknown, setting: string | undefined): Found<JsonObject> | Refusal {
  if (setting !== undefined) {
    const found = recordsIn(resolvePointer(document, setting));
    return found === null ? refuse("webhooks", "pointer", document) : { found, place: setting };
  }
  const node = chooseList(document);
  if (typeof node === "string") return refuse("webhooks", node, document);
  const found = recordsIn(node.value);
  if (found === null || found.some(holdsRecords)) return refuse("webhooks", "none", document);
  return { found, place: printPointer(node) };
}

/** The records of a list; `null` if the value is not a list of objects. */
function recordsIn(value: unknown): readonly JsonObject[] | null {
  if (isEmpty(value)) return [];
  return isArray(value) && value.every(isObject) ? value : null;
}

function chooseList(document: unknown): DocumentNode | "none" | "several" {
  const enters = ({ value, name, token, depth }: DocumentNode): boolean =>
    isObject(value) && depth < MAX_NAMES && !ABOUT_WEBHOOKS.test(name) && (depth === 0 || isFieldName(token));
  const nodes = [...walk(document, enters)];
  const [root] = nodes;
  if (root !== undefined && (isArray(document) || document === null)) return root;

  const lists = nodes.filter(({ name, value, depth }) => {
    if (depth === 0 || ABOUT_WEBHOOKS.test(name)) return false;
    return isEmpty(value)
      ? MAY_BE_EMPTY.test(name)
      : isArray(value) && (LIST.test(name) || value.some(isObject));
  });
  const called = nodes.filter(({ name }) => WEBHOOKS.test(name));
  const [list, other] = lists;
  if (list === undefined || !LIST.test(list.name)) return "none";
  // Elsewhere there may be webhooks as well, such as those that are disabled.
  if (other !== undefined || called.some((one) => !isInside(list, one))) return "several";
  // An array in the record of something is a part of it, unless it is called webhooks.
  const isPart = isObject(list.parent?.value) && hasWebhookId(list.parent.value);
  return isPart && called.length === 0 ? "none" : list;
}

/** Whether an element is an account, an event or a page that has webhooks, and not a webhook. */
function holdsRecords(element: JsonObject): boolean {
  return membersOf(element).some(({ name, value }) => {
    if (WEBHOOKS.test(name) && (isArray(value) || isObject(value))) return true;
    return (
      !ABOUT_WEBHOOKS.test(name) && isArray(value) && value.some((one) => isObject(one) && hasWebhookId(one))
    );
  });
}

function readIds(records: readonly JsonObject[], setting: string | undefined): Found<number> | Refusal {
  if (setting !== undefined) {
    const found = records.map((record) => toWebhookId(resolvePointer(record, setting)));
    if (found.every((id) => id !== null)) return { found, place: setting };
    return refuse("webhookId", "pointer", records[0]);
  }
  const rows = records.map((record) => ownNodesOf(record).filter(({ value }) => value !== null));
  const idName = ID_NAMES.find((names) => rows.some((nodes) => nodes.some(({ name }) => names.test(name))));
  const ids = rows.map((nodes) => onlyId(nodes.filter(({ name }) => idName?.test(name))));
  const found = ids.map((node) => toWebhookId(node?.value));
  if (!found.every((id) => id !== null)) return refuse("webhookId", "none", records[0]);
  return { found, place: ids[0] === undefined ? null : printPointer(ids[0]) };
}

/** Of several ids in a record, such as `_id` and `id`, only one may be that of a webhook, or they are the same. */
function onlyId(nodes: readonly DocumentNode[]): DocumentNode | undefined {
  const ids = nodes.filter(({ value }) => toWebhookId(value) !== null);
  return new Set(ids.map(({ value }) => String(value))).size === 1 ? ids[0] : undefined;
}

/** The webhook id that a value is: a positive safe integer, or the decimal digits of one. */
function toWebhookId(value: unknown): number | null {
  const id = typeof value === "string" && /^[1-9][0-9]{0,15}$/.test(value) ? Number(value) : value;
  return typeof id === "number" && Number.isSafeInteger(id) && id > 0 ? id : null;
}

/** @param searched the document, or a record, in which the candidates are. */
function refuse(setting: Refusal["setting"], reason: Refusal["reason"], searched: unknown): Refusal {
  const mayBeList = (value: unknown): boolean =>
    isArray(value) && (value.length === 0 || value.some(isObject));
  const nodes = [...walk(searched)].filter(({ value }) =>
    setting === "webhooks" ? mayBeList(value) : toWebhookId(value) !== null,
  );
  return { readable: false, setting, reason, candidates: listCandidates(nodes) };
}
