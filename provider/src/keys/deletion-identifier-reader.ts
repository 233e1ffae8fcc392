import {
  childrenOf,
  isObject,
  nodesOf,
  pathToRoot,
  pointersOf,
  resolvePointer,
  type DocumentNode,
} from "../bodies/json.js";
import type { ResponseMapping } from "../bodies/response-mapping.js";
import { documentOf, isAroundKey } from "./key-reader.js";

/** What may identify a key in the path of its deletion. */
export interface KeyIdentifier {
  /** Secret. */
  readonly value: string;
  /** Its JSON Pointer in the response, to propose; `null` if there is none to show. */
  readonly pointer: string | null;
  /** Whether a person says that the service deletes keys by it: it is at `responses.apiKeyId`. */
  readonly isChosen: boolean;
}

/**
 * The exact names of IDs, most specific first. A pattern would also find the ID of something else, such as
 * `parent_key_id`.
 */
const ID_NAMES = ["apikey", "key", "token", "credential", ""].flatMap((owner) =>
  ["id", "uuid", "guid"].map((id) => owner + id),
);

/**
 * Returns what may identify a key, in the order to try: the value at `responses.apiKeyId`, the key itself,
 * the IDs of the nearest object around the key that has any, and the key as the stack has it.
 *
 * @param text The response to its creation; `null` if it was imported.
 * @param key As `responses.apiKey` finds it today; `storedAs` as the stack has it, if that differs.
 */
export function identifiersOf(
  text: string | null,
  { apiKey, storedAs }: { readonly apiKey: string; readonly storedAs?: string },
  { apiKeyId }: ResponseMapping,
): KeyIdentifier[] {
  const root = text === null ? null : documentOf(text);
  const node = nodesOf(root).find(({ value }) => value === apiKey);
  const chosen = apiKeyId === undefined ? [] : toIdentifiers(resolvePointer(root, apiKeyId), apiKeyId);
  const identifiers = [
    ...chosen.map((each) => ({ ...each, isChosen: true })),
    { value: apiKey, pointer: node ? shownPointer(node) : null, isChosen: false },
    ...(node ? idsAround(node) : []),
    // Today's setting may be the wrong one.
    ...(storedAs === undefined ? [] : [{ value: storedAs, pointer: null, isChosen: false }]),
  ];
  const isFirst = ({ value }: KeyIdentifier, index: number): boolean =>
    identifiers.findIndex((other) => other.value === value) === index;
  return identifiers.filter(isFirst);
}

/** Whether a response has an ID of a key anywhere. */
export function hasId(text: string): boolean {
  return nodesOf(documentOf(text)).some(({ name, value }) => ID_NAMES.includes(name) && idOf(value) !== null);
}

/** Whether a text can be a segment of a path: not empty and not only dots, which would change the path. */
export function isPathSegment(text: string): boolean {
  return /[^.]/.test(text);
}

/** Whether a 404 may come from a router: many decode or cut off a path before they look for the route. */
export function mayMissRoute(identifier: string): boolean {
  return /[/%\\;]/.test(identifier);
}

/** Returns the IDs of the nearest object around a key that has any. The innermost one may have any name. */
function idsAround(key: DocumentNode): KeyIdentifier[] {
  const isRelevant = (node: DocumentNode): boolean =>
    isObject(node.value) && (node === key.parent || isAroundKey(node));
  const ids = pathToRoot(key).filter(isRelevant).map(idsIn);
  return ids.find(({ length }) => length > 0) ?? [];
}

function idsIn(object: DocumentNode): KeyIdentifier[] {
  const members = childrenOf(object);
  const ids = ID_NAMES.flatMap((name) => members.filter((member) => member.name === name));
  return ids.flatMap((id) => toIdentifiers(id.value, shownPointer(id)));
}

/** Returns the JSON Pointer of a value, to propose; `null` if a name in it may be data. */
function shownPointer(node: DocumentNode): string | null {
  return pointersOf([node])[0] ?? null;
}

/** Returns an identifier; none if the value cannot be one. */
function toIdentifiers(found: unknown, pointer: string | null): KeyIdentifier[] {
  const value = idOf(found);
  return value === null ? [] : [{ value, pointer, isChosen: false }];
}

/** Returns an ID for the path of a deletion; `null` if the value is not an ID or would change the path. */
function idOf(value: unknown): string | null {
  if (typeof value === "number" || typeof value === "bigint") return String(value);
  return typeof value === "string" && isPathSegment(value) ? value : null;
}
