import type { JsonScalar, ResponseMapping } from "../responses.js";
import { isArray, isObject } from "./json.js";
import { printName } from "./paths.js";
import { parsePointer } from "./pointer.js";
import { asWord, isScalar } from "./state-words.js";

const POINTERS = ["apiKey", "apiKeyId", "webhooks", "webhookId", "webhookState"] as const;
/** Pointers that may be `""`: the whole document can be the key or the list, but never an id or a state. */
const MAY_BE_ROOT: ReadonlySet<string> = new Set(["apiKey", "webhooks"]);
const WORD_LISTS = ["active", "disabled"] as const;
const MEMBERS: readonly string[] = [...POINTERS, ...WORD_LISTS];

const EXAMPLE = "pulumi config set --path 'partners:responses.apiKey' /data/key";

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** A setting that has been looked at: what of it can be used, and what is wrong with the rest. */
export interface ParsedMapping {
  /** The members without a problem. */
  readonly mapping: ResponseMapping;
  /** What is wrong, a sentence or two each, with the remedy; none of them quotes a value. Empty if all is well. */
  readonly problems: string[];
}

/**
 * Looks at the setting `responses`.
 *
 * @param value an object, or JSON text of one; `undefined` and `null` stand for no setting.
 * @example parseResponseMapping({ apiKey: "/data/key", active: ["LIVE"] })
 */
export function parseResponseMapping(value: unknown): ParsedMapping {
  const setting = typeof value === "string" ? parseObject(value) : (value ?? {});
  if (!isObject(setting)) {
    return {
      mapping: {},
      problems: [`responses is not a JSON object. Set its members one by one: ${EXAMPLE}.`],
    };
  }
  const mapping: Mutable<ResponseMapping> = {};
  const problems: string[] = [];
  for (const name of Object.keys(setting)) {
    if (!MEMBERS.includes(name)) {
      problems.push(
        `responses.${printName(name)} is not a setting. Remove it, or use one of ${MEMBERS.join(", ")}.`,
      );
    }
  }
  for (const name of POINTERS) {
    const pointer = own(setting, name);
    if (pointer === undefined) continue;
    const problem = whyNoPointer(name, pointer);
    if (problem !== null) problems.push(problem);
    else if (typeof pointer === "string") mapping[name] = pointer;
  }
  for (const name of WORD_LISTS) {
    const words = own(setting, name);
    if (words === undefined) continue;
    if (isWordList(words)) mapping[name] = words;
    else problems.push(whyNoWords(name));
  }
  if (overlap(mapping.active, mapping.disabled)) {
    problems.push(
      "responses.active and responses.disabled have a value in common (compared as text, without regard to case). Remove it from one of them.",
    );
    delete mapping.active;
    delete mapping.disabled;
  }
  return { mapping, problems };
}

function parseObject(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** A member of the setting; `null` is as good as not set. */
function own(setting: Readonly<Record<string, unknown>>, name: string): unknown {
  return Object.hasOwn(setting, name) ? (setting[name] ?? undefined) : undefined;
}

function whyNoPointer(name: string, pointer: unknown): string | null {
  const remedy = 'Write it as a JSON Pointer (RFC 6901): it starts with "/", for example /data/key.';
  if (typeof pointer !== "string") return `responses.${name} is not a string. ${remedy}`;
  if (parsePointer(pointer) === undefined) return `responses.${name} is not a JSON Pointer. ${remedy}`;
  if (pointer === "" && !MAY_BE_ROOT.has(name)) return `responses.${name} is empty. ${remedy}`;
  return null;
}

function isWordList(value: unknown): value is readonly JsonScalar[] {
  return isArray(value) && value.length > 0 && value.every(isScalar);
}

function whyNoWords(name: "active" | "disabled"): string {
  const remedy = `pulumi config set --path 'partners:responses.${name}[0]' ${name}`;
  return `responses.${name} is not a list of one or more strings, numbers, booleans or nulls. Set them one by one: ${remedy}.`;
}

function overlap(one: readonly JsonScalar[] = [], other: readonly JsonScalar[] = []): boolean {
  const words = new Set(one.map(asWord));
  return other.some((word) => words.has(asWord(word)));
}
