import { isArray, isObject, parseDocument, printPointer, walk, type DocumentNode } from "./document.js";

const MAX_LINES = 40;

/**
 * Describes a JSON document by the names and types in it, a line each, and of an array only the first element. Never shows a
 * value, nor a name that may be one: that is `*`.
 *
 * @returns at most 40 lines; none if the text is not JSON.
 * @example describeStructure('{"data":[{"id":7}]}') // ["(root)  object", "/data  array of 1 object", "/data/0  object", "/data/0/id  number"]
 */
export function describeStructure(text: string): string[] {
  const document = parseDocument(text);
  if (document === undefined) return [];
  const lines = new Set<string>();
  const isShown = ({ parent, token }: DocumentNode): boolean => !isArray(parent?.value) || token === "0";
  for (const node of walk(document, isShown)) {
    if (!isShown(node)) continue;
    const pointer = printPointer(node);
    if (pointer !== null) lines.add(`${pointer === "" ? "(root)" : pointer}  ${typeOf(node.value)}`);
    if (lines.size === MAX_LINES) break;
  }
  return [...lines];
}

function typeOf(value: unknown): string {
  if (value === null) return "null";
  if (!isArray(value)) return typeof value;
  if (value.length === 0) return "array, empty";
  const what = value.every(isObject) ? "object" : "value";
  return `array of ${value.length} ${what}${value.length === 1 ? "" : "s"}`;
}
