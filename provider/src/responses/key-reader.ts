import { isVisibleAscii } from "../api/operations.js";
import {
  type DocumentNode,
  nodesOf,
  parseDocument,
  parseWithExactIntegers,
  pointersOf,
  resolvePointer,
} from "../json.js";
import { documentReportsFailure, isAboutFailure, isWebPage, membersBesideErrors } from "./failure-report.js";
import { findKeys, lookalikesIn, type FoundKeys } from "./key-finder.js";
import { misfitAtPointer, misfitOf, type Misfit } from "./key-form.js";
import { isId, isNamedAfterKey, readName } from "./key-names.js";
import type { ResponseMapping } from "./mapping.js";

/** A response of the service, exactly as received. Secret. */
export interface KeyResponse {
  /**
   * The body as text, or in base64 if it is not valid UTF-8, or is one of Pulumi's placeholders for unknown
   * values.
   */
  readonly body: string;
  /** The encoding of `body`: `utf8` or `base64`. */
  readonly encoding: "utf8" | "base64";
  /** Whether the whole body was received. */
  readonly complete: boolean;
}

/**
 * The result of looking for the key in the response to its creation. `apiKey` is secret; `pointer` is where
 * it was found.
 */
export type KeyReading =
  { readonly kind: "found"; readonly apiKey: string; readonly pointer: string } | RefusedKey;

/** Why there is no key, or none that is certain. */
export interface RefusedKey {
  readonly kind: "refused";
  /**
   * `none`: or the response reports a failure. `pointer`: it finds nothing that can be sent. `not JSON`,
   * `empty`: no pointer can help.
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

/** The start of what was meant to be JSON or a page. */
const CUT_OFF = /^\s*[{["<]/;

/**
 * Finds the key in the response to its creation: always a complete string of the document. Never throws.
 *
 * @param accessToken It is never the key.
 * @example readApiKey('{"data":{"id":7,"api_key":"pk_live_4eC39HqLyjWD"}}', {}, "…") // "/data/api_key"
 */
export function readApiKey(text: string, mapping: ResponseMapping, accessToken: string): KeyReading {
  const document = parseDocument(text);
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

/**
 * Reads the ID of a key at `responses.apiKeyId`; `null` if the setting is missing or does not point to an ID.
 * Never throws.
 */
export function readApiKeyId(text: string, mapping: ResponseMapping): string | null {
  if (mapping.apiKeyId === undefined) return null;
  const value = resolvePointer(parseWithExactIntegers(text), mapping.apiKeyId);
  if (typeof value === "bigint") return String(value);
  return isVisibleAscii(value) && value !== "." && value !== ".." ? value : null;
}

/**
 * Whether a 2xx response to a creation shows that no key was created, so that it is not kept. A response that
 * is kept in vain costs the user one command; one that is dropped may be the only copy of a key, and every
 * `pulumi up` creates another. So a failure counts only if nothing besides its words may be a key, by its
 * form or by its name. A 201 says that something was created: then a web page counts as a key, and so does
 * the ID of a record. A `responses` pointer that finds a value takes precedence. Never throws.
 */
export function isFailedCreation(
  status: number,
  text: string,
  mapping: ResponseMapping,
  accessToken: string,
): boolean {
  if (mapping.apiKey !== undefined && readApiKey(text, mapping, accessToken).kind === "found") return false;
  if (readApiKeyId(text, mapping) !== null) return false;
  const document = parseDocument(text);
  if (document === undefined) return status !== 201 && isWebPage(text);
  if (!documentReportsFailure(document)) return false;
  return !nodesOf(membersBesideErrors(document)).some((node) => {
    const { name, value } = node;
    if (isAboutFailure(name)) return false;
    if (misfitOf(value, accessToken) === null || isNamedKey(node, accessToken)) return true;
    return status === 201 && isId(name, value);
  });
}

/** Whether a value may be a key because of its name, whatever its form. */
function isNamedKey({ token, name, value }: DocumentNode, accessToken: string): boolean {
  const { isOther, isApiKey, isKey, isSecret } = readName(token, name);
  if (isOther || !(isApiKey || isKey || isSecret || name === "keys")) return false;
  if (typeof value === "number") return true;
  const misfit = misfitAtPointer(value, accessToken);
  return misfit === null || misfit === "characters" || misfit === "long";
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
