/** A JSON value that is neither an object nor an array. */
export type JsonScalar = string | number | boolean | null;

/** A JSON object. Only its own members count: `__proto__` is a name like any other. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** A value of a document and its position. */
export interface DocumentNode {
  readonly value: unknown;
  /** The name or index in the parent; `""` for the root. */
  readonly token: string;
  /** The normalized name of the member. Array elements have the name of their array. */
  readonly name: string;
  /** Its JSON Pointer, with `*` for names that may be data; `null` if it is too deep to be shown. */
  readonly pointer: string | null;
  /** The number of names and indexes in the JSON Pointer. */
  readonly depth: number;
}

const MAX_POINTER_DEPTH = 16;
/** `::` can begin a command of a CI system. */
const FIELD_NAME = /^(?!.*::)(?:[@$]?[A-Za-z_][A-Za-z0-9_.:$-]{0,38}|[0-9]{1,3})$/;
/** A name may be a secret or a person's ID if it is long and has a digit, or is one long word. */
const MAY_BE_DATA = /^(?=.{16}).*[0-9]|[a-z]{16}|[A-Z]{16}/;

/** Whether a value is an object: neither a scalar nor an array. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function isScalar(value: unknown): value is JsonScalar {
  return value === null || ["string", "number", "boolean"].includes(typeof value);
}

export function isArray(value: unknown): value is readonly unknown[] {
  return Array.isArray(value);
}

/** Whether a JSON value says "nothing": null, false, zero, or an empty string, array or object. */
export function isEmpty(value: unknown): boolean {
  return !value || (typeof value === "object" && Object.keys(value).length === 0);
}

/** Parses a body as JSON, with or without a byte order mark; `undefined` if it is not JSON. */
export function parseDocument(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, "")) as unknown;
  } catch {
    return undefined;
  }
}

/** Normalizes a name for comparison: `api_key`, `API-Key` and `apiKey` become the same name. */
export function normalizeName(name: string): string {
  return name.slice(0, 64).toLowerCase().replace(/[\W_]/g, "");
}

/** Returns a set of normalized names. @param list Names, separated by spaces. */
export function names(list: string): ReadonlySet<string> {
  return new Set(list.split(" ").map(normalizeName));
}

/** Returns all values of a document in order, the root first. Not recursive: deep nesting would overflow the stack. */
export function nodesOf(root: unknown, descends = (_node: DocumentNode): boolean => true): DocumentNode[] {
  const nodes: DocumentNode[] = [];
  const open: DocumentNode[] = [{ value: root, token: "", name: "", pointer: "", depth: 0 }];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    nodes.push(node);
    if (typeof node.value !== "object" || node.value === null || !descends(node)) continue;
    for (const [token, value] of Object.entries(node.value).reverse()) open.push(childOf(node, token, value));
  }
  return nodes;
}

function childOf(parent: DocumentNode, token: string, value: unknown): DocumentNode {
  const isElement = isArray(parent.value);
  const name = isElement ? parent.name : normalizeName(token);
  const isTooDeep = parent.pointer === null || parent.depth === MAX_POINTER_DEPTH;
  const isField = isElement || (FIELD_NAME.test(token) && !MAY_BE_DATA.test(token));
  const pointer = isTooDeep ? null : `${parent.pointer}/${isField ? token : "*"}`;
  return { value, token, name, pointer, depth: parent.depth + 1 };
}

/** Returns the distinct JSON Pointers of nodes, to propose after a refusal. */
export function pointersOf(nodes: readonly DocumentNode[], limit = 10): string[] {
  const pointers = nodes.map(({ pointer }) => pointer).filter((pointer) => pointer !== null);
  return [...new Set(pointers)].slice(0, limit);
}

/** Returns the unescaped reference tokens of a JSON Pointer (RFC 6901); `null` if the text is not a JSON Pointer. */
export function parsePointer(text: string): string[] | null {
  if (text === "") return [];
  if (!text.startsWith("/") || /~(?![01])/.test(text)) return null;
  // "~1" first: "~01" stands for "~1", not for "/".
  const unescape = (token: string): string => token.replaceAll("~1", "/").replaceAll("~0", "~");
  return text.slice(1).split("/").map(unescape);
}

/** Returns the value that a JSON Pointer points to; `undefined` if there is none. */
export function resolvePointer(root: unknown, pointer: string): unknown {
  const tokens = parsePointer(pointer);
  let value = tokens === null ? undefined : root;
  for (const token of tokens ?? []) {
    const isIndex = /^(?:0|[1-9][0-9]{0,9})$/.test(token);
    if (isArray(value) ? !isIndex : !isObject(value) || !Object.hasOwn(value, token)) return undefined;
    value = (value as JsonObject)[token];
  }
  return value;
}
