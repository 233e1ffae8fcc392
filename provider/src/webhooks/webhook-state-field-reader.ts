import {
  isScalar,
  normalizeName,
  pointersOf,
  resolvePointer,
  type DocumentNode,
  type JsonObject,
} from "../bodies/json.js";
import type { ResponseMapping } from "../bodies/response-mapping.js";
import { isOwnMember, isStoppedTime, isTime, readStateAt, valuesIn } from "./webhook-state-reader.js";

/** A member of webhook records that may hold the state, with the values seen there. */
export interface StateField {
  /** Its JSON Pointer, relative to a record. */
  readonly pointer: string;
  /** As JSON. `null` also stands for a record without the member. */
  readonly values: readonly string[];
  /** Whether some values have no known meaning until a setting maps them. */
  readonly needsWords: boolean;
}

/** The end of names of members that could hold the state, besides the times of a stop. */
const STATE_END = /(?:state|status|mode|enabled|disabled|active|paused|suspended|deactivated|stopped)$/;
/**
 * What names contain that are about something else, such as `last_delivery_status`. With the setting there,
 * drift may never show, so such a member is proposed only if one of its values says "disabled".
 */
const ABOUT_OTHER =
  /deliver|health|http|event|retr|attempt|respon|request|error|fail|verif|secret|ssl|tls|owner|user|account/;
/** Values that are safe to show: words, flags, small numbers, Unix times, dates. */
const SAFE_TO_SHOW = new RegExp(
  "^(?:[A-Za-z]{1,20}(?:[_ -][A-Za-z]{1,20}){0,5}|-?\\d{1,3}|[12]\\d{9}(?:\\d{3})?|" +
    "\\d{4}-\\d\\d-\\d\\d[T \\d:.,Z+-]{0,24}|)$",
);
const MAX_VALUES = 5;
const MAX_FIELDS = 4;
/** The first records are enough to tell. */
const MAX_RECORDS = 100;

/** Returns the members that may hold the state. All of them exist, and would work with the words set. */
export function stateFieldsOf(all: readonly JsonObject[], mapping: ResponseMapping): StateField[] {
  const records = all.slice(0, MAX_RECORDS);
  const fieldAt = (pointer: string): StateField | null => readField(pointer, records, mapping);
  const chosen = mapping.webhookState === undefined ? null : fieldAt(mapping.webhookState);
  if (chosen !== null) return [chosen]; // Only its words are missing.
  const nodes = records.flatMap(valuesIn).filter(mayBeState);
  const own = new Set(nodes.filter(isAboutRecord).map(({ pointer }) => pointer));
  const statesAt = (pointer: string) => records.map((record) => readStateAt(record, pointer, mapping));
  const showsStop = (pointer: string): boolean => statesAt(pointer).includes("disabled");
  const isRelevant = (pointer: string): boolean => {
    const isAboutOther = ABOUT_OTHER.test(normalizeName(pointer));
    // Of what is only linked, "active" or null says nothing about the webhook.
    return !isAboutOther && (own.has(pointer) || statesAt(pointer).includes(null));
  };
  const pointers = pointersOf(nodes, Infinity);
  const stops = pointers.filter(showsStop);
  const others = pointers.filter((pointer) => !stops.includes(pointer) && isRelevant(pointer));
  // First what shows a stop. A webhook that is declared active, and wrongly shown as stopped, is said to
  // drift at each refresh. Of one that is wrongly shown as active, nothing is said.
  const fields = [...stops, ...others].map(fieldAt).filter((field) => field !== null);
  const readable = fields.filter(({ needsWords }) => !needsWords);
  return (readable.length > 0 ? readable : fields).slice(0, MAX_FIELDS); // One setting is better than three.
}

/** Returns the member at a JSON Pointer; `null` if a person could not tell what its values mean. */
function readField(
  pointer: string,
  records: readonly JsonObject[],
  mapping: ResponseMapping,
): StateField | null {
  const all = records.map((record) => resolvePointer(record, pointer) ?? null);
  const time = all.find(isTime); // One of them stands for all: each webhook was stopped at another.
  const values = [...new Set(all.map((value) => (isTime(value) ? time : value)))];
  const isStop = isStoppedTime(pointer);
  const isTelling =
    values.length <= MAX_VALUES &&
    values.every(isSafeToShow) &&
    (isStop || (time === undefined && values.some((value) => value !== null)));
  if (!isTelling) return null;
  const needsWords = records.some((record) => readStateAt(record, pointer, mapping) === null);
  return { pointer, values: values.map((value) => JSON.stringify(value)), needsWords };
}

/** Whether a member belongs to its record, or to an object there that has the name of a state. */
function isAboutRecord(node: DocumentNode): boolean {
  const { parent } = node;
  return isOwnMember(node) || (parent !== null && STATE_END.test(parent.name) && isOwnMember(parent));
}

function mayBeState({ name, value, parent }: DocumentNode): boolean {
  const isState = (one: string): boolean => STATE_END.test(one) || isStoppedTime(one);
  return isScalar(value) && [name, parent?.name ?? ""].some(isState);
}

function isSafeToShow(value: unknown): boolean {
  return isScalar(value) && SAFE_TO_SHOW.test(String(value ?? ""));
}
