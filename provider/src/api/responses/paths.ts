import { isArray, isObject } from "./json.js";
import type { Pointer } from "./pointer.js";

/** The most candidate paths that a message lists: enough to choose from, and still one paragraph. */
export const MAX_LISTED_PATHS = 8;

/** How far the search for candidates goes. It only serves a message: a deep or huge document may be searched in part. */
const MAX_DEPTH = 8;
const MAX_VISITED = 10_000;

/** The only names that are printed. Anything else may be data: a key of a map, an e-mail address, a secret. */
const PRINTABLE_NAME = /^[A-Za-z_-]{1,24}$/;

/** A member name for a message, or `*` where the name may be data. */
export function printName(name: string): string {
  return PRINTABLE_NAME.test(name) ? name : "*";
}

/** A path as a JSON Pointer for a message, each segment printed by {@link printName}. */
export function printPath(path: Pointer): string {
  return path.length === 0 ? '"" (the whole response)' : path.map((name) => `/${printName(name)}`).join("");
}

/** The given paths for a message, at most {@link MAX_LISTED_PATHS} of them, each once. */
export function printPaths(paths: Iterable<Pointer>): string {
  const printed = new Set<string>();
  for (const path of paths) {
    printed.add(printPath(path));
    if (printed.size > MAX_LISTED_PATHS) break;
  }
  const listed = [...printed].slice(0, MAX_LISTED_PATHS).join(", ");
  return printed.size > MAX_LISTED_PATHS ? `${listed} and more` : listed;
}

/**
 * Searches a document, breadth first, for values that the user may have to choose from.
 *
 * @param accepts decides on a value and the name of the member that holds it (an index for an element, `""` for the root).
 */
export function* findPaths(
  root: unknown,
  accepts: (value: unknown, name: string) => boolean,
): Generator<Pointer, void, undefined> {
  const queue: { value: unknown; path: Pointer }[] = [{ value: root, path: [] }];
  // `queue` grows while it is walked; the limit is on what is put in, so its memory is bounded as well.
  for (const { value, path } of queue) {
    if (accepts(value, path.at(-1) ?? "")) yield path;
    if (path.length >= MAX_DEPTH || !(isObject(value) || isArray(value))) continue;
    for (const [name, child] of Object.entries(value)) {
      if (queue.length >= MAX_VISITED) break;
      queue.push({ value: child, path: [...path, name] });
    }
  }
}
