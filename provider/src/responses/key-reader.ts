import { parseDocument, pointersOf, resolvePointer } from "../json.js";
import { documentReportsFailure } from "./failure-report.js";
import { findKeys, isProposable, lookalikesIn, type FoundKeys } from "./key-finder.js";
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
  /** JSON Pointers to possible keys, at most 11. IDs and the like come last, and never alone. */
  readonly candidates: readonly string[];
  /**
   * Why the value at the set pointer, or the only value that is named like a key, is not one; of several
   * values, one that is masked. `pointer`: to that value; `null`: the one that is set, or too deep to be
   * shown.
   */
  readonly misfit?: { readonly pointer: string | null; readonly kind: Misfit };
  /** Whether the service says that it has not finished yet, so that the response may have no key. */
  readonly isPending?: true;
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
  if (others.length > 0) {
    const ordered = [...possible.filter(isProposable), ...possible.filter((node) => !isProposable(node))];
    return { kind: "refused", reason: "several", candidates: pointersOf(ordered) };
  }
  if (isDoubtful) {
    const masked = unfit.filter(({ misfit }) => misfit === "masked");
    return { kind: "refused", reason: "none", ...misfitIn(masked, pointersOf(named)) };
  }
  return { kind: "found", apiKey: String(first?.value), pointer };
}

/** Returns the pointers to propose: to what is named after a key, or else to everything that may be one. */
function candidatesIn(body: unknown, accessToken: string): readonly string[] {
  const proposable = () => lookalikesIn(body, accessToken).filter(isProposable);
  const pointers = pointersOf(proposable().filter(({ name }) => isNamedAfterKey(name)));
  return pointers.length > 0 ? pointers : pointersOf(proposable());
}

/**
 * Returns why the only value that is named like the key is not one, or that one of several is masked. If
 * recognition alone is against it, its pointer is proposed as well.
 */
function misfitIn(
  unfit: FoundKeys["unfit"],
  candidates: readonly string[],
): Pick<RefusedKey, "candidates" | "misfit"> {
  const only = unfit.length === 1 ? unfit[0] : undefined;
  const first = unfit.find(({ misfit }) => misfit === "masked") ?? only;
  if (first === undefined) return { candidates };
  const { pointer } = first.node;
  const misfit = { pointer, kind: first.misfit };
  const isPossible = pointer !== null && ["short", "address", "label"].includes(first.misfit);
  return { misfit, candidates: isPossible ? [...new Set([pointer, ...candidates])] : candidates };
}

/**
 * Returns pointers to the values besides the key to propose, at most 10.
 *
 * @param isKnown Whether a value is known to be something else.
 * @returns `null` if no value may be a key by its form; empty if only IDs and the like may.
 */
export function lookalikesBeside(
  text: string,
  apiKey: string,
  accessToken: string,
  isKnown: (value: string) => boolean,
): readonly string[] | null {
  const values = lookalikesIn(parseDocument(text), accessToken);
  const others = [...values.filter(({ value }) => value !== apiKey && !isKnown(String(value)))];
  return others.length > 0 ? pointersOf(others.filter(isProposable)) : null;
}
