/** A JSON object. Only its own members count: `__proto__` is a name like any other. */
export type JsonObject = Readonly<Record<string, unknown>>;

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

/** Names are compared up to this length. */
const MAX_NAME = 64;

/** Whether a JSON value is an object: neither a scalar nor an array. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Whether a JSON value is an array. */
export function isArray(value: unknown): value is readonly unknown[] {
  return Array.isArray(value);
}

/** Whether a JSON value is null, or an array or an object with nothing in it. */
export function isEmpty(value: unknown): boolean {
  return value === null || (typeof value === "object" && Object.keys(value).length === 0);
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
  const start = name.slice(0, MAX_NAME).toLowerCase();
  return start.replace(/[^a-z0-9]/g, "");
}

/** The members of an object, with their names normalised. */
export function membersOf(object: JsonObject): { readonly name: string; readonly value: unknown }[] {
  return Object.entries(object).map(([name, value]) => ({ name: normaliseName(name), value }));
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
