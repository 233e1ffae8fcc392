import { isArray, isObject, parseDocument, walk, type DocumentNode } from "./document.js";
import { isUuid, mayHoldKey } from "./key-form.js";

/** Nothing deeper is shown, nor recognised. */
export const MAX_DEPTH = 16;
const MAX_LINES = 40;
const MAX_CANDIDATES = 10;
const FIELD_NAME = /^[@$]?[A-Za-z_][A-Za-z0-9_.:$-]{0,38}$/;
/** What counts something, as an index does: too short to be a secret, a phone number or the id of a person. */
const SHORT_NUMBER = /^[0-9]{1,3}$/;

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

/** The JSON Pointer of a node, with `*` for names that may be data; `null` if it is too deep to be shown. */
export function printPointer(node: DocumentNode): string | null {
  if (node.depth > MAX_DEPTH) return null;
  let pointer = "";
  for (let one = node; one.parent !== null; one = one.parent) {
    const shown = isArray(one.parent.value) || isFieldName(one.token) || SHORT_NUMBER.test(one.token);
    pointer = `/${shown ? one.token : "*"}${pointer}`;
  }
  return pointer;
}

/** The JSON Pointers that a refusal proposes, each once and at most 10. */
export function listCandidates(nodes: readonly DocumentNode[]): string[] {
  const pointers = nodes.map(printPointer).filter((pointer) => pointer !== null);
  return [...new Set(pointers)].slice(0, MAX_CANDIDATES);
}

/** Whether a name looks like the name of a field. Any other may be data, such as a key of a map, and is not shown. */
export function isFieldName(name: string): boolean {
  return FIELD_NAME.test(name) && !mayHoldKey(name) && !isUuid(name);
}

function typeOf(value: unknown): string {
  if (value === null) return "null";
  if (!isArray(value)) return typeof value;
  if (value.length === 0) return "array, empty";
  const what = value.every(isObject) ? "object" : "value";
  return `array of ${value.length} ${what}${value.length === 1 ? "" : "s"}`;
}
