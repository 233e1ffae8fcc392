/** A JSON value that is neither an object nor an array. */
export type JsonScalar = string | number | boolean | null;

/** A JSON object. Only its own members count: `__proto__` is a name like any other. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** A value of a document and its position. */
export interface DocumentNode {
  readonly value: unknown;
  /** The normalized name of the member. Array elements have the name of their array. `""` for the root. */
  readonly name: string;
  /** Its JSON Pointer, with `*` for names that may be data. */
  readonly pointer: string;
  /** The object or array that it is in; `null` for the root. */
  readonly parent: DocumentNode | null;
}

/** The maximum number of values that {@link nodesOf} returns, so that a huge body takes little time. */
const MAX_NODES = 250_000;
/** Below this level, nothing is read: no documented body is deeper, and a pointer would be unreadable. */
const MAX_DEPTH = 16;
/** A name that is safe to show. `::` can begin a command of a CI system. */
const FIELD_NAME = /^(?!.*::)(?:[@$]?[A-Za-z_][A-Za-z0-9_.:$-]{0,38}|[0-9]{1,3})$/;
/** A name may be a secret or a person's ID if it is long and has a digit, or is one long word. */
const MAY_BE_DATA = /^(?=.{16}).*[0-9]|[a-z]{16}|[A-Z]{16}/;
/** The digits of an integer: at most as many as the longest key has. */
const INTEGER = /^[0-9]{1,4096}$/;

/**
 * Parses a body as JSON, with or without a byte order mark. An integer that a number cannot hold exactly
 * becomes a bigint: a 64-bit ID is one.
 *
 * @returns `undefined` if it is not JSON.
 */
export function parseDocument(text: string): unknown {
  const exact = (_name: string, value: unknown, context?: { readonly source?: string }): unknown => {
    const source = context?.source ?? "";
    return typeof value === "number" && !Number.isSafeInteger(value) && INTEGER.test(source)
      ? BigInt(source)
      : value;
  };
  try {
    return JSON.parse(text.startsWith("\uFEFF") ? text.slice(1) : text, exact) as unknown;
  } catch {
    return undefined;
  }
}

/** Whether a value is an object: neither a scalar nor an array. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function isArray(value: unknown): value is readonly unknown[] {
  return Array.isArray(value);
}

export function isScalar(value: unknown): value is JsonScalar {
  return value === null || ["string", "number", "boolean"].includes(typeof value);
}

/** Normalizes a name for comparison: `api_key`, `API-Key` and `apiKey` become the same name. */
export function normalizeName(name: string): string {
  return name
    .slice(0, 64)
    .toLowerCase()
    .replace(/[^a-z0-9]/g, "");
}

/** Returns a set of normalized names. @param list Names, separated by spaces. */
export function nameSet(list: string): ReadonlySet<string> {
  return new Set(list.split(" ").map(normalizeName));
}

/** Returns the values of a document, parents before children. @param descends Whether to visit children. */
export function nodesOf(
  root: unknown,
  descends: (node: DocumentNode) => boolean = () => true,
): DocumentNode[] {
  const nodes: DocumentNode[] = [];
  const visit = (node: DocumentNode, depth: number): void => {
    nodes.push(node);
    if (depth === MAX_DEPTH || !descends(node)) return;
    for (const child of childrenOf(node)) if (nodes.length < MAX_NODES) visit(child, depth + 1);
  };
  visit({ value: root, name: "", pointer: "", parent: null }, 0);
  return nodes;
}

/** Returns the children of a node; none of a scalar. */
export function childrenOf(parent: DocumentNode): DocumentNode[] {
  const { value, name, pointer } = parent;
  if (isArray(value))
    return value.map((element, index) => ({ value: element, name, pointer: `${pointer}/${index}`, parent }));
  if (!isObject(value)) return [];
  return Object.entries(value).map(([member, child]) => ({
    value: child,
    name: normalizeName(member),
    pointer: `${pointer}/${FIELD_NAME.test(member) && !MAY_BE_DATA.test(member) ? member : "*"}`,
    parent,
  }));
}

/** Returns a node and all those around it, up to the root. */
export function pathToRoot(node: DocumentNode): DocumentNode[] {
  return node.parent === null ? [node] : [node, ...pathToRoot(node.parent)];
}

/** Returns the distinct JSON Pointers of nodes, to propose: without those that hide a name. */
export function pointersOf(nodes: readonly DocumentNode[], limit = 10): string[] {
  const pointers = nodes.map(({ pointer }) => pointer).filter((pointer) => !pointer.includes("*"));
  return [...new Set(pointers)].slice(0, limit);
}

/** Returns the unescaped reference tokens of a JSON Pointer (RFC 6901); `null` if the text is not one. */
export function parsePointer(text: string): string[] | null {
  if (text === "") return [];
  if (!text.startsWith("/") || /~(?![01])/.test(text)) return null;
  // "~1" first: "~01" stands for "~1", not for "/".
  const unescape = (token: string): string => token.replaceAll("~1", "/").replaceAll("~0", "~");
  return text.slice(1).split("/").map(unescape);
}

/** Returns the value that a JSON Pointer points to; `undefined` if there is none. */
export function resolvePointer(root: unknown, pointer: string): unknown {
  return parsePointer(pointer)?.reduce(childAt, root);
}

function childAt(value: unknown, token: string): unknown {
  if (isArray(value)) return /^(?:0|[1-9][0-9]{0,9})$/.test(token) ? value[Number(token)] : undefined;
  return isObject(value) && Object.hasOwn(value, token) ? value[token] : undefined;
}

/** Words and short numbers, such as `partner-main-2024`. */
const WORDS = /^(?:[A-Z]?[a-z]+|[A-Z]+)(?:[-_./:](?:[A-Z]?[a-z]+|[A-Z]+|[0-9]{1,4}))*$/;

/** Whether a text consists of words, as no generated secret does. */
export function consistsOfWords(text: string): boolean {
  return WORDS.test(text);
}
