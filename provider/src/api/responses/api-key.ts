import type { KeyReading, ResponseMapping } from "../responses.js";
import { isFailureReport } from "./failure-report.js";
import { parseBody } from "./json.js";
import { chooseKey, continues, findKeyCandidates, isContinued } from "./key-candidates.js";
import { findKeyId, toKeyId } from "./key-id.js";
import { isNeverKey } from "./key-names.js";
import { MAX_KEY_LENGTH, canBeSent, looksLikeKey } from "./key-value.js";
import { normalise } from "./names.js";
import { holdsOtherSecrets } from "./other-secrets.js";
import { findPaths, printPaths } from "./paths.js";
import { toPlainKey } from "./plain-key.js";
import { parsePointer, resolve, type Pointer } from "./pointer.js";

const SET_KEY = "Set partners:responses.apiKey to the JSON Pointer of the key.";
const SET_KEY_ANYWAY = "If it holds a key all the same, set partners:responses.apiKey to its JSON Pointer.";
const SET_ID = "Set partners:responses.apiKeyId to the JSON Pointer of the id of the key, or remove it.";
const SET_WHOLE = 'If it is the key, set partners:responses.apiKey to "".';
const NOT_MAPPABLE = "No setting of partners:responses can find a key in it.";
const FAILURE =
  "The response reports a failure, although its status says success (its text is not shown here).";

type Problem = { readonly problem: string };
type FoundKey = { readonly key: string; readonly paths: readonly Pointer[] };

/**
 * Reads the response of `createApiKey`.
 *
 * @param text the body.
 * @param mapping what the user has said about the responses of the service; `{}` if nothing.
 * @returns the key, or why there is none: sentences that name paths and the setting to use, never a value. Never throws.
 * @example readApiKey('{"data":{"id":7,"api_key":"k-1a2b3c4d5e"}}', {}) // apiKey: "k-1a2b3c4d5e", keyId: "7"
 */
export function readApiKey(text: string, mapping: ResponseMapping): KeyReading {
  const plain = toPlainKey(text);
  const body =
    mapping.apiKey === "" && plain !== null ? ({ ok: true, value: plain } as const) : parseBody(text);
  if (!body.ok) {
    const mappable = plain !== null;
    return { readable: false, problem: `${body.problem} ${mappable ? SET_WHOLE : NOT_MAPPABLE}`, mappable };
  }

  const found = mapping.apiKey === undefined ? recogniseKey(body.value) : keyAt(body.value, mapping.apiKey);
  if ("problem" in found) return { readable: false, problem: found.problem, mappable: true };

  const { key, paths } = found;
  const id =
    mapping.apiKeyId === undefined
      ? { keyId: findKeyId(body.value, paths, key) }
      : keyIdAt(body.value, mapping.apiKeyId, key);
  if ("problem" in id) return { readable: false, problem: id.problem, mappable: true };

  const { keyId } = id;
  return { readable: true, apiKey: key, keyId, otherSecrets: holdsOtherSecrets(body.value, key, keyId) };
}

function recogniseKey(root: unknown): FoundKey | Problem {
  if (isFailureReport(root)) return { problem: `${FAILURE} ${possibleKeys(root)} ${SET_KEY_ANYWAY}` };
  const { chosen, paths: found } = chooseKey(findKeyCandidates(root));
  const continued = chosen !== null && isContinued(root, chosen);
  if (chosen !== null && !continued) return { key: chosen, paths: found };
  if (found.length > 0) {
    // What is longer may be the whole key, or something made from it.
    const longer = continued ? findPaths(root, (value) => continues(value, chosen)) : [];
    const paths = printPaths([...found, ...longer]);
    return { problem: `More than one value of the response could be the key: ${paths}. ${SET_KEY}` };
  }
  return { problem: `No key was recognised in the response. ${possibleKeys(root)} ${SET_KEY}` };
}

function keyAt(root: unknown, setting: string): FoundKey | Problem {
  const pointer = parsePointer(setting);
  const value = resolve(root, pointer);
  if (pointer !== undefined && canBeSent(value)) return { key: value, paths: [pointer] };
  const what =
    value === undefined
      ? "points at nothing in the response"
      : `does not point at a string of 1 to ${MAX_KEY_LENGTH} visible ASCII characters`;
  const failure = isFailureReport(root) ? `${FAILURE} ` : "";
  return { problem: `${failure}partners:responses.apiKey ${what}. ${possibleKeys(root)} ${SET_KEY}` };
}

function keyIdAt(root: unknown, setting: string, key: string): { readonly keyId: string } | Problem {
  const value = resolve(root, parsePointer(setting));
  const keyId = toKeyId(value);
  if (keyId !== null && !keyId.includes(key)) return { keyId };
  let what = "does not point at a positive whole number or a string of 1 to 256 visible ASCII characters";
  if (value === undefined) what = "points at nothing in the response";
  else if (keyId !== null) what = "points at the key itself";
  const paths = printPaths(
    findPaths(root, (one, name) => normalise(name).endsWith("id") && toKeyId(one) !== null),
  );
  const candidates = paths === "" ? "" : ` Candidates: ${paths}.`;
  return { problem: `partners:responses.apiKeyId ${what}.${candidates} ${SET_ID}` };
}

function possibleKeys(root: unknown): string {
  const paths = printPaths(
    findPaths(root, (value, name) => looksLikeKey(value) && !isNeverKey(normalise(name))),
  );
  return paths === "" ? "Nothing in it looks like one." : `Candidates: ${paths}.`;
}
