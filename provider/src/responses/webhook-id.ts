import { isWebhookId } from "../api/operations.js";
import { nameSet, resolvePointer, type DocumentNode, type JsonObject } from "../json.js";
import type { ResponseMapping } from "./mapping.js";

/**
 * Why the ID of a record is not known. `not a number`: the Partner API takes only positive whole numbers.
 * `several`: two IDs differ. `pointer`: `responses.webhookId` finds nothing.
 */
export type IdProblem = "none" | "not a number" | "several" | "pointer";

export type FoundId = Readonly<{ webhookId: number; field: Pick<DocumentNode, "pointer"> | null }>;

/** The names of IDs, by rank. If most records have one of a rank, the next ones are IDs of something else. */
const IDS = [nameSet("webhookId hookId"), nameSet("id"), nameSet("subscriptionId endpointId uuid gid sid")];

/**
 * Returns the rank of the IDs in a list: the best one that at least half of the records have.
 *
 * @param records The result of `ownNodesOf` for each record.
 */
export function rankOf(records: Iterable<readonly DocumentNode[]>): number {
  const counts = IDS.map(() => 0);
  let total = 0;
  for (const nodes of records) {
    total += 1;
    const own = decisive(nodes);
    IDS.forEach((ids, rank) => {
      if (own.some(({ name }) => ids.has(name))) counts[rank] = (counts[rank] ?? 0) + 1;
    });
  }
  const common = counts.findIndex((count) => count > 0 && 2 * count >= total);
  return common === -1 ? counts.indexOf(Math.max(...counts)) : common;
}

/**
 * Finds the ID of a record at the setting, or the only one under the usual names.
 *
 * @param nodes The result of `ownNodesOf`.
 * @param key The ID of the record, if the list is an object with a member for each; `null` if not.
 */
export function findId(
  record: JsonObject,
  nodes: readonly DocumentNode[],
  rank: number,
  mapping: ResponseMapping,
  key: string | null = null,
): FoundId | IdProblem {
  const { webhookId: pointer } = mapping;
  if (pointer !== undefined) {
    const value = resolvePointer(record, pointer);
    if (value === undefined || value === null) return "pointer";
    const webhookId = toWebhookId(value);
    return webhookId === null ? "not a number" : { webhookId, field: { pointer } };
  }
  const own = decisive(nodes);
  const ids = own.filter(({ name }) => IDS[rank]?.has(name));
  const field = ids.find(({ value }) => toWebhookId(value) !== null) ?? null;
  const value = key ?? field?.value;
  if (value === undefined) return ids.length > 0 ? "not a number" : "none";
  const webhookId = toWebhookId(value);
  if (webhookId === null) return "not a number";
  // In the root and in the objects that count as its own, also under a name that other records do not have.
  const names = IDS.slice(0, rank + 1);
  const others = nodes.filter(({ name, value }) => names.some((set) => set.has(name)) && value !== null);
  const isOther = (other: unknown): boolean => ![webhookId, null].includes(toWebhookId(other));
  return others.some(({ value }) => isOther(value)) ? "several" : { webhookId, field };
}

/**
 * Reads the ID in the record of one webhook; `null` if it is not clear, and `undefined` if there is none.
 *
 * @param nodes The result of `ownNodesOf`.
 */
export function readWebhookId(
  record: JsonObject,
  nodes: readonly DocumentNode[],
  mapping: ResponseMapping,
): number | null | undefined {
  const id = findId(record, nodes, rankOf([nodes]), mapping);
  if (typeof id !== "string") return id.webhookId;
  const { webhookId: pointer } = mapping;
  return id === "none" || (pointer !== undefined && resolvePointer(record, pointer) === undefined)
    ? undefined
    : null;
}

/** Returns a positive safe integer, or its decimal digits, as a webhook ID; `null` for any other value. */
export function toWebhookId(value: unknown): number | null {
  const text = typeof value === "number" ? String(value) : value;
  return typeof text === "string" && isWebhookId(text) ? Number(text) : null;
}

/** Returns the members that decide about the ID: those of the root of a record if any of them is an ID. */
function decisive(nodes: readonly DocumentNode[]): readonly DocumentNode[] {
  const present = nodes.filter(({ value }) => value !== null);
  const roots = present.filter(({ depth }) => depth === 1);
  const isId = ({ name, value }: DocumentNode): boolean =>
    IDS.some((ids, rank) => ids.has(name) && (rank < 2 || toWebhookId(value) !== null));
  return roots.some(isId) ? roots : present;
}
