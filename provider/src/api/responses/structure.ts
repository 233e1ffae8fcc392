import { isArray, isObject } from "./json.js";
import { printName } from "./paths.js";

/** How deep, how many members of an object, and how many lines: enough to see where things are, and still a few pages. */
const MAX_DEPTH = 6;
const MAX_MEMBERS = 40;
const MAX_LINES = 200;

/**
 * Describes a document by the names of its members and the types of its values: a line each, indented. No value is shown, and
 * no name that may be one (see {@link printName}). What is beyond 200 lines is left out, and the last line says so.
 *
 * @example describeStructure({ data: [{ id: 7 }] }) // ["object", "  data: array of 1", "    (first): object", "      id: number"]
 */
export function describeStructure(value: unknown): string[] {
  const lines: string[] = [];
  for (const line of describe(value, "", 0)) {
    if (lines.length === MAX_LINES) return [...lines, "and more"];
    lines.push(line);
  }
  return lines;
}

/** Lazily, as the members of members may be many millions. */
function* describe(value: unknown, label: string, depth: number): Generator<string, void, undefined> {
  const line = "  ".repeat(depth) + label;
  if (isArray(value)) {
    yield `${line}array of ${value.length}`;
    if (depth < MAX_DEPTH && value.length > 0) yield* describe(value[0], "(first): ", depth + 1);
    return;
  }
  if (!isObject(value)) {
    yield line + (value === null ? "null" : typeof value);
    return;
  }
  yield `${line}object`;
  const names = depth < MAX_DEPTH ? Object.keys(value) : [];
  for (const name of names.slice(0, MAX_MEMBERS))
    yield* describe(value[name], `${printName(name)}: `, depth + 1);
  const more = names.length - MAX_MEMBERS;
  if (more > 0) yield `${"  ".repeat(depth + 1)}and ${more} more`;
}
