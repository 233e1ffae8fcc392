import {
  isObject,
  nodesOf,
  pointersOf,
  resolvePointer,
  type DocumentNode,
  type JsonObject,
} from "../bodies/json.js";
import type { ResponseMapping } from "../bodies/response-mapping.js";
import { ownNodesOf } from "./webhook-state-reader.js";

/** The names of IDs. The first that any record has counts for all. */
const WEBHOOK_ID_NAMES = ["webhookid", "id"];

/** A record with its ID, and where the ID was found. */
export interface Identified<Id = number> {
  readonly record: JsonObject;
  readonly id: Id;
  readonly pointer: string | null;
}

/** Reads the ID of each record: `null` if it has none, or several. */
export function readIds(
  records: readonly JsonObject[],
  { webhookId: setting }: ResponseMapping,
): Identified<number | null>[] {
  if (setting !== undefined) return readIdsAt(records, setting);
  const nodesNamed = (record: JsonObject, name: string): DocumentNode[] =>
    ownNodesOf(record).filter((node) => node.name === name && node.value !== null);
  const name = WEBHOOK_ID_NAMES.find((one) => records.some((record) => nodesNamed(record, one).length > 0));
  return records.map((record) => {
    const nodes = name === undefined ? [] : nodesNamed(record, name);
    const ids = [...new Set(nodes.map(({ value }) => toWebhookId(value)))];
    const id = ids.length === 1 ? (ids[0] ?? null) : null;
    return { record, id, pointer: nodes[0]?.pointer ?? null };
  });
}

function readIdsAt(records: readonly JsonObject[], pointer: string): Identified<number | null>[] {
  return records.map((record) => ({ record, id: toWebhookId(resolvePointer(record, pointer)), pointer }));
}

/** Returns the records if each has an ID, and no two the same; otherwise `null`. */
export function withDistinctIds(records: readonly Identified<number | null>[]): Identified[] | null {
  const identified = records.flatMap(({ id, ...rest }) => (id === null ? [] : [{ ...rest, id }]));
  return new Set(identified.map(({ id }) => id)).size === records.length ? identified : null;
}

/** Returns a positive safe integer, or its decimal digits. A bigint is not an ID: no number holds it. */
function toWebhookId(value: unknown): number | null {
  const isId = ["number", "string"].includes(typeof value) && /^[1-9]\d{0,15}$/.test(String(value));
  return isId && Number.isSafeInteger(Number(value)) ? Number(value) : null;
}

/** Returns the JSON Pointers at which every record has a distinct ID. */
export function idPointers(records: readonly JsonObject[]): string[] {
  const nodes = records.slice(0, 1).flatMap((first) => nodesOf(first, ({ value }) => isObject(value)));
  const isId = ({ value, pointer }: DocumentNode): boolean =>
    toWebhookId(value) !== null && withDistinctIds(readIdsAt(records, pointer)) !== null;
  return pointersOf(nodes.filter(isId));
}

export function hasIdMember(record: JsonObject): boolean {
  return ownNodesOf(record).some(({ name }) => WEBHOOK_ID_NAMES.includes(name));
}
