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
  /** The name of the value that it is in; `""` for the root. */
  readonly parentName: string;
  /** Its JSON Pointer, with `*` for names that may be data; `null` if it is too deep to be shown. */
  readonly pointer: string | null;
  /** The number of names and indexes in the JSON Pointer. */
  readonly depth: number;
}

/** The maximum number of values that {@link nodesOf} looks at. */
export const MAX_NODES = 250_000;
const MAX_POINTER_DEPTH = 16;
/** `::` can begin a command of a CI system. */
const FIELD_NAME = /^(?!.*::)(?:[@$]?[A-Za-z_][A-Za-z0-9_.:$-]{0,38}|[0-9]{1,3})$/;
/** A name may be a secret or a person's ID if it is long and has a digit, or is one long word. */
const MAY_BE_DATA = /^(?=.{16}).*[0-9]|[a-z]{16}|[A-Z]{16}/;

/** Digits, as many as a key may have. */
const INTEGER = /^[0-9]{1,4096}$/;

/** Replaces a value while it is parsed. `context` holds a scalar as it stands in the text. */
type Reviver = (name: string, value: unknown, context?: { readonly source?: string }) => unknown;

/** Parses a body as JSON, with or without a byte order mark. @returns `undefined` if it is not JSON. */
export function parseDocument(text: string): unknown {
  return parse(text);
}

/**
 * Parses a body as {@link parseDocument} does, but with every number that stands there as digits as a bigint:
 * a 64-bit ID does not fit into a number. Nesting that overflows the stack is not JSON either.
 */
export function parseWithExactIntegers(text: string): unknown {
  return parse(text, (_name, value, { source = "" } = {}) =>
    typeof value === "number" && INTEGER.test(source) ? BigInt(source) : value,
  );
}

/**
 * Whether a document proves by itself that none of its text is missing: an object, an array or a string
 * would not be valid without its last character. The first digits of a number are a number, and the start of
 * plain text is plain text, so only the connection can tell whether these are whole.
 */
export function provesWhole(document: unknown): boolean {
  return typeof document === "string" || isArray(document) || isObject(document);
}

function parse(text: string, revive?: Reviver): unknown {
  try {
    return JSON.parse(text.startsWith("\uFEFF") ? text.slice(1) : text, revive) as unknown;
  } catch {
    return undefined;
  }
}

/** Whether a body is a web page, such as a login page, instead. Its start shows it. */
export function isWebPage(text: string): boolean {
  const head = text.slice(0, 1024).trimStart().toLowerCase();
  return head.startsWith("<!doctype html") || (head.startsWith("<") && head.includes("<html"));
}

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
  if (isArray(value)) return value.length === 0;
  return !value || (typeof value === "object" && Object.keys(value).length === 0);
}

/** Normalizes a name for comparison: `api_key`, `API-Key` and `apiKey` become the same name. */
export function normalizeName(name: string): string {
  const short = name.slice(0, 64);
  return /^[a-z0-9]*$/.test(short) ? short : short.toLowerCase().replace(/[\W_]/g, "");
}

/** Returns a set of normalized names. @param list Names, separated by spaces. */
export function nameSet(list: string): ReadonlySet<string> {
  return new Set(list.split(" ").map(normalizeName));
}

/**
 * Yields the values of a document in order, the root first, and at most {@link MAX_NODES}: it takes little
 * memory, and an end. Not recursive: deep nesting would overflow the stack.
 */
export function* nodesOf(
  root: unknown,
  descends = (_node: DocumentNode): boolean => true,
): Generator<DocumentNode> {
  const first = new Node(root, "", "", null);
  const open: { readonly node: Node; readonly names: readonly string[] | null; next: number }[] = [];
  let node: Node | undefined = first;
  for (let count = 0; node !== undefined && count < MAX_NODES; count += 1) {
    yield node;
    const { value }: Node = node;
    if (typeof value === "object" && value !== null && descends(node))
      open.push({ node, names: isArray(value) ? null : Object.keys(value), next: 0 });
    node = undefined;
    for (let top = open.at(-1); top !== undefined && node === undefined; top = open.at(-1)) {
      node = childOf(top.node, top.names, top.next);
      top.next += 1;
      if (node === undefined) open.pop();
    }
  }
}

/** Returns the children of a value, or of the value of a node. */
export function childrenOf(parent: DocumentNode | JsonObject): DocumentNode[] {
  const node = parent instanceof Node ? parent : new Node(parent, "", "", null);
  if (typeof node.value !== "object" || node.value === null) return [];
  const names = isArray(node.value) ? null : Object.keys(node.value);
  const children: DocumentNode[] = [];
  for (
    let child = childOf(node, names, 0);
    child !== undefined;
    child = childOf(node, names, children.length)
  )
    children.push(child);
  return children;
}

/**
 * Returns a child of a node; `undefined` if it has no more.
 *
 * @param names The names of its members; `null` for an array.
 */
function childOf(parent: Node, names: readonly string[] | null, index: number): Node | undefined {
  if (names === null) {
    const elements = parent.value as readonly unknown[];
    if (index >= elements.length) return undefined;
    return new Node(elements[index], String(index), parent.name, parent);
  }
  const token = names[index];
  if (token === undefined) return undefined;
  return new Node((parent.value as JsonObject)[token], token, normalizeName(token), parent);
}

class Node implements DocumentNode {
  readonly value: unknown;
  readonly token: string;
  readonly name: string;
  readonly depth: number;
  readonly #parent: Node | null;

  constructor(value: unknown, token: string, name: string, parent: Node | null) {
    this.value = value;
    this.token = token;
    this.name = name;
    this.depth = parent === null ? 0 : parent.depth + 1;
    this.#parent = parent;
  }

  get parentName(): string {
    return this.#parent?.name ?? "";
  }

  get pointer(): string | null {
    if (this.#parent === null) return "";
    if (this.depth > MAX_POINTER_DEPTH) return null;
    const { token } = this;
    const isField = isArray(this.#parent.value) || (FIELD_NAME.test(token) && !MAY_BE_DATA.test(token));
    return `${this.#parent.pointer}/${isField ? token : "*"}`;
  }
}

/** Returns the distinct JSON Pointers of nodes, to propose after a refusal. */
export function pointersOf(nodes: Iterable<Pick<DocumentNode, "pointer">>, limit = 10): string[] {
  const pointers = new Set<string>();
  for (const { pointer } of nodes) {
    if (pointer !== null) pointers.add(pointer);
    if (pointers.size === limit) break;
  }
  return [...pointers];
}

/**
 * Returns the unescaped reference tokens of a JSON Pointer (RFC 6901); `null` if the text is not a JSON
 * Pointer.
 */
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
