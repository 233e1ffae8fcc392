import { isArray, isObject, type DocumentNode } from "./document.js";
import { isKeyForm, isUuid } from "./key-form.js";

/** A parsed JSON Pointer: its reference tokens, unescaped. Empty for the whole document. */
export type Pointer = readonly string[];

const MAX_CANDIDATES = 10;
/** What is deeper is never proposed, nor recognised. */
const MAX_DEPTH = 16;
const ARRAY_INDEX = /^(?:0|[1-9][0-9]{0,9})$/;
const FIELD_NAME = /^[@$]?[A-Za-z_][A-Za-z0-9_.:$-]{0,38}$/;

/** Parses a JSON Pointer (RFC 6901); `null` if the text is not one. */
export function parsePointer(text: string): Pointer | null {
  if (text === "") return [];
  if (!text.startsWith("/") || /~(?![01])/.test(text)) return null;
  // "~1" first: "~01" stands for "~1", not for "/".
  return text
    .slice(1)
    .split("/")
    .map((token) => token.replaceAll("~1", "/").replaceAll("~0", "~"));
}

/** What a pointer finds; `undefined`, which JSON does not have, if it finds nothing. */
export function resolvePointer(root: unknown, pointer: Pointer | null): unknown {
  if (pointer === null) return undefined;
  let value = root;
  for (const token of pointer) {
    if (isArray(value) && ARRAY_INDEX.test(token)) value = value[Number(token)];
    else if (isObject(value) && Object.hasOwn(value, token)) value = value[token];
    else return undefined;
  }
  return value;
}

/** Whether a name looks like the name of a field. Any other may be data, such as a key of a map, and is not shown. */
export function isFieldName(name: string): boolean {
  return FIELD_NAME.test(name) && !isKeyForm(name) && !isUuid(name);
}

/** The JSON Pointer of a node, with `*` for names that may be data; `null` if it is too deep to be shown. */
export function printPointer(node: DocumentNode): string | null {
  if (node.depth > MAX_DEPTH) return null;
  let pointer = "";
  for (let one = node; one.parent !== null; one = one.parent) {
    const shown = isArray(one.parent.value) || isFieldName(one.token);
    pointer = `/${shown ? one.token : "*"}${pointer}`;
  }
  return pointer;
}

/** The pointers to propose to a person: each once, exact ones before those with a `*`, which no setting takes. */
export function listCandidates(nodes: Iterable<DocumentNode>): string[] {
  const exact = new Set<string>();
  const inexact = new Set<string>();
  for (const node of nodes) {
    const pointer = printPointer(node);
    if (pointer === null) continue;
    const list = pointer.includes("*") ? inexact : exact;
    if (list.size < MAX_CANDIDATES) list.add(pointer);
    if (exact.size === MAX_CANDIDATES) break;
  }
  return [...(exact.size > 0 ? exact : inexact)];
}
