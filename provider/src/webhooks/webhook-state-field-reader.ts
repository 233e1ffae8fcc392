import { isScalar, pointersOf, resolvePointer, type DocumentNode, type JsonObject } from "../bodies/json.js";
import type { ResponseMapping } from "../bodies/response-mapping.js";
import { nodesWithin, readAt } from "./webhook-state-reader.js";

/** A member of webhook records that may hold the state, with the values seen there. */
export interface StateField {
  /** Its JSON Pointer, relative to a record. */
  readonly pointer: string;
  /** As JSON. `null` also stands for a record without the member. */
  readonly values: readonly string[];
  /** Whether some values have no known meaning until a setting maps them. */
  readonly needsWords: boolean;
}

/** Members that could hold the state, to suggest in messages. */
const MAY_BE_STATE = /(?:state|status|mode|enabled|disabled|active|paused)(?:at|on)?$/;
/** Values that are safe to show: words, flags, small numbers, dates. */
const SAFE_TO_SHOW =
  /^(?:[A-Za-z]{1,20}(?:[_ -][A-Za-z]{1,20}){0,5}|-?\d{1,3}|\d{4}-\d\d-\d\d[T \d:.,Z+-]{0,24}|)$/;
const HIDDEN = "";
const MAX_VALUES = 5;
const MAX_FIELDS = 4;
/** The first records are enough to tell. */
const MAX_RECORDS = 100;

/** Returns the members that may hold the state. All of them exist, and would work with the words set. */
export function stateFieldsOf(all: readonly JsonObject[], mapping: ResponseMapping): StateField[] {
  const records = all.slice(0, MAX_RECORDS);
  const fieldAt = (pointer: string): StateField => {
    const values = records.map((record) => shownValue(resolvePointer(record, pointer) ?? null));
    const needsWords = records.some((record) => readAt(record, pointer, mapping) === null);
    return { pointer, values: [...new Set(values)], needsWords };
  };
  const { webhookState: setting } = mapping;
  const chosen = setting === undefined ? [] : [fieldAt(setting)].filter(isUseful);
  if (chosen.length > 0) return chosen; // Only its words are missing.
  const pointers = pointersOf(records.flatMap(nodesWithin).filter(mayBeState), Infinity);
  return pointers.map(fieldAt).filter(isUseful).slice(0, MAX_FIELDS);
}

/** Whether a person can tell from the values what they mean. */
function isUseful({ values }: StateField): boolean {
  return values.length <= MAX_VALUES && !values.includes(HIDDEN) && values.some((value) => value !== "null");
}

function mayBeState({ name, value, parent }: DocumentNode): boolean {
  return isScalar(value) && [name, parent?.name ?? ""].some((one) => MAY_BE_STATE.test(one));
}

/** Returns a value as JSON; `HIDDEN` if it could be a secret. */
function shownValue(value: unknown): string {
  return isScalar(value) && SAFE_TO_SHOW.test(String(value ?? "")) ? JSON.stringify(value) : HIDDEN;
}
