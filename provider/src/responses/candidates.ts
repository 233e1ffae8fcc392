import { isArray, walk, type DocumentNode, type JsonObject } from "./document.js";
import { isUuid, mayHoldKey } from "./key-form.js";
import { isScalar } from "./mapping.js";

/** Nothing deeper is shown, nor recognised. */
export const MAX_DEPTH = 16;
const MAX_CANDIDATES = 10;
const MAX_FIELDS = 40;
const FIELD_NAME = /^[@$]?[A-Za-z_][A-Za-z0-9_.:$-]{0,38}$/;
/** What counts something, as an index does: too short to be a secret, a phone number or the id of a person. */
const SHORT_NUMBER = /^[0-9]{1,3}$/;

/** The JSON Pointers that a refusal proposes, each once and at most 10. */
export function listCandidates(nodes: readonly DocumentNode[]): string[] {
  return printPointers(nodes).slice(0, MAX_CANDIDATES);
}

/** The JSON Pointers of the values in a record, relative to it; at most 40. */
export function listFields(record: JsonObject): string[] {
  const nodes = [...walk(record)].filter(({ value }) => isScalar(value));
  return printPointers(nodes).slice(0, MAX_FIELDS);
}

function printPointers(nodes: readonly DocumentNode[]): string[] {
  const pointers = nodes.map(printPointer).filter((pointer) => pointer !== null);
  return [...new Set(pointers)];
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

/** Whether a name looks like the name of a field. Any other may be data, such as a key of a map, and is not shown. */
export function isFieldName(name: string): boolean {
  return FIELD_NAME.test(name) && !mayHoldKey(name) && !isUuid(name);
}
