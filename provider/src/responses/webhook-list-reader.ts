import { isComplete, type ResponseHeaders } from "./completeness.js";
import { isArray, isEmpty, isInside, isObject, membersOf, parseDocument, walk } from "./document.js";
import type { DocumentNode, JsonObject } from "./document.js";
import { resolvePointer, type ResponseMapping } from "./mapping.js";
import { ownNodesOf, readStates, type StateReading } from "./state-reader.js";
import { isFieldName, listCandidates, printPointer } from "./candidates.js";

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
       * Whether a webhook that is missing from the list certainly does not exist. An empty list proves it only if the setting
       * `complete` is true: it may be a list of something else, or a failure.
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

const WEBHOOKS = /^(?:web)?hooks$/;
/** Names of lists. Lists with other names may contain users or partners. */
const LIST =
  /^(?:data|list|items|results?|content|value|records|entries|values|rows|nodes|response)$|hook|subscription|endpoint|member$/;
/** The names for which an empty array, an empty object or null is an empty list. */
const MAY_BE_EMPTY = /^(?:(?:web)?hooks|data|items|results?|content|value)$/;
/** Names of arrays next to webhooks or inside them that contain no webhooks. */
const ABOUT_WEBHOOKS =
  /event|topic|type|tag|scope|log|deliver|plan|^(?:links?|sort|included|errors?|warnings|messages)$/;
/** The maximum depth of a recognized list. */
const MAX_DEPTH = 3;

/** Names of IDs, by priority. If any record has the first, the other IDs belong to something else. */
const ID_NAMES = [/^(?:web)?hookid$/, /^id$/];

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
  const list = readRecords(document, mapping.webhooks);
  if ("readable" in list) return list;
  const records = list.found;
  const ids = readIds(records, mapping.webhookId);
  if ("readable" in ids) return ids;

  const { states, pointer } = readStates(records, mapping);
  const webhooks = new Map<number, WebhookReading>();
  for (const [index, webhookId] of ids.found.entries()) {
    const record = records[index] ?? {};
    webhooks.set(webhookId, { state: null, missing: "webhookState", ...states[index], webhookId, record });
  }
  if (webhooks.size < records.length) return refuse("webhookId", "not unique", records[0]);

  const complete = mapping.complete ?? isComplete(document, records, headers, status);
  const isRightList = records.length > 0 || mapping.complete === true;
  const pointers = {
    ...(list.pointer !== null && { webhooks: list.pointer }),
    ...(ids.pointer !== null && { webhookId: ids.pointer }),
    ...(pointer !== null && { webhookState: pointer }),
  };
  return { readable: true, webhooks, complete, provesAbsence: complete && isRightList, pointers };
}

/** Whether an object has the ID of a webhook, and is not a JSON-RPC response, which has an ID too. */
export function hasWebhookId(object: JsonObject): boolean {
  if (Object.hasOwn(object, "jsonrpc") || (Object.hasOwn(object, "result") && Object.hasOwn(object, "error")))
    return false;
  return membersOf(object).some(
    ({ name, value }) => toWebhookId(value) !== null && ID_NAMES.some((names) => names.test(name)),
  );
}

/** Records or IDs, and the JSON Pointer to the list or to the first ID; `null` if it cannot be shown. */
interface Found<T> {
  readonly found: readonly T[];
  readonly pointer: string | null;
}

function readRecords(document: unknown, setting: string | undefined): Found<JsonObject> | Refusal {
  if (setting !== undefined) {
    const found = recordsIn(resolvePointer(document, setting));
    return found === null ? refuse("webhooks", "pointer", document) : { found, pointer: setting };
  }
  const node = chooseList(document);
  if (typeof node === "string") return refuse("webhooks", node, document);
  const found = recordsIn(node.value);
  if (found === null || found.some(holdsRecords)) return refuse("webhooks", "none", document);
  return { found, pointer: printPointer(node) };
}

/** Returns the records of a list; `null` if the value is not a list of objects. */
function recordsIn(value: unknown): readonly JsonObject[] | null {
  if (isEmpty(value)) return [];
  return isArray(value) && value.every(isObject) ? value : null;
}

