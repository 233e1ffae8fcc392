import {
  isArray,
  isObject,
  nameSet,
  nodesOf,
  normalizeName,
  pointersOf,
  resolvePointer,
  type DocumentNode,
  type JsonObject,
} from "../json.js";
import type { ResponseMapping } from "./mapping.js";
import { readStateWord } from "./state-reader.js";

/** The records of a list, wherever they are. */
export interface FoundList {
  readonly pointer: string | null;
  /** `null` for an element that is not an object. */
  readonly records: readonly (JsonObject | null)[];
  /** The IDs of the records, if the list is an object with a member for each; `null` if not. */
  readonly keys: readonly string[] | null;
  /** The name of the array of each record, if there is one array for each state; `null` if not. */
  readonly groups: readonly string[] | null;
  /** The values of the document that hold nothing but records. */
  readonly parts: readonly unknown[];
  /**
   * Whether the document may have further webhooks: it has records of the same kind elsewhere, or there is no
   * array for the other state.
   */
  readonly isPart: boolean;
}

type Records = Omit<FoundList, "pointer" | "isPart">;

/** The names of lists, and the ends of further ones. Other lists may contain users or partners. */
const LISTS = nameSet(
  "data items results result list values value entries records rows nodes edges elements objects " +
    "resources entities models documents content contents collection response responses member hydraMember " +
    "payload webhookList userWebhookList webhookConfigs webhookConfigurations configurations " +
    "notificationConfigurations notifications notificationSettings integrations extensions addons triggers " +
    "destinations apiDestinations listeners callbacks sinks streams connections eventSourceMappings " +
    "registrations",
);
const LIST_END = /(?:hooks|subscriptions|endpoints)$/;
/** The maximum number of names in the pointer to a list. */
export const MAX_DEPTH = 3;
/** Names of arrays that hold the webhooks in one state. Other words for states are also those of results. */
const GROUPS = nameSet("active enabled disabled inactive paused suspended deactivated");

/** Whether a name is one of a list, or of an object around it. @param name A normalized name. */
export function isListName(name: string): boolean {
  return LISTS.has(name) || LIST_END.test(name);
}

/** Finds the list at a setting, or the only one under a usual name. */
export function findList(
  document: unknown,
  mapping: ResponseMapping,
): FoundList | "none" | "several" | "pointer" {
  const { webhooks: setting } = mapping;
  const isOpen = ({ value, depth }: DocumentNode): boolean => isObject(value) && depth < MAX_DEPTH;
  if (setting !== undefined) {
    const records = recordsAt(resolvePointer(document, setting), mapping);
    return records === null ? "pointer" : foundAt(document, records, setting, mapping);
  }
  const nodes = [...nodesOf(document, isOpen)].filter(({ name, depth }) => depth === 0 || isListName(name));
  const arrays = nodes.filter(({ value }) => isArray(value) && recordsIn(value) !== null);
  const groups = nodes.filter(({ value }) => groupsIn(value, mapping) !== null);
  const isInGroup = ({ value }: DocumentNode): boolean =>
    groups.some((node) => groupsIn(node.value, mapping)?.parts.includes(value));
  const others = nodes.filter(({ value }) => value === null || mapIn(value) !== null);
  const plain = arrays.filter((node) => !isInGroup(node));
  const [lists = []] = [plain, groups, others].filter(({ length }) => length > 0);
  const [list, other] = lists;
  const records = list === undefined ? null : recordsAt(list.value, mapping);
  if (list === undefined || records === null) return "none";
  return other === undefined ? foundAt(document, records, list.pointer, mapping) : "several";
}

/** Returns the JSON Pointers to possible lists. None is to a list of the webhooks in one state. */
export function listCandidates(document: unknown, mapping: ResponseMapping): string[] {
  const isCandidate = ({ value, token }: DocumentNode): boolean =>
    isArray(value) && recordsIn(value) !== null && groupState(token, mapping) === null;
  return pointersOf(nodesOf(document).filter(isCandidate));
}

/** Returns the state of the webhooks in an array of this name; `null` if it says nothing about it. */
export function groupState(token: string, mapping: ResponseMapping) {
  const word = normalizeName(token).replace(LIST_END, "").replace(/web$/, "");
  const isConfigured = mapping.active !== undefined || mapping.disabled !== undefined;
  return GROUPS.has(word) || isConfigured ? readStateWord(word, mapping) : null;
}

function foundAt(
  document: unknown,
  records: Records,
  pointer: string | null,
  mapping: ResponseMapping,
): FoundList {
  const states = new Set(records.groups?.map((name) => groupState(name, mapping)));
  const hasOneState = records.groups !== null && states.size < 2 && records.parts.length < 2;
  return { ...records, pointer, isPart: hasOneState || hasSimilar(document, records) };
}

/** Reads the records of any form of list. */
function recordsAt(value: unknown, mapping: ResponseMapping): Records | null {
  const records = recordsIn(value);
  if (records !== null) return { records, keys: null, groups: null, parts: [value] };
  return groupsIn(value, mapping) ?? mapIn(value);
}

/** Returns the records of an array; `null` for anything else. Services in Go send null for an empty array. */
function recordsIn(value: unknown): FoundList["records"] | null {
  if (value === null) return [];
  if (!isArray(value)) return null;
  return value.length === 0 ? [] : recordsAmong(value);
}

/**
 * Reads objects, and scalars among them: one record that is null must not make the others unmanageable.
 * `null` if there is no object, or if anything is an array.
 */
function recordsAmong(values: readonly unknown[]): FoundList["records"] | null {
  if (!values.some(isObject) || values.some(isArray)) return null;
  return values.map((value) => (isObject(value) ? value : null));
}

/** Reads an object with an array for each state, such as `{ active: […], disabled: […] }`. */
function groupsIn(value: unknown, mapping: ResponseMapping): Records | null {
  if (!isObject(value)) return null;
  const arrays = Object.entries(value).flatMap(([token, array]) => {
    const records = isArray(array) && groupState(token, mapping) !== null ? recordsIn(array) : null;
    return records === null ? [] : [{ token, array, records }];
  });
  if (arrays.length === 0) return null;
  return {
    records: arrays.flatMap(({ records }) => records),
    keys: null,
    groups: arrays.flatMap(({ token, records }) => records.map(() => token)),
    parts: arrays.map(({ array }) => array),
  };
}

/** Reads an object with a member for each webhook, such as `{ "101": {…} }`. */
function mapIn(value: unknown): Records | null {
  if (!isObject(value)) return null;
  const entries = Object.entries(value);
  const records = recordsAmong(entries.map(([, record]) => record));
  if (records === null || !entries.every(([key]) => /^\d+$/.test(key))) return null;
  return { records, keys: entries.map(([key]) => key), groups: null, parts: [value] };
}

/** Whether a document has records elsewhere that have at least half of their names in common with these. */
function hasSimilar(document: unknown, { records, parts }: Records): boolean {
  const first = records.find(isObject);
  if (first === undefined) return false;
  const names = namesOf(first);
  const isOpen = ({ value, depth }: DocumentNode): boolean =>
    !parts.includes(value) && isObject(value) && depth < MAX_DEPTH;
  for (const { value } of nodesOf(document, isOpen)) {
    const other = parts.includes(value) || !isArray(value) ? undefined : recordsIn(value)?.find(isObject);
    if (other === undefined) continue;
    const others = namesOf(other);
    const common = [...others].filter((name) => names.has(name)).length;
    if (2 * common >= names.size + others.size - common) return true;
  }
  return false;
}

function namesOf(record: JsonObject): Set<string> {
  return new Set(Object.keys(record).map(normalizeName));
}
