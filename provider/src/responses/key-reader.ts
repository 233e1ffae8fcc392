import { parseDocument, pointersOf, resolvePointer } from "../json.js";
import { documentReportsFailure } from "./failure-report.js";
import { findKeys, lookalikesIn, type FoundKeys } from "./key-finder.js";
import { misfitAtPointer, type Misfit } from "./key-form.js";
import { isNamedAfterKey } from "./key-names.js";
import type { ResponseMapping } from "./mapping.js";

/** The key was found. Secret. */
export interface FoundKey {
  readonly kind: "found";
  readonly apiKey: string;
  /** Where it is. */
  readonly pointer: string;
}

/** Why there is no key, or none that is certain. */
export interface RefusedKey {
  readonly kind: "refused";
  /**
   * `none`: or the response reports a failure. `pointer`: it finds nothing that can be sent. `not JSON`,
   * which includes what was cut off, and `empty`: no pointer can help.
   */
  readonly reason: "none" | "several" | "pointer" | "not JSON" | "empty";
  /** JSON Pointers to possible keys, at most 11. */
  readonly candidates: readonly string[];
  /**
   * Why the value at the set pointer, or the only value that is named like a key, is not one. `pointer`: to
   * that value; `null`: the one that is set, or too deep to be shown.
   */
  readonly misfit?: { readonly pointer: string | null; readonly kind: Misfit };
}

/** The body of a response, parsed once. Secret. */
export interface ParsedBody {
  readonly text: string;
  /** `undefined` if the text is not JSON. */
  readonly document: unknown;
}

/** The start of what was meant to be JSON or a page. */
const CUT_OFF = /^\s*[{["<]/;

/**
 * Finds the key in the response to its creation: always a complete string of the document. Never throws.
 *
 * @param accessToken It is never the key.
 * @example Of `{"data":{"id":7,"api_key":"pk_live_4eC39HqLyjWD"}}`, the key is at "/data/api_key".
 */
export function readApiKey(
  { text, document }: ParsedBody,
  mapping: ResponseMapping,
  accessToken: string,
): FoundKey | RefusedKey {
  const isPlain = document === undefined || typeof document === "number";
  const body = isPlain && !CUT_OFF.test(text) ? text.trim() : document;
  const candidates = (): readonly string[] => candidatesIn(body, accessToken);
  if (mapping.apiKey !== undefined) {
    const value = mapping.apiKey === "" ? body : resolvePointer(document, mapping.apiKey);
    const misfit = misfitAtPointer(value, accessToken);
    if (misfit === null) return { kind: "found", apiKey: String(value), pointer: mapping.apiKey };
    const found = value === undefined ? {} : { misfit: { pointer: null, kind: misfit } };
    return { kind: "refused", reason: "pointer", candidates: candidates(), ...found };
  }
  if (documentReportsFailure(document)) return { kind: "refused", reason: "none", candidates: candidates() };
  const { named, rivals, isDoubtful, unfit } = findKeys(body, accessToken);
  const [first] = named;
  const pointer = first?.pointer ?? null;
  if (pointer === null) return { kind: "refused", reason: "none", ...misfitIn(unfit, candidates()) };
  const possible = [...named, ...rivals];
  const others = possible.filter(({ value }) => value !== first?.value);
  if (others.length > 0) return { kind: "refused", reason: "several", candidates: pointersOf(possible) };
  if (isDoubtful) return { kind: "refused", reason: "none", candidates: pointersOf(named) };
  return { kind: "found", apiKey: String(first?.value), pointer };
}

/** Returns the pointers to propose: to what is named after a key, or else to everything that may be one. */
function candidatesIn(body: unknown, accessToken: string): readonly string[] {
  const named = lookalikesIn(body, accessToken).filter(({ name }) => isNamedAfterKey(name));
  const pointers = pointersOf(named);
  return pointers.length > 0 ? pointers : pointersOf(lookalikesIn(body, accessToken));
}

/**
 * Returns why the only value that is named like the key is not one. If recognition alone is against it, its
 * pointer is proposed as well.
 */
function misfitIn(
  unfit: FoundKeys["unfit"],
  candidates: readonly string[],
): Pick<RefusedKey, "candidates" | "misfit"> {
  const [first, ...others] = unfit;
  if (first === undefined || others.length > 0) return { candidates };
  const { pointer } = first.node;
  const misfit = { pointer, kind: first.misfit };
  const isPossible = pointer !== null && ["short", "address", "label"].includes(first.misfit);
  return { misfit, candidates: isPossible ? [...new Set([pointer, ...candidates])] : candidates };
}

/**
 * Returns pointers to the values besides the key that may be keys by their form, at most 10.
 *
 * @param isKnown Whether a value is known to be something else.
 */
export function lookalikesBeside(
  text: string,
  apiKey: string,
  accessToken: string,
  isKnown: (value: string) => boolean,
): readonly string[] {
  const values = lookalikesIn(parseDocument(text), accessToken);
  return pointersOf(values.filter(({ value }) => value !== apiKey && !isKnown(String(value))));
}
