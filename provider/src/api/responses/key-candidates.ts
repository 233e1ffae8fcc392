import { isObject, type JsonObject } from "./json.js";
import { isApiKeyObject, isKeyContainer, strengthOf } from "./key-names.js";
import { canBeSent, looksLikeKey } from "./key-value.js";
import { normalise } from "./names.js";
import type { Pointer } from "./pointer.js";

/** A bare JSON string has no name that speaks for it, so it has to be longer to be taken for a key. */
const MIN_BARE_LENGTH = 16;
/** How many objects below the root the search for the key goes. */
const MAX_DEPTH = 4;

/** A value that may be the key. */
export interface KeyCandidate {
  /** The value. Secret. */
  readonly value: string;
  /** Where it is. */
  readonly path: Pointer;
  /** Whether its name says "key", and does not only allow it. */
  readonly strong: boolean;
}

/** Which of the candidates is the key. */
export interface KeyChoice {
  /** The key, secret; `null` if there is no telling. */
  readonly chosen: string | null;
  /** All places of the key; without one, the places of the values that it could be. */
  readonly paths: readonly Pointer[];
}

/** All values of a response that may be the key, in the order of the document. Never looks into arrays. */
export function findKeyCandidates(root: unknown): KeyCandidate[] {
  if (looksLikeKey(root) && root.length >= MIN_BARE_LENGTH) return [{ value: root, path: [], strong: true }];
  const candidates: KeyCandidate[] = [];
  if (isObject(root)) collect(root, [], false, candidates);
  return candidates;
}

function collect(object: JsonObject, path: Pointer, insideApiKey: boolean, into: KeyCandidate[]): void {
  for (const [rawName, value] of Object.entries(object)) {
    const name = normalise(rawName);
    const valuePath = [...path, rawName];
    if (isObject(value)) {
      if (path.length < MAX_DEPTH && isKeyContainer(name)) {
        collect(value, valuePath, insideApiKey || isApiKeyObject(name), into);
      }
      continue;
    }
    const strength = strengthOf(name, insideApiKey);
    if (strength !== "none" && looksLikeKey(value)) {
      into.push({ value, path: valuePath, strong: strength === "strong" });
    }
  }
}

/**
 * Chooses the key: strong names before weak ones, and a value that another one continues is a display prefix.
 * More than one distinct value left is no choice.
 */
export function chooseKey(candidates: readonly KeyCandidate[]): KeyChoice {
  const strong = candidates.filter((candidate) => candidate.strong);
  const considered = strong.length > 0 ? strong : candidates;
  const values = withoutPrefixes(considered.map((candidate) => candidate.value));
  const [value] = values;
  if (value !== undefined && values.size === 1) {
    return { chosen: value, paths: candidates.filter((one) => one.value === value).map((one) => one.path) };
  }
  const open = considered.filter((candidate) => values.has(candidate.value));
  return { chosen: null, paths: open.map((candidate) => candidate.path) };
}

/** Whether a value begins with the key, and goes on without a space: the key may be no more than the beginning of it. */
export function continues(value: unknown, key: string): boolean {
  return canBeSent(value) && value.length > key.length && value.startsWith(key);
}

/** Whether any string of a response, whatever its name and place, continues the key. */
export function isContinued(root: unknown, key: string): boolean {
  const open = [root];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (continues(next, key)) return true;
    if (typeof next === "object" && next !== null) for (const value of Object.values(next)) open.push(value);
  }
  return false;
}

/** The distinct values that are not the beginning of another. In sorted order, what continues a value follows it directly. */
function withoutPrefixes(values: readonly string[]): Set<string> {
  const sorted = [...new Set(values)].sort();
  return new Set(sorted.filter((value, index) => sorted[index + 1]?.startsWith(value) !== true));
}
