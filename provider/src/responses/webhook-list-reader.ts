import type { WebhookState } from "../api/operations.js";
import { isComplete, type ResponseHeaders } from "./completeness.js";
import {
  isArray,
  isObject,
  normaliseName,
  parseDocument,
  walk,
  type DocumentNode,
  type JsonObject,
} from "./document.js";
import { isFieldName, listCandidates, parsePointer, printPointer, resolvePointer } from "./json-pointer.js";
import type { ResponseMapping } from "./mapping.js";
import { isStateName, readStates } from "./state-reader.js";

export type { ResponseHeaders } from "./completeness.js";

/** One record of the list of webhooks. */
export interface WebhookReading {
  /** The id, a positive safe integer. */
  readonly webhookId: number;
  /** The state; `null` if the record does not say it in a way that is certain. */
  readonly state: WebhookState | null;
  /**
   * Which setting would tell the state; `null` where it is known. `active` stands for the pair `active` and `disabled`: a
   * field for the state was found, and its value is not known.
   */
  readonly missing: "webhookState" | "active" | null;
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
/** Names of a list that has no better one. */
const USUAL_NAME =
  /hook|subscription|endpoint|list$|member$|^(?:data|items|results?|records|entries|content|values?|rows|elements|objects|nodes|response|payload)$/;
/** Names under which nothing at all is an empty list. An empty `tags` must not be one. */
const MAY_BE_EMPTY = /^(?:(?:web)?hooks|data|items|results?|content|value)$/;
const NEVER_THE_LIST = /^(?:links?|sort|included|errors?|warnings|messages|tags)$/;
/** How many names the JSON Pointer of a recognised list has at most. */
const MAX_DEPTH = 3;

/** Where an id may be, what says most first: in the record, or in its object `webhook`. */
const ID_PLACES = ["webhookid", "hookid", "webhook/webhookid", "webhook/hookid", "webhook/id", "id"];
const DECIMAL = /^[1-9][0-9]{0,15}$/;

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
  const list = mapping.webhooks === undefined ? recogniseList(document) : listAt(document, mapping.webhooks);
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
  if (webhooks.size < records.length) return refuse("webhookId", "not unique", idCandidates(records));

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

/** The records of the list; `place` is the JSON Pointer to it, `null` if it cannot be shown. */
interface List {
  readonly records: readonly JsonObject[];
  readonly place: string | null;
}

function listAt(document: unknown, setting: string): List | Refusal {
  const value = resolvePointer(document, parsePointer(setting));
  const elements = value === null ? [] : value;
  if (isArray(elements) && elements.every(isObject)) return { records: elements, place: setting };
  return refuse("webhooks", "pointer", listCandidates(possibleLists(document)));
}

function recogniseList(document: unknown): List | Refusal {
  const search = isArray(document) || document === null ? null : searchList(document);
  const node = search === null ? ([...walk(document, () => false)][0] ?? "none") : chooseList(search);
  if (typeof node === "string") return refuse("webhooks", node, listCandidates(possibleLists(document)));
  const elements = isArray(node.value) ? node.value : [];
  if (elements.every(isObject) && !holdListsOfWebhooks(elements)) {
    return { records: elements, place: printPointer(node) };
  }
  return refuse("webhooks", "none", listCandidates(possibleLists(document)));
}

/** What of a document may be the list. */
interface ListSearch {
  /** Arrays, and null, that are named as the list. */
  readonly named: DocumentNode[];
  /** Objects that are named as the list: it is in there, if anywhere. */
  readonly around: DocumentNode[];
  /** Arrays that hold objects. */
  readonly filled: DocumentNode[];
  /** What may be an empty list. */
  readonly empty: DocumentNode[];
}

function searchList(document: unknown): ListSearch {
  const search: ListSearch = { named: [], around: [], filled: [], empty: [] };
  const records = new Map<unknown, boolean>();
  const isRecord = (node: DocumentNode | null): boolean => {
    if (node === null || !isObject(node.value)) return false;
    const known = records.get(node.value) ?? hasWebhookId(node.value);
    records.set(node.value, known);
    return known;
  };
  const enters = ({ value, name, token, depth }: DocumentNode): boolean =>
    isObject(value) && depth < MAX_DEPTH && !NEVER_THE_LIST.test(name) && !DECIMAL.test(token);

  for (const node of walk(document, enters)) {
    const { value, name, parent } = node;
    const isEmpty = value === null || (typeof value === "object" && Object.keys(value).length === 0);
    if (WEBHOOKS.test(name) && (isArray(value) || value === null)) search.named.push(node);
    else if (WEBHOOKS.test(name) && isObject(value) && !isEmpty) search.around.push(node);
    // An array in what has the id of a webhook is a part of its record.
    if (NEVER_THE_LIST.test(name) || isRecord(parent)) continue;
    if (isEmpty && MAY_BE_EMPTY.test(name)) search.empty.push(node);
    else if (isArray(value) && value.some(isObject)) search.filled.push(node);
  }
  return search;
}

function chooseList({ named, around, filled, empty }: ListSearch): DocumentNode | "none" | "several" {
  const [only, second] = named;
  if (only !== undefined) return second === undefined ? only : "several";
  const [list, other] = filled;
  if (other !== undefined || (list !== undefined && empty.length > 0)) return "several";
  const node = list ?? empty.find(({ value }) => isArray(value)) ?? empty[0];
  if (node === undefined || !around.every((outer) => isInside(node, outer))) return "none";
  if (list !== undefined && !USUAL_NAME.test(list.name) && !looksLikeWebhooks(list.value)) return "none";
  return node;
}

function isInside(node: DocumentNode, outer: DocumentNode): boolean {
  for (let one: DocumentNode | null = node; one !== null; one = one.parent) if (one === outer) return true;
  return false;
}

/** Whether the first record has an address or a field for a state. Only asked of lists whose name says nothing. */
function looksLikeWebhooks(elements: unknown): boolean {
  const first: unknown = isArray(elements) ? elements[0] : undefined;
  for (const { name, value } of walk(first, ({ depth }) => depth < 2)) {
    if (isStateName(name) || (typeof value === "string" && /^https?:\/\//i.test(value))) return true;
  }
  return false;
}

/** Whether the elements are accounts or pages that have webhooks, and not webhooks. */
function holdListsOfWebhooks(elements: readonly JsonObject[]): boolean {
  const isList = rememberNames((name) => WEBHOOKS.test(name));
  return elements.some((element) =>
    Object.keys(element).some((name) => isList(name) && isArray(element[name])),
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
    return refuse("webhookId", "pointer", idCandidates(records));
  }
  const columns = readIdColumns(records);
  // Only the first that there is: further ones are ids of something else.
  const column = columns.find(({ isPresent }) => isPresent);
  if (records.length === 0) return { ids: [], place: null };
  if (column === undefined || column.ids.length < records.length || column.ids.includes(0)) {
    return refuse("webhookId", "none", idCandidates(records));
  }
  return { ids: column.ids, place: column.pointer };
}

/** The ids in one of the places; 0 where a record has something else there. */
interface IdColumn {
  readonly ids: number[];
  pointer: string;
  isPresent: boolean;
}

function readIdColumns(records: readonly JsonObject[]): IdColumn[] {
  const columns = ID_PLACES.map((): IdColumn => ({ ids: [], pointer: "", isPresent: false }));
  const placeOf = rememberNames((name) => ID_PLACES.indexOf(name));
  const innerPlaceOf = rememberNames((name) => ID_PLACES.indexOf(`webhook/${name}`));
  const isWebhook = rememberNames((name) => name === "webhook");

  const take = (place: number, value: unknown, row: number, ...path: string[]): void => {
    const column = columns[place];
    if (column === undefined || value === null) return;
    column.isPresent = true;
    const id = toWebhookId(value);
    // Of two spellings, such as "_id" and "id", only one may be an id, or both must be the same.
    if (id === null) return;
    column.pointer ||= path.map((name) => `/${isFieldName(name) ? name : "*"}`).join("");
    if (column.ids.length === row) column.ids.push(id);
    else if (column.ids.length === row + 1 && column.ids[row] !== id) column.ids[row] = 0;
  };
  for (const [row, record] of records.entries()) {
    for (const name of Object.keys(record)) {
      const value = record[name];
      take(placeOf(name), value, row, name);
      if (!isWebhook(name) || !isObject(value)) continue;
      for (const inner of Object.keys(value)) take(innerPlaceOf(inner), value[inner], row, name, inner);
    }
  }
  return columns;
}

function idCandidates(records: readonly JsonObject[]): string[] {
  return listCandidates([...walk(records[0])].filter(({ value }) => toWebhookId(value) !== null));
}

function hasWebhookId(object: JsonObject): boolean {
  return Object.entries(object).some(
    ([name, value]) => toWebhookId(value) !== null && /^(?:webhookid|hookid|id)$/.test(normaliseName(name)),
  );
}

/** The webhook id that a value is: a positive safe integer, or the decimal digits of one. */
function toWebhookId(value: unknown): number | null {
  const id = typeof value === "string" && DECIMAL.test(value) ? Number(value) : value;
  return typeof id === "number" && Number.isSafeInteger(id) && id > 0 ? id : null;
}

/** A function of normalised names that remembers what it said, because the records of a list repeat the same few names. */
function rememberNames<T>(judge: (name: string) => T): (rawName: string) => T {
  const known = new Map<string, T>();
  return (rawName) => {
    let answer = known.get(rawName);
    if (answer === undefined) known.set(rawName, (answer = judge(normaliseName(rawName))));
    return answer;
  };
}

function refuse(
  setting: Refusal["setting"],
  reason: Refusal["reason"],
  candidates: readonly string[],
): Refusal {
  return { readable: false, setting, reason, candidates };
}
