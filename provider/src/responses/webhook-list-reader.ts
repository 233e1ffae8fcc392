import { isComplete, type ResponseHeaders } from "./completeness.js";
import { isArray, isEmpty, isInside, isObject, normaliseName, parseDocument, walk } from "./document.js";
import type { DocumentNode, JsonObject } from "./document.js";
import { parsePointer, resolvePointer, type ResponseMapping } from "./mapping.js";
import { membersOf, placeOf, readStates, type StateReading } from "./state-reader.js";
import { isFieldName, listCandidates, printPointer } from "./structure.js";

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
/** Names under which an empty array, an empty object or null is an empty list. An empty `tags` is not. */
const MAY_BE_EMPTY = /^(?:(?:web)?hooks|data|items|results?|content|value)$/;
/** Further names of lists of webhooks. Under any other name the records need an address. */
const USUAL_NAME =
  /hook|subscription|endpoint|list$|member$|^(?:records|entries|values|rows|nodes|response)$/;
const NEVER_THE_LIST = /^(?:links?|sort|included|errors?|warnings|messages|tags)$/;
/** Lists of something else, such as `webhook_events`. */
const OTHER_LIST = /logs?$|deliver|events?$|types?$|plans?$/;
/** Arrays that are found next to webhooks, and hold none. */
const ABOUT_WEBHOOKS = /event|topic|type|tag|scope|^(?:links?|sort|included|errors?|warnings|messages)$/;
/** How many names the JSON Pointer of a recognised list has at most. */
const MAX_NAMES = 3;

/** Where an id may be in a record, what says most first. */
const ID_PLACES = ["webhookid", "hookid", "webhook/webhookid", "webhook/hookid", "webhook/id", "id"];
const ID_NAME = /^(?:webhookid|hookid|id)$/;

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
  const list = readList(document, mapping.webhooks);
  if ("readable" in list) return list;
  const records = list.found;
  const ids = readIds(records, mapping.webhookId);
  if ("readable" in ids) return ids;

  const { states, place: statePlace } = readStates(records, mapping);
  const webhooks = new Map<number, WebhookReading>();
  for (const [index, webhookId] of ids.found.entries()) {
    const record = records[index] ?? {};
    webhooks.set(webhookId, { state: null, missing: "webhookState", ...states[index], webhookId, record });
  }
  if (webhooks.size < records.length) return refuse("webhookId", "not unique", records[0]);

  const complete = mapping.complete ?? isComplete(document, records, headers, status);
  const isCertain = records.length > 0 || isArray(document) || mapping.complete === true;
  return {
    readable: true,
    webhooks,
    complete,
    provesAbsence: complete && isCertain,
    places: {
      ...(list.place !== null && { webhooks: list.place }),
      ...(ids.place !== null && { webhookId: ids.place }),
      ...(statePlace !== null && { webhookState: statePlace }),
    },
  };
}

/** Whether an object is the record of a webhook: it has the id of one, and is not a JSON-RPC response with an id. */
export function hasWebhookId(object: JsonObject): boolean {
  if (Object.hasOwn(object, "jsonrpc") || (Object.hasOwn(object, "result") && Object.hasOwn(object, "error")))
    return false;
  const members = Object.entries(object);
  return members.some(([name, value]) => toWebhookId(value) !== null && ID_NAME.test(normaliseName(name)));
}

/** Records or ids, and the JSON Pointer to them, or to the first; `null` if it cannot be shown. */
interface Found<T> {
  readonly found: readonly T[];
  readonly place: string | null;
}

function readList(document: unknown, setting: string | undefined): Found<JsonObject> | Refusal {
  if (setting !== undefined) {
    const found = recordsIn(resolvePointer(document, parsePointer(setting)));
    return found === null ? refuse("webhooks", "pointer", document) : { found, place: setting };
  }
  const node = chooseList(document);
  if (typeof node === "string") return refuse("webhooks", node, document);
  const found = recordsIn(node.value);
  if (found === null || found.some(holdsWebhooks)) return refuse("webhooks", "none", document);
  return { found, place: printPointer(node) };
}

