import {
  isObject,
  nodesOf,
  pointersOf,
  resolvePointer,
  type DocumentNode,
  type JsonObject,
} from "../bodies/json.js";
import type { ResponseMapping } from "../bodies/response-mapping.js";
import { ownMembersOf } from "./webhook-state-reader.js";

/** A webhook record with its ID. */
export interface IdentifiedRecord {
  /** A positive safe integer. */
  readonly webhookId: number;
  /** The JSON Pointer to the ID, relative to the record. */
  readonly idPointer: string;
  /** As the service sent it. It may contain secrets. */
  readonly record: JsonObject;
}

/** The names of IDs. The first that any record has counts for all. */
const ID_NAMES = ["webhookid", "id"];

/** Reads the IDs of records: `null` unless each has one, and no two the same. */
export function identify(
  records: readonly JsonObject[],
  { webhookId: setting }: ResponseMapping,
): IdentifiedRecord[] | null {
  const identified = setting === undefined ? identifyByName(records) : identifyAt(setting, records);
  const ids = new Set(identified.map(({ webhookId }) => webhookId));
  return ids.size === records.length ? identified : null;
}

/** Returns the JSON Pointers with which {@link identify} would succeed. */
export function idPointers(records: readonly JsonObject[]): string[] {
  const nodes = records.slice(0, 1).flatMap((first) => nodesOf(first, ({ value }) => isObject(value)));
  return pointersOf(nodes.filter(({ pointer }) => identify(records, { webhookId: pointer }) !== null));
}

/** Whether a record has a member with the name of an ID. */
export function hasIdMember(record: JsonObject): boolean {
  return ownMembersOf(record).some(({ name }) => ID_NAMES.includes(name));
}

/** Leaves out the records that have no ID there. */
function identifyAt(pointer: string, records: readonly JsonObject[]): IdentifiedRecord[] {
  return records.flatMap((record) => {
    const webhookId = toWebhookId(resolvePointer(record, pointer));
    return webhookId === null ? [] : [{ webhookId, idPointer: pointer, record }];
  });
}

/** Leaves out the records that have no ID, or several. */
function identifyByName(records: readonly JsonObject[]): IdentifiedRecord[] {
  const name = ID_NAMES.find((one) => records.some((record) => membersNamed(one, record).length > 0));
  if (name === undefined) return [];
  return records.flatMap((record) => {
    const [first, ...others] = membersNamed(name, record);
    const webhookId = toWebhookId(first?.value);
    const isAmbiguous = others.some(({ value }) => toWebhookId(value) !== webhookId);
    if (first === undefined || webhookId === null || isAmbiguous) return [];
    return [{ webhookId, idPointer: first.pointer, record }];
  });
}

function membersNamed(name: string, record: JsonObject): DocumentNode[] {
  return ownMembersOf(record).filter((member) => member.name === name && member.value !== null);
}

/** Returns a positive safe integer, or its decimal digits. A bigint is not an ID: no number holds it. */
function toWebhookId(value: unknown): number | null {
  const isId = ["number", "string"].includes(typeof value) && /^[1-9]\d{0,15}$/.test(String(value));
  return isId && Number.isSafeInteger(Number(value)) ? Number(value) : null;
}
