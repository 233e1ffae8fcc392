import { isScalar, pointersOf, resolvePointer, type DocumentNode, type JsonObject } from "../bodies/json.js";
import type { ResponseMapping } from "../bodies/response-mapping.js";
import { readStateAt, valuesIn } from "./webhook-state-reader.js";

/** A member of webhook records that may hold the state, with the values seen there. */
export interface StateField {
  /** Its JSON Pointer, relative to a record. */
  readonly pointer: string;
  /** As JSON. `null` also stands for a record without the member. */
  readonly values: readonly string[];
  /** Whether some values have no known meaning until a setting maps them. */
  readonly needsWords: boolean;
}

/** The end of names of members that could hold the state. */
const STATE_END = /(?:state|status|mode|enabled|disabled|active|paused)(?:at|on)?$/;
/** Values that are safe to show: words, flags, small numbers, dates. */
const SAFE_TO_SHOW =
  /^(?:[A-Za-z]{1,20}(?:[_ -][A-Za-z]{1,20}){0,5}|-?\d{1,3}|\d{4}-\d\d-\d\d[T \d:.,Z+-]{0,24}|)$/;
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
  const pointers = pointersOf(records.flatMap(valuesIn).filter(mayBeState), Infinity);
  const fields = pointers.map(fieldAt).filter((field) => field !== null);
  return fields.slice(0, MAX_FIELDS);
}

/** Returns the member at a JSON Pointer; `null` if a person could not tell what its values mean. */
function readField(
  pointer: string,
  records: readonly JsonObject[],
  mapping: ResponseMapping,
): StateField | null {
  const values = [...new Set(records.map((record) => resolvePointer(record, pointer) ?? null))];
  const isTelling =
    values.length <= MAX_VALUES && values.every(isSafeToShow) && values.some((value) => value !== null);
  if (!isTelling) return null;
  const needsWords = records.some((record) => readStateAt(record, pointer, mapping) === null);
  return { pointer, values: values.map((value) => JSON.stringify(value)), needsWords };
}

function mayBeState({ name, value, parent }: DocumentNode): boolean {
  return isScalar(value) && [name, parent?.name ?? ""].some((one) => STATE_END.test(one));
}

function isSafeToShow(value: unknown): boolean {
  return isScalar(value) && SAFE_TO_SHOW.test(String(value ?? ""));
}
