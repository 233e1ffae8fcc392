import { isArray, isObject, type DocumentNode } from "./document.js";

const ARRAY_INDEX = /^(?:0|[1-9][0-9]{0,9})$/;
/** The depth up to which pointers are shown. */
const MAX_DEPTH = 16;
const MAX_CANDIDATES = 10;
const FIELD_NAME = /^[@$]?[A-Za-z_][A-Za-z0-9_.:$-]{0,38}$/;
/** The length from which a name with a digit may be a secret or a person's ID. */
const MIN_DATA_LENGTH = 16;
/** An index or a count: too short to be a secret, a phone number or a person's ID. */
const SHORT_NUMBER = /^[0-9]{1,3}$/;

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
    if (isArray(value) && ARRAY_INDEX.test(token)) value = value[Number(token)];
    else if (isObject(value) && Object.hasOwn(value, token)) value = value[token];
    else return undefined;
  }
  return value;
}

/** Returns the JSON Pointer of a node, with `*` for names that may be data; `null` if the node is too deep. */
export function printPointer(node: DocumentNode): string | null {
  if (node.depth > MAX_DEPTH) return null;
  let pointer = "";
  for (let { token, parent } = node; parent !== null; { token, parent } = parent) {
    const isSafe = isArray(parent.value) || isFieldName(token) || SHORT_NUMBER.test(token);
    pointer = `/${isSafe ? token : "*"}${pointer}`;
  }
  return pointer;
}

/** Returns the distinct JSON Pointers of nodes, to propose after a refusal. @param limit How many. @default 10 */
export function listPointers(nodes: readonly DocumentNode[], limit = MAX_CANDIDATES): string[] {
  const pointers = nodes.map(printPointer).filter((pointer) => pointer !== null);
  return [...new Set(pointers)].slice(0, limit);
}

/** Whether a name looks like a field name. Any other name may be data, such as a map key, and must not be shown. */
function isFieldName(name: string): boolean {
  return FIELD_NAME.test(name) && (name.length < MIN_DATA_LENGTH || !/[0-9]/.test(name));
}
