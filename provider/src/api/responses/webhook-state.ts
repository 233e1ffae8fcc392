import type { WebhookState } from "../operations.js";
import type { ResponseMapping } from "../responses.js";
import type { JsonObject } from "./json.js";
import { normalise } from "./names.js";
import { findPaths, printPaths } from "./paths.js";
import { parsePointer, resolve } from "./pointer.js";
import {
  isFlag,
  kindOfStateField,
  stateOf,
  toBoolean,
  type StateClaim,
  type StateFieldKind,
} from "./state-fields.js";
import { createStateWords, isScalar, type StateWords } from "./state-words.js";
import type { Field } from "./webhook-fields.js";

/** The state of one record; both are `null` when the record does not say it in a way we know. */
export interface StateReading {
  readonly state: WebhookState | null;
  readonly problem: string | null;
}

const SET_STATE =
  "Set partners:responses.webhookState to the JSON Pointer of the state, relative to a record of the list.";
const UNKNOWN: StateReading = { state: null, problem: null };
const KNOWN: Readonly<Record<WebhookState, StateReading>> = {
  active: { state: "active", problem: null },
  disabled: { state: "disabled", problem: null },
};

/**
 * The states of all records, in their order.
 *
 * @param fields the fields of each record, at least those of `STATE_NAMES`.
 */
export function readStates(
  records: readonly JsonObject[],
  fields: readonly (readonly Field[])[],
  mapping: ResponseMapping,
): StateReading[] {
  if (mapping.webhookState !== undefined) return statesAt(records, mapping.webhookState, mapping);
  const words = createStateWords(mapping);
  const counts = findCounts(fields);
  return fields.map((record) => combine(record, (field) => claimInField(field, counts, words)));
}

/**
 * The state that the fields of a record tell together. A stop is no vote for "disabled", which may be another thing to the
 * service, but with it nobody knows that the webhook is active: then it is set to what it should be, whatever it is.
 */
function combine(record: readonly Field[], claimIn: (field: Field) => StateClaim | null): StateReading {
  let told: WebhookState | null = null;
  let stopped = false;
  for (const field of record) {
    const claim = claimIn(field);
    if (claim === null) continue;
    if (claim === "stopped") {
      stopped = true;
    } else {
      if (told !== null && told !== claim) return disagree(record.filter((one) => isState(claimIn(one))));
      told = claim;
    }
  }
  return told === null || (stopped && told === "active") ? UNKNOWN : KNOWN[told];
}

function isState(claim: StateClaim | null): claim is WebhookState {
  return claim !== null && claim !== "stopped";
}

function claimInField(
  { column, value }: Field,
  counts: ReadonlySet<string>,
  words: StateWords,
): StateClaim | null {
  const kind = kindOfStateField(column.name);
  return kind === null || counts.has(column.key) ? null : stateOf(kind, value, words);
}

function disagree(fields: readonly Field[]): StateReading {
  const paths = printPaths(fields.map(({ column }) => column.path));
  return {
    state: null,
    problem: `The record has fields that disagree about the state: ${paths}. ${SET_STATE}`,
  };
}

/**
 * The columns that look like flags by name and are none, because some record has another value there: `active: 3` is a
 * count, and then so is `active: 1`. Numbers are believed only if every record has one: a count that is 0 may be left out.
 */
function findCounts(fields: readonly (readonly Field[])[]): Set<string> {
  const seen = new Map<string, { present: number; numbers: boolean; others: boolean }>();
  for (const record of fields) {
    for (const { column, value } of record) {
      const kind = kindOfStateField(column.name);
      if (kind === null || !isFlag(kind) || value === null) continue;
      const values = seen.get(column.key) ?? { present: 0, numbers: false, others: false };
      values.present += 1;
      values.numbers ||= typeof value === "number";
      values.others ||= toBoolean(value) === null;
      seen.set(column.key, values);
    }
  }
  const counts = new Set<string>();
  for (const [key, { present, numbers, others }] of seen) {
    if (others || (numbers && present < fields.length)) counts.add(key);
  }
  return counts;
}

function statesAt(records: readonly JsonObject[], setting: string, mapping: ResponseMapping): StateReading[] {
  const pointer = parsePointer(setting);
  const words = createStateWords(mapping);
  const ownWords = mapping.active !== undefined || mapping.disabled !== undefined;
  const kind = kindOfStateField(normalise(pointer?.at(-1) ?? ""));
  let miss: StateReading | undefined;
  return records.map((record) => {
    const value = resolve(record, pointer);
    // One message serves all records: to search each of them for candidates could take seconds.
    if (!isScalar(value)) return (miss ??= { state: null, problem: describeMiss(record) });
    const state = words(value) ?? (ownWords ? null : readByName(kind, value, words));
    return state === null ? UNKNOWN : KNOWN[state];
  });
}

/** Under a name we do not know (`paused`, `live`), true may mean either state: only the user can say which. */
function readByName(kind: StateFieldKind | null, value: unknown, words: StateWords): WebhookState | null {
  if (kind === null) return null;
  const isYesOrNo = kind === "word" && typeof value === "boolean";
  const claim = stateOf(isYesOrNo ? "active-flag" : kind, value, words);
  return isState(claim) ? claim : null;
}

function describeMiss(record: JsonObject): string {
  const paths = printPaths(findPaths(record, (value, name) => name !== "" && isScalar(value)));
  const candidates = paths === "" ? "" : ` A record has: ${paths}.`;
  return `partners:responses.webhookState finds no single value in the record of this webhook.${candidates} ${SET_STATE}`;
}
