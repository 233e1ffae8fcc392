import { isComplete, type ResponseHeaders } from "./completeness.js";
import {
  isArray,
  isFieldName,
  isInside,
  isObject,
  listCandidates,
  normaliseName,
  parseDocument,
  parsePointer,
  printPointer,
  resolvePointer,
  walk,
  type DocumentNode,
  type JsonObject,
} from "./document.js";
import type { ResponseMapping } from "./mapping.js";
import { membersOf, placeOf, readStates, type StateReading } from "./state-reader.js";

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
/** How many names the JSON Pointer of a recognised list has at most. */
const MAX_NAMES = 3;

/** Where an id may be in a record, what says most first. */
const ID_PLACES = ["webhookid", "hookid", "webhook/webhookid", "webhook/hookid", "webhook/id", "id"];

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
  if (document === undefined) return refuse("webhooks", "not JSON", []);
  const list = readList(document, mapping.webhooks);
  if ("readable" in list) return list;

  const { records, place } = list;
  const ids = readIds(records, mapping.webhookId);
  if ("readable" in ids) return ids;
  const { states, place: statePlace } = readStates(records, mapping);
  const webhooks = new Map<number, WebhookReading>();
  for (const [index, record] of records.entries()) {
    const webhookId = ids.ids[index] ?? 0;
    const { state, missing } = states[index] ?? { state: null, missing: "webhookState" };
    webhooks.set(webhookId, { webhookId, state, missing, record });
  }
  if (webhooks.size < records.length) return refuse("webhookId", "not unique", possibleIds(records));

  const complete = mapping.complete ?? isComplete(document, records, headers, status);
  const isCertain = records.length > 0 || isArray(document) || mapping.complete === true;
  return {
    readable: true,
    webhooks,
    complete,
    provesAbsence: complete && isCertain,
    places: {
      ...(place !== null && { webhooks: place }),
      ...(ids.place !== null && { webhookId: ids.place }),
      ...(statePlace !== null && { webhookState: statePlace }),
    },
  };
}

/** Whether an object is the record of a webhook: it has the id of one. */
export function hasWebhookId(object: JsonObject): boolean {
  return Object.entries(object).some(
    ([name, value]) => toWebhookId(value) !== null && /^(?:webhookid|hookid|id)$/.test(normaliseName(name)),
  );
}

/** The records of the list; `place` is the JSON Pointer to it, `null` if it cannot be shown. */
interface List {
  readonly records: readonly JsonObject[];
  readonly place: string | null;
}

function readList(document: unknown, setting: string | undefined): List | Refusal {
  if (setting !== undefined) {
    const records = recordsIn(resolvePointer(document, parsePointer(setting)));
    return records === null
      ? refuse("webhooks", "pointer", possibleLists(document))
      : { records, place: setting };
  }
  const node = chooseList(document);
  if (typeof node === "string") return refuse("webhooks", node, possibleLists(document));
  const records = recordsIn(node.value);
  if (records === null || records.some(holdsWebhooks))
    return refuse("webhooks", "none", possibleLists(document));
  return { records, place: printPointer(node) };
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
  if (only !== undefined) return second === undefined ? only : "several";

  // An object called webhooks holds the list, if anything does. An array in a record belongs to that webhook.
  const around = called.filter(({ value }) => isObject(value));
  const counted = nodes.filter(
    (node) =>
      !NEVER_THE_LIST.test(node.name) &&
      !records.has(node.parent?.value) &&
      around.every((outer) => isInside(node, outer)),
  );
  const empty = counted.find(({ value, name }) => isEmpty(value) && MAY_BE_EMPTY.test(name));
  const [list, other] = counted.filter(({ value }) => isArray(value) && value.some(isObject));
  if (list === undefined) return empty ?? "none";
  if (other !== undefined || empty !== undefined) return "several";
  const isUsual = MAY_BE_EMPTY.test(list.name) || USUAL_NAME.test(list.name);
  return isUsual || hasAddress(list.value) ? list : "none";
}

function isEmpty(value: unknown): boolean {
  return value === null || (typeof value === "object" && Object.keys(value).length === 0);
}

/** Whether the first record of a list has a URL. */
function hasAddress(list: unknown): boolean {
  for (const { value } of walk(isArray(list) ? list[0] : null, ({ depth }) => depth < 2)) {
    if (typeof value === "string" && /^https?:\/\//i.test(value)) return true;
  }
  return false;
}

/** Whether an element is an account or a page that has webhooks, and not a webhook. */
function holdsWebhooks(element: JsonObject): boolean {
  return Object.entries(element).some(
    ([name, value]) => isArray(value) && WEBHOOKS.test(normaliseName(name)),
  );
}

function* possibleLists(document: unknown): Generator<DocumentNode, void, undefined> {
  for (const node of walk(document)) {
    if (isArray(node.value) && (node.value.length === 0 || node.value.some(isObject))) yield node;
  }
}

/** The ids of the records in their order, and where the first record has its own. */
interface Ids {
  readonly ids: readonly number[];
  readonly place: string | null;
}

function readIds(records: readonly JsonObject[], setting: string | undefined): Ids | Refusal {
  if (setting !== undefined) {
    const pointer = parsePointer(setting);
    const ids = records.map((record) => toWebhookId(resolvePointer(record, pointer)));
    if (ids.every((id) => id !== null)) return { ids, place: setting };
    return refuse("webhookId", "pointer", possibleIds(records));
  }
  if (records.length === 0) return { ids: [], place: null };
  const rows = records.map(idNodes);
  // Only the first place that there is: further ones are ids of something else.
  const place = ID_PLACES.find((one) => rows.some((nodes) => nodes.some((node) => placeOf(node) === one)));
  const found = rows.map((nodes) => onlyId(nodes.filter((node) => placeOf(node) === place)));
  const ids = found.map((node) => toWebhookId(node?.value));
  if (!ids.every((id) => id !== null)) return refuse("webhookId", "none", possibleIds(records));
  return { ids, place: found[0] === undefined ? null : printPointer(found[0]) };
}

function idNodes(record: JsonObject): DocumentNode[] {
  return [...membersOf(record)].filter((node) => node.value !== null && ID_PLACES.includes(placeOf(node)));
}

/** Of two spellings of a name, such as `_id` and `id`, only one may be an id, or both are the same. */
function onlyId(nodes: readonly DocumentNode[]): DocumentNode | undefined {
  const ids = nodes.filter(({ value }) => toWebhookId(value) !== null);
  return new Set(ids.map(({ value }) => String(value))).size === 1 ? ids[0] : undefined;
}

function* possibleIds(records: readonly JsonObject[]): Generator<DocumentNode, void, undefined> {
  for (const node of walk(records[0])) if (toWebhookId(node.value) !== null) yield node;
}

/** The webhook id that a value is: a positive safe integer, or the decimal digits of one. */
function toWebhookId(value: unknown): number | null {
  const id = typeof value === "string" && /^[1-9][0-9]{0,15}$/.test(value) ? Number(value) : value;
  return typeof id === "number" && Number.isSafeInteger(id) && id > 0 ? id : null;
}

function refuse(
  setting: Refusal["setting"],
  reason: Refusal["reason"],
  nodes: Iterable<DocumentNode>,
): Refusal {
  return { readable: false, setting, reason, candidates: listCandidates(nodes) };
}
