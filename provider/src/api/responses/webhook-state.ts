import type { WebhookState } from "../operations.js";
import type { ResponseMapping } from "../responses.js";
import type { JsonObject } from "./json.js";
import { normalise } from "./names.js";
import { findPaths, printPaths } from "./paths.js";
import { parsePointer, resolve, type Pointer } from "./pointer.js";
import {
  isFlag,
  kindOfStateField,
  STATE_NAMES,
  stateOf,
  toBoolean,
  type StateClaim,
  type StateFieldKind,
} from "./state-fields.js";
import { createStateWords, isScalar, type StateWords } from "./state-words.js";
import { readFields, type Column } from "./webhook-fields.js";

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

/** What the fields of a record claim, as bits of one number. */
const CLAIMS: Readonly<Record<StateClaim, number>> = { active: 1, disabled: 2, stopped: 4 };
const DISAGREEMENT = CLAIMS.active | CLAIMS.disabled;

const STATE_NAME_SET: ReadonlySet<string> = new Set(STATE_NAMES);

/**
 * The states of all records, in their order.
 *
 * @param columns what the records have, at least under `STATE_NAMES`.
 */
export function readStates(
  records: readonly JsonObject[],
  columns: ReadonlyMap<string, Column>,
  mapping: ResponseMapping,
): StateReading[] {
  if (mapping.webhookState !== undefined) return statesAt(records, mapping.webhookState, mapping);
  const words = createStateWords(mapping);
  const claims = new Uint8Array(records.length);
  const believed = [...columns.values()].filter((column) => !isCount(column, records.length));
  for (const column of believed) {
    const kind = kindOfStateField(column.name);
    if (kind === null) continue;
    column.values.forEach((value, index) => {
      const claim = stateOf(kind, value, words);
      const row = column.rowOf(index);
      if (claim !== null) claims[row] = (claims[row] ?? 0) | CLAIMS[claim];
    });
  }
  const keys = new Set(believed.map(({ key }) => key));
  return records.map((record, row) => combine(claims[row] ?? 0) ?? disagree(record, keys, words));
}

/** Where the states are read from, each place once; none if no record tells its state. */
export function statePaths(
  records: readonly JsonObject[],
  columns: ReadonlyMap<string, Column>,
  mapping: ResponseMapping,
): Pointer[] {
  if (mapping.webhookState !== undefined) return [parsePointer(mapping.webhookState) ?? []];
  const words = createStateWords(mapping);
  const telling = [...columns.values()].filter((column) => {
    const kind = isCount(column, records.length) ? null : kindOfStateField(column.name);
    return kind !== null && column.values.some((value) => isState(stateOf(kind, value, words)));
  });
  return telling.map(({ path }) => path);
}

/**
 * The state that the fields of a record tell together; `null` if they disagree. A stop is no vote for "disabled", which may
 * be another thing to the service, but with it nobody knows that the webhook is active: then it is set to what it should
 * be, whatever it is.
 */
function combine(claims: number): StateReading | null {
  if ((claims & DISAGREEMENT) === DISAGREEMENT) return null;
  if (claims & CLAIMS.disabled) return KNOWN.disabled;
  return claims === CLAIMS.active ? KNOWN.active : UNKNOWN;
}

/**
 * Whether a column looks like a flag by name and is none, because some record has another value there: `active: 3` is a
 * count, and then so is `active: 1`. Numbers are believed only if every record has one: a count that is 0 may be left out.
 */
function isCount({ name, values }: Column, records: number): boolean {
  const kind = kindOfStateField(name);
  if (kind === null || !isFlag(kind)) return false;
  const present = values.filter((value) => value !== null);
  if (present.some((value) => toBoolean(value) === null)) return true;
  return present.length < records && present.some((value) => typeof value === "number");
}

/** @param keys the columns that are believed. */
function disagree(record: JsonObject, keys: ReadonlySet<string>, words: StateWords): StateReading {
  const fields = readFields(record, STATE_NAME_SET).filter(({ key, name, value }) => {
    const kind = keys.has(key) ? kindOfStateField(name) : null;
    return kind !== null && isState(stateOf(kind, value, words));
  });
  const paths = printPaths(fields.map(({ path }) => path));
  return {
    state: null,
    problem: `The record has fields that disagree about the state: ${paths}. ${SET_STATE}`,
  };
}

function isState(claim: StateClaim | null): claim is WebhookState {
  return claim !== null && claim !== "stopped";
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
