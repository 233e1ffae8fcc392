import { isArray, walk, type DocumentNode, type JsonObject } from "./document.js";
import { isUuid, mayContainKey } from "./key-form.js";
import { isScalar } from "./mapping.js";

/** The depth up to which values are recognized and their pointers shown. */
export const MAX_DEPTH = 16;
const MAX_CANDIDATES = 10;
const MAX_FIELDS = 40;
const FIELD_NAME = /^[@$]?[A-Za-z_][A-Za-z0-9_.:$-]{0,38}$/;
/** An index or a count: too short to be a secret, a phone number or a person's ID. */
const SHORT_NUMBER = /^[0-9]{1,3}$/;

/** Returns the distinct JSON Pointers to propose after a refusal, at most 10. */
export function listCandidates(nodes: readonly DocumentNode[]): string[] {
  return printPointers(nodes).slice(0, MAX_CANDIDATES);
}

/** Returns the JSON Pointers of the scalars in a record, relative to the record; at most 40. */
export function listFields(record: JsonObject): string[] {
  const nodes = [...walk(record)].filter(({ value }) => isScalar(value));
  return printPointers(nodes).slice(0, MAX_FIELDS);
}

function printPointers(nodes: readonly DocumentNode[]): string[] {
  const pointers = nodes.map(printPointer).filter((pointer) => pointer !== null);
  return [...new Set(pointers)];
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

/** Whether a name looks like a field name. Any other name may be data, such as a map key, and must not be shown. */
export function isFieldName(name: string): boolean {
  return FIELD_NAME.test(name) && !mayContainKey(name) && !isUuid(name);
}
