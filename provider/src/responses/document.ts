/** A JSON object. Only its own members count: `__proto__` is a name like any other. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** A value of a document and its position. */
export interface DocumentNode {
  readonly value: unknown;
  /** The name or index in the parent; `""` for the root. */
  readonly token: string;
  /** The normalized name of the member. Array elements have the name of their array. */
  readonly name: string;
  /** The number of tokens in the JSON Pointer. */
  readonly depth: number;
  readonly parent: DocumentNode | null;
}

/** Names are compared up to this length. */
const MAX_NAME_LENGTH = 64;

/** Whether a JSON value is an object: neither a scalar nor an array. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Whether a JSON value is an array. */
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
    return JSON.parse(text.startsWith("\uFEFF") ? text.slice(1) : text) as unknown;
  } catch {
    return undefined;
  }
}

/** Normalizes a name for comparison: `api_key`, `API-Key` and `apiKey` become the same name. */
export function normalizeName(name: string): string {
  const start = name.slice(0, MAX_NAME_LENGTH).toLowerCase();
  return start.replace(/[^a-z0-9]/g, "");
}

/** Returns a set of normalized names. @param list Names, separated by spaces. */
export function names(list: string): ReadonlySet<string> {
  return new Set(list.split(" ").map(normalizeName));
}

/**
 * Yields all values of a document in document order, the root first. Not recursive, because deep nesting would overflow the
 * stack.
 *
 * @param descends Whether to visit the members or elements of a value. @default always
 */
export function* walk(
  root: unknown,
  descends: (node: DocumentNode) => boolean = () => true,
): Generator<DocumentNode, void, undefined> {
  const open: DocumentNode[] = [{ value: root, token: "", name: "", depth: 0, parent: null }];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    yield node;
    if (typeof node.value !== "object" || node.value === null || !descends(node)) continue;
    const parent = node;
    const children = Object.entries(node.value).map(([token, value]) => {
      const name = isArray(parent.value) ? parent.name : normalizeName(token);
      return { value: value as unknown, token, name, depth: parent.depth + 1, parent };
    });
    for (const child of children.reverse()) open.push(child);
  }
}