function chooseList(document: unknown): DocumentNode | "none" | "several" {
  const descends = ({ value, name, token, depth }: DocumentNode): boolean =>
    isObject(value) && depth < MAX_DEPTH && !ABOUT_WEBHOOKS.test(name) && (depth === 0 || isFieldName(token));
  const nodes = [...walk(document, descends)];
  const [root] = nodes;
  if (root !== undefined && (isArray(document) || document === null)) return root;

  const lists = nodes.filter(({ name, value, depth }) => {
    if (depth === 0 || ABOUT_WEBHOOKS.test(name)) return false;
    return isEmpty(value)
      ? MAY_BE_EMPTY.test(name)
      : isArray(value) && (LIST.test(name) || value.some(isObject));
  });
  const namedWebhooks = nodes.filter(({ name }) => WEBHOOKS.test(name));
  const [list, other] = lists;
  if (list === undefined || !LIST.test(list.name)) return "none";
  // Another list may contain webhooks too, such as the disabled ones.
  if (other !== undefined || namedWebhooks.some((node) => !isInside(list, node))) return "several";
  // An array in a record belongs to the record, unless it is named webhooks.
  const isPart = isObject(list.parent?.value) && hasWebhookId(list.parent.value);
  return isPart && namedWebhooks.length === 0 ? "none" : list;
}

/** Whether an element is not a webhook but an account, an event or a page that contains webhooks. */
function holdsRecords(element: JsonObject): boolean {
  return membersOf(element).some(({ name, value }) => {
    if (WEBHOOKS.test(name) && (isArray(value) || isObject(value))) return true;
    return (
      !ABOUT_WEBHOOKS.test(name) &&
      isArray(value) &&
      value.some((inner) => isObject(inner) && hasWebhookId(inner))
    );
  });
}

function readIds(records: readonly JsonObject[], setting: string | undefined): Found<number> | Refusal {
  if (setting !== undefined) {
    const found = records.map((record) => toWebhookId(resolvePointer(record, setting)));
    if (found.every((id) => id !== null)) return { found, pointer: setting };
    return refuse("webhookId", "pointer", records[0]);
  }
  const rows = records.map((record) => ownNodesOf(record).filter(({ value }) => value !== null));
  const idName = ID_NAMES.find((names) => rows.some((nodes) => nodes.some(({ name }) => names.test(name))));
  const ids = rows.map((nodes) => onlyId(nodes.filter(({ name }) => idName?.test(name))));
  const found = ids.map((node) => toWebhookId(node?.value));
  if (!found.every((id) => id !== null)) return refuse("webhookId", "none", records[0]);
  return { found, pointer: ids[0] === undefined ? null : printPointer(ids[0]) };
}

/** Returns the ID node of a record; `undefined` if several names, such as `_id` and `id`, have different IDs. */
function onlyId(nodes: readonly DocumentNode[]): DocumentNode | undefined {
  const ids = nodes.filter(({ value }) => toWebhookId(value) !== null);
  return new Set(ids.map(({ value }) => String(value))).size === 1 ? ids[0] : undefined;
}

/** Returns a positive safe integer, or its decimal digits, as a webhook ID; `null` for any other value. */
function toWebhookId(value: unknown): number | null {
  const id = typeof value === "string" && /^[1-9][0-9]{0,15}$/.test(value) ? Number(value) : value;
  return typeof id === "number" && Number.isSafeInteger(id) && id > 0 ? id : null;
}

/** @param searched The document or the record to find candidates in. */
function refuse(setting: Refusal["setting"], reason: Refusal["reason"], searched: unknown): Refusal {
  const mayBeList = (value: unknown): boolean =>
    isArray(value) && (value.length === 0 || value.some(isObject));
  const nodes = [...walk(searched)].filter(({ value }) =>
    setting === "webhooks" ? mayBeList(value) : toWebhookId(value) !== null,
  );
  return { readable: false, setting, reason, candidates: listCandidates(nodes) };
}
