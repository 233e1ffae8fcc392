import type { JsonObject } from "./json.js";
import { normalise } from "./names.js";
import { findPaths, printPaths } from "./paths.js";
import { parsePointer, resolve, type Pointer } from "./pointer.js";
import type { Column } from "./webhook-fields.js";

/** The names that an id may have, normalised. */
export const ID_NAMES = ["webhookid", "hookid", "id"] as const;

/** Columns of the id, what says most first. The `id` of a record that wraps a webhook may be that of the wrapper. */
const ID_COLUMNS = [
  ...["record/webhookid", "record/hookid"],
  ...["webhook/webhookid", "webhook/hookid", "webhook/id"],
  "record/id",
];

const ID_NAME_SET: ReadonlySet<string> = new Set(ID_NAMES);

const DECIMAL = /^[1-9][0-9]{0,15}$/;
const SET_ID =
  "Set partners:responses.webhookId to the JSON Pointer of the id, relative to a record of the list.";

/** The ids of all records, in their order, and where the first has it; or why they are refused. */
export type WebhookIds =
  | { readonly ids: ArrayLike<number>; readonly path: Pointer; readonly problem?: undefined }
  | { readonly problem: string };

/** The webhook id that a value is: a positive safe integer, or the decimal digits of one. `null` if it is none. */
export function toWebhookId(value: unknown): number | null {
  const id = typeof value === "string" && DECIMAL.test(value) ? Number(value) : value;
  return typeof id === "number" && Number.isSafeInteger(id) && id > 0 ? id : null;
}

/** Whether an object has a webhook id itself, that is: it is a record, or about one. */
export function hasWebhookId(object: JsonObject): boolean {
  return Object.entries(object).some(
    ([name, value]) => toWebhookId(value) !== null && ID_NAME_SET.has(normalise(name)),
  );
}

/**
 * The ids of the records: the first column that has a valid id in every record. If its ids are not unique, the records are
 * not webhooks but something about them, and no other column would make them so.
 *
 * @param columns what the records have, at least under {@link ID_NAMES}.
 * @param setting the JSON Pointer set for the id, if any; then nothing else is used.
 */
export function readWebhookIds(
  records: readonly JsonObject[],
  columns: ReadonlyMap<string, Column>,
  setting: string | undefined,
): WebhookIds {
  const refuse = (what: string): WebhookIds => {
    const paths = printPaths(findPaths(records[0], (value) => toWebhookId(value) !== null));
    return { problem: `${what}${paths === "" ? "" : ` Candidates: ${paths}.`} ${SET_ID}` };
  };

  if (setting !== undefined) {
    const pointer = parsePointer(setting);
    const ids = everyId(records, (record) => toWebhookId(resolve(record, pointer)));
    if (ids === null)
      return refuse("partners:responses.webhookId finds no positive whole number in some webhook.");
    return areUnique(ids)
      ? { ids, path: pointer ?? [] }
      : refuse("partners:responses.webhookId finds the same id in several webhooks.");
  }
  for (const key of ID_COLUMNS) {
    const ids = idsIn(columns.get(key), records.length);
    if (ids === null) continue;
    if (!areUnique(ids)) return refuse("Several records of the list have the same webhook id.");
    return { ids, path: columns.get(key)?.path ?? [] };
  }
  return refuse("No positive whole number was recognised as the id in every webhook.");
}

/** The id of every item, or `null` as soon as one has none. */
function everyId<T>(items: readonly T[], idOf: (item: T) => number | null): number[] | null {
  const ids: number[] = [];
  for (const item of items) {
    const id = idOf(item);
    if (id === null) return null;
    ids.push(id);
  }
  return ids;
}

/** The ids in a column; `null` if a record has none there, or if two spellings of the name have different ids. */
function idsIn(column: Column | undefined, count: number): Float64Array | null {
  if (column === undefined) return null;
  const ids = new Float64Array(count);
  let found = 0;
  const valid = column.values.every((value, index) => {
    const id = toWebhookId(value);
    const row = column.rowOf(index);
    if (id === null || row > found) return false;
    if (row < found) return ids[row] === id;
    ids[found++] = id;
    return true;
  });
  return valid && found === count ? ids : null;
}

/** Sorted, because a set of some hundred thousand would take as much memory as the list itself. */
function areUnique(ids: ArrayLike<number>): boolean {
  const sorted = Float64Array.from(ids).sort();
  return sorted.every((id, index) => index === 0 || id !== sorted[index - 1]);
}