/** The records of a list; `null` if the value is not a list of objects. */
function recordsIn(value: unknown): readonly JsonObject[] | null {
  if (isEmpty(value)) return [];
  return isArray(value) && value.every(isObject) ? value : null;
}

function chooseList(document: unknown): DocumentNode | "none" | "several" {
  const records = new Set<unknown>();
  const enters = ({ value, name, token, depth }: DocumentNode): boolean => {
    if (!isObject(value) || depth >= MAX_NAMES || NEVER_THE_LIST.test(name)) return false;
    if (hasWebhookId(value)) records.add(value);
    return depth === 0 || isFieldName(token);
  };
  const nodes = [...walk(document, enters)];
  const [root] = nodes;
  if (root !== undefined && (isArray(document) || document === null)) return root;

  const called = nodes.filter(({ name }) => WEBHOOKS.test(name));
  const [only, second] = called.filter(({ value }) => isArray(value) || isEmpty(value));
  if (only !== undefined) {
    // Elsewhere there may be webhooks as well, such as those that are disabled.
    const hasOther = nodes.some(
      ({ value, name }) => value !== only.value && !ABOUT_WEBHOOKS.test(name) && holdsIds(value),
    );
    return second === undefined && !hasOther ? only : "several";
  }

  // An array in a record is a part of that webhook, and an object called webhooks holds the list, if anything does.
  const around = called.filter(({ value }) => isObject(value));
  const isCounted = (node: DocumentNode): boolean =>
    !NEVER_THE_LIST.test(node.name) && !records.has(node.parent?.value);
  const counted = nodes.filter((node) => isCounted(node) && around.every((outer) => isInside(node, outer)));
  const empty = counted.find(({ value, name }) => isEmpty(value) && MAY_BE_EMPTY.test(name));
  const [list, other] = counted.filter(({ value }) => isArray(value) && value.some(isObject));
  if (list === undefined) return empty ?? "none";
  if (other !== undefined || empty !== undefined) return "several";
  if (OTHER_LIST.test(list.name)) return "none";
  const isUsual = MAY_BE_EMPTY.test(list.name) || USUAL_NAME.test(list.name);
  return isUsual || hasAddress(list.value) ? list : "none";
}

/** Whether the first record of a list has a URL. */
function hasAddress(list: unknown): boolean {
  const members = [...walk(isArray(list) ? list[0] : null, ({ depth }) => depth < 2)];
  return members.some(({ value }) => typeof value === "string" && /^https?:\/\//i.test(value));
}

/** Whether a value is an array of objects with ids. */
function holdsIds(value: unknown): value is readonly unknown[] {
  return isArray(value) && value.some((one) => isObject(one) && hasWebhookId(one));
}

/** Whether an element is an account, an event or a page that has webhooks, and not a webhook. */
function holdsWebhooks(element: JsonObject): boolean {
  return Object.entries(element).some(([name, value]) => {
    const isCalledSo = WEBHOOKS.test(normaliseName(name)) && (isArray(value) || isObject(value));
    return isCalledSo || (holdsIds(value) && hasAddress(value));
  });
}

function readIds(records: readonly JsonObject[], setting: string | undefined): Found<number> | Refusal {
  if (setting !== undefined) {
    const pointer = parsePointer(setting);
    const found = records.map((record) => toWebhookId(resolvePointer(record, pointer)));
    if (found.every((id) => id !== null)) return { found, place: setting };
    return refuse("webhookId", "pointer", records[0]);
  }
  const rows = records.map((record) =>
    [...membersOf(record)].filter((node) => node.value !== null && ID_PLACES.includes(placeOf(node))),
  );
  // Only the first place that there is: further ones are ids of something else.
  const place = ID_PLACES.find((one) => rows.some((nodes) => nodes.some((node) => placeOf(node) === one)));
  const ids = rows.map((nodes) => onlyId(nodes.filter((node) => placeOf(node) === place)));
  const found = ids.map((node) => toWebhookId(node?.value));
  if (!found.every((id) => id !== null)) return refuse("webhookId", "none", records[0]);
  return { found, place: ids[0] === undefined ? null : printPointer(ids[0]) };
}

/** Of two spellings of a name, such as `_id` and `id`, only one may be an id, or both are the same. */
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
