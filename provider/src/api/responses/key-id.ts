import { isObject } from "./json.js";
import { normalise } from "./names.js";
import { resolve, type Pointer } from "./pointer.js";

/** Names of the id of a key, the one that says most first. */
const KEY_ID_NAMES = ["apikeyid", "keyid", "id"];
/** An id goes into a path and is shown: visible ASCII, and no longer than any id needs to be. */
const ID_TEXT = /^[!-~]{1,256}$/;

/**
 * The id that a value is, as text. A number must be positive, whole, and small enough to be exact, or deletion would hit another id.
 *
 * @returns `null` if the value is no id.
 */
export function toKeyId(value: unknown): string | null {
  if (typeof value === "number") return Number.isSafeInteger(value) && value > 0 ? value.toString() : null;
  return typeof value === "string" && ID_TEXT.test(value) ? value : null;
}

/**
 * The id beside the key, that is in the same object, or for a key inside `attributes` (JSON:API) in the object around it.
 *
 * @param keyPaths all places of the key; if they lead to different ids there is no telling.
 * @returns `null` if there is none. Never anything that contains the key.
 */
export function findKeyId(root: unknown, keyPaths: readonly Pointer[], key: string): string | null {
  // Each holder once: a holder may have the key in many members.
  const holders = new Map<unknown, Pointer>();
  for (const path of keyPaths) {
    if (path.length > 0) holders.set(resolve(root, path.slice(0, -1)), path.slice(0, -1));
  }
  const found = new Set<string>();
  for (const [holder, path] of holders) {
    const inAttributes = normalise(path.at(-1) ?? "") === "attributes";
    const id = idOf(holder, key) ?? (inAttributes ? idOf(resolve(root, path.slice(0, -1)), key) : null);
    if (id !== null) found.add(id);
  }
  const [only] = found;
  return found.size === 1 && only !== undefined ? only : null;
}

function idOf(holder: unknown, key: string): string | null {
  if (!isObject(holder)) return null;
  const members = Object.entries(holder).map(([name, value]) => ({
    name: normalise(name),
    id: toKeyId(value),
  }));
  for (const wanted of KEY_ID_NAMES) {
    const ids = new Set<string>();
    for (const { name, id } of members) {
      if (name === wanted && id !== null && !id.includes(key)) ids.add(id);
    }
    const [only] = ids;
    if (only !== undefined) return ids.size === 1 ? only : null;
  }
  return null;
}
