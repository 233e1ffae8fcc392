import {
  isObject,
  nodesOf,
  pointersOf,
  resolvePointer,
  type DocumentNode,
  type JsonObject,
} from "../bodies/json.js";
import type { ResponseMapping } from "../bodies/response-mapping.js";
import { isTooLargeId } from "../partner-api/operations.js";
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

/** The IDs of a list. */
export interface Identified {
  readonly records: readonly IdentifiedRecord[];
  /** How many records have no usable ID. They are fewer than the others. */
  readonly leftOut: number;
}

/** Why records cannot be told apart: most have no usable ID, some a too large one, or two have the same. */
export type IdProblem = "missing" | "too large" | "not unique";

/** The names of IDs. The first that any record has counts for all. */
const ID_NAMES = ["webhookid", "hookid", "id"];

/** Reads the IDs of records, at the setting or by name. Leaves out those that have none, or several. */
export function identify(
  records: readonly JsonObject[],
  { webhookId: setting }: ResponseMapping,
): Identified | IdProblem {
  const membersOf = setting === undefined ? idMembersIn(records) : memberAt(setting);
  const identified = records.flatMap((record) => toIdentified(record, membersOf(record)));
  const leftOut = records.length - identified.length;
  if (leftOut > 0 && leftOut >= identified.length) {
    const isAnyTooLarge = records.some((record) =>
      membersOf(record).some(({ value }) => isTooLargeId(value)),
    );
    return isAnyTooLarge ? "too large" : "missing";
  }
  const ids = new Set(identified.map(({ webhookId }) => webhookId));
  return ids.size === identified.length ? { records: identified, leftOut } : "not unique";
}

/** Returns the JSON Pointers with which {@link identify} would succeed. */
export function idPointers(records: readonly JsonObject[]): string[] {
  const nodes = records.slice(0, 1).flatMap((first) => nodesOf(first, ({ value }) => isObject(value)));
  const isUsable = ({ pointer }: DocumentNode): boolean =>
    typeof identify(records, { webhookId: pointer }) === "object";
  return pointersOf(nodes.filter(isUsable));
}

/** Whether a record has a member with the name of an ID. */
export function hasIdMember(record: JsonObject): boolean {
  return ownMembersOf(record).some(({ name }) => ID_NAMES.includes(name));
}

/** A member that may be the ID of its record. */
type IdMember = Pick<DocumentNode, "value" | "pointer">;

function memberAt(pointer: string): (record: JsonObject) => IdMember[] {
  return (record) => [{ value: resolvePointer(record, pointer), pointer }];
}

function idMembersIn(records: readonly JsonObject[]): (record: JsonObject) => IdMember[] {
  const name = ID_NAMES.find((one) => records.some((record) => membersNamed(one, record).length > 0));
  return (record) => (name === undefined ? [] : membersNamed(name, record));
}

function toIdentified(record: JsonObject, [first, ...others]: IdMember[]): IdentifiedRecord[] {
  const webhookId = toWebhookId(first?.value);
  const isAmbiguous = others.some(({ value }) => toWebhookId(value) !== webhookId);
  if (first === undefined || webhookId === null || isAmbiguous) return [];
  return [{ webhookId, idPointer: first.pointer, record }];
}

function membersNamed(name: string, record: JsonObject): DocumentNode[] {
  return ownMembersOf(record).filter((member) => member.name === name && member.value !== null);
}

/** Returns a positive safe integer, which may be text. A bigint is not an ID: no number holds it. */
function toWebhookId(value: unknown): number | null {
  const isId = ["number", "string"].includes(typeof value) && /^[1-9]\d{0,15}$/.test(String(value));
  return isId && Number.isSafeInteger(Number(value)) ? Number(value) : null;
}
