import { isVisibleAscii } from "../api/operations.js";
import {
  type DocumentNode,
  isArray,
  isObject,
  isScalar,
  nameSet,
  nodesOf,
  parseDocument,
  parseWithExactIntegers,
  resolvePointer,
} from "../json.js";
import { findKeys, lookalikesIn } from "./key-finder.js";
import { isEnvelope, isHolder, readName } from "./key-names.js";
import type { ResponseMapping } from "./mapping.js";

/** Names of the ID of a key. They count in any object, unless the way to them names another key. */
const KEY_ID = /(?:key|token|secret|credential)(?:id|uuid|guid)$|^accesskey$|accessor$/;
/** Names of the ID of an object. They count in the object with the key, and in those around it. */
const OBJECT_ID = nameSet("id uuid guid uid gid sid kid identifier");
/** With a client secret, it counts in an application as well. */
const CLIENT_ID = "clientid";
/** The rank of the ID of an object that is not around the key, but is named after a key. */
const NAMED_RANK = 50;
const MAX_POINTERS = 3;

/** What may be the ID of a key, and the pointer to the object that has it. */
interface KeyId {
  readonly node: DocumentNode;
  readonly object: string;
  /** Whether the object and all around it are named after a key, or are usual envelopes. */
  readonly isEnveloped: boolean;
}

/**
 * Reads the ID of a key at `responses.apiKeyId`; `null` if the setting is missing or does not point to an ID.
 * Never throws.
 */
export function readApiKeyId(text: string, mapping: ResponseMapping): string | null {
  if (mapping.apiKeyId === undefined) return null;
  const value = resolvePointer(parseWithExactIntegers(text), mapping.apiKeyId);
  if (typeof value === "bigint") return String(value);
  return isVisibleAscii(value) && value !== "." && value !== ".." ? value : null;
}

/**
 * Returns JSON Pointers to the IDs in the response to a creation by which the service may delete the key, at
 * most three, best first: those that are named after a key, then those of the object with the key, and of the
 * objects around it or named after a key. The ID of a user, an account or a request is not the ID of a key.
 * Never throws.
 */
export function idsBesideKey(text: string): readonly string[] {
  const document = parseDocument(text);
  const { named, rivals } = findKeys(document, "");
  const keys = [...named, ...rivals];
  const values = new Set(keys.map(({ value }) => value));
  const ranks = ranksAround(keys.length > 0 ? keys : [...lookalikesIn(document, "")]);
  const ids: { pointer: string; rank: number }[] = [];
  for (const { node, object, isEnveloped } of idsIn(document)) {
    const isNamed = KEY_ID.test(node.name);
    const rank = isNamed ? 0 : (ranks.get(object) ?? (isEnveloped ? NAMED_RANK : null));
    if (rank !== null && node.pointer !== null && !values.has(node.value))
      ids.push({ pointer: node.pointer, rank });
  }
  const pointers = ids.toSorted((one, other) => one.rank - other.rank).map(({ pointer }) => pointer);
  return [...new Set(pointers)].slice(0, MAX_POINTERS);
}

/** Returns the pointers to the objects around keys, and for each its distance from a key, 1 and up. */
function ranksAround(keys: readonly DocumentNode[]): ReadonlyMap<string, number> {
  const ranks = new Map<string, number>();
  for (const { pointer } of keys) {
    let object = pointer ?? "";
    for (let rank = 1; object !== ""; rank += 1) {
      object = object.slice(0, object.lastIndexOf("/"));
      ranks.set(object, Math.min(rank, ranks.get(object) ?? rank));
    }
  }
  return ranks;
}

/** Yields what may be the ID of a key. */
function* idsIn(document: unknown): Generator<KeyId> {
  const isRpc = isObject(document) && "jsonrpc" in document; // Its ID is that of the request.
  let isOther = false;
  // The depths of the outermost values of these kinds around the next one.
  let [holderAt, strayAt, arrayAt] = [Infinity, Infinity, Infinity];
  const objects: DocumentNode[] = [];
  for (const node of nodesOf(document, () => !isOther)) {
    const { name, value, depth } = node;
    if (depth <= holderAt) holderAt = Infinity;
    if (depth <= strayAt) strayAt = Infinity;
    if (depth <= arrayAt) arrayAt = Infinity;
    const names = readName(node.token, name);
    isOther = names.isOther;
    if (isOther) continue;
    if (!isScalar(value)) {
      objects[depth] = node;
      if (isHolder(name) || names.isOfHolder) holderAt = Math.min(holderAt, depth);
      if (depth > 0 && !isEnvelope(name)) strayAt = Math.min(strayAt, depth);
      if (isArray(value)) arrayAt = Math.min(arrayAt, depth);
      continue;
    }
    const object = objects[depth - 1]?.pointer ?? null;
    const isId = KEY_ID.test(name) || name === CLIENT_ID || (OBJECT_ID.has(name) && holderAt === Infinity);
    if (object === null || !isId || !canBeSent(value) || (isRpc && depth === 1)) continue;
    yield { node, object, isEnveloped: strayAt === Infinity && arrayAt === Infinity };
  }
}

/** Whether a value can be the ID of a deletion: as of `readApiKeyId`. */
function canBeSent(value: unknown): boolean {
  if (typeof value === "number") return Number.isInteger(value) && value >= 0;
  return isVisibleAscii(value) && value !== "." && value !== "..";
}
