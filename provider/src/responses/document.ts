import { isKeyForm, isUuid } from "./key-form.js";

/** A JSON object. Only its own members count: `__proto__` is a name like any other. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** A parsed JSON Pointer: its reference tokens, unescaped. Empty for the whole document. */
export type Pointer = readonly string[];

/** A value of a document, and where it is. */
export interface DocumentNode {
  readonly value: unknown;
  /** The name or the index under which its parent holds it; `""` for the root. */
  readonly token: string;
  /** The name of the member that holds it, normalised; elements go by the name of their array. */
  readonly name: string;
  /** The name of the nearest object around it, normalised; `""` in the root. */
  readonly around: string;
  /** How many tokens its JSON Pointer has. */
  readonly depth: number;
  readonly parent: DocumentNode | null;
}

/** Nothing deeper is recognised or shown. */
export const MAX_DEPTH = 16;
const MAX_CANDIDATES = 10;
/** Names are compared up to this length. */
const MAX_NAME = 64;
const ARRAY_INDEX = /^(?:0|[1-9][0-9]{0,9})$/;
const FIELD_NAME = /^[@$]?[A-Za-z_][A-Za-z0-9_.:$-]{0,38}$/;

/** Whether a JSON value is an object: neither a scalar nor an array. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Whether a JSON value is an array. */
export function isArray(value: unknown): value is readonly unknown[] {
  return Array.isArray(value);
}

/** The JSON value of a body, with or without a byte order mark; `undefined` if it is not JSON. */
export function parseDocument(text: string): unknown {
  try {
    return JSON.parse(text.startsWith("\uFEFF") ? text.slice(1) : text) as unknown;
  } catch {
    return undefined;
  }
}

/** A name as names are compared: `api_key`, `API-Key` and `apiKey` are one name. */
export function normaliseName(name: string): string {
  return name
    .slice(0, MAX_NAME)
    .toLowerCase()
    .replace(/[^a-z0-9]/g, "");
}

/** Whether a name looks like the name of a field. Any other may be data, such as a key of a map, and is not shown. */
export function isFieldName(name: string): boolean {
  return FIELD_NAME.test(name) && !isKeyForm(name) && !isUuid(name);
}

/**
 * All values of a document in its order, the root first. Iterates, because a document may be nested deeper than a stack.
 *
 * @param enters decides whether the members or elements of a value are walked as well. @default always
 */
export function* walk(
  root: unknown,
  enters: (node: DocumentNode) => boolean = () => true,
): Generator<DocumentNode, void, undefined> {
  const open: DocumentNode[] = [{ value: root, token: "", name: "", around: "", depth: 0, parent: null }];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    yield node;
    if (typeof node.value !== "object" || node.value === null || !enters(node)) continue;
    const parent = node;
    const isElement = isArray(node.value);
    const children = Object.entries(node.value).map(([token, value]) => ({
      value: value as unknown,
      token,
      name: isElement ? parent.name : normaliseName(token),
      around: isElement ? parent.around : parent.name,
      depth: parent.depth + 1,
      parent,
    }));
    for (const child of children.reverse()) open.push(child);
  }
}

/** Whether a node is another node, or somewhere in it. */
export function isInside(node: DocumentNode, outer: DocumentNode | null): boolean {
  for (let one: DocumentNode | null = node; one !== null; one = one.parent) if (one === outer) return true;
  return false;
}

/** Parses a JSON Pointer (RFC 6901); `null` if the text is not one. */
export function parsePointer(text: string): Pointer | null {
  if (text === "") return [];
  if (!text.startsWith("/") || /~(?![01])/.test(text)) return null;
  // "~1" first: "~01" stands for "~1", not for "/".
  const unescape = (token: string): string => token.replaceAll("~1", "/").replaceAll("~0", "~");
  return text.slice(1).split("/").map(unescape);
}

/** What a pointer finds; `undefined` if it finds nothing. */
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

/** The JSON Pointers that a refusal proposes, each once and at most 10. */
export function listCandidates(nodes: Iterable<DocumentNode>): string[] {
  const pointers = new Set<string>();
  for (const node of nodes) {
    const pointer = printPointer(node);
    if (pointer !== null) pointers.add(pointer);
    if (pointers.size === MAX_CANDIDATES) break;
  }
  return [...pointers];
}
