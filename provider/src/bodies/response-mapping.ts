import {
  isArray,
  isObject,
  isScalar,
  normalizeName,
  parseDocument,
  parsePointer,
  type JsonScalar,
} from "./json.js";

/**
 * The locations of values in the responses, as JSON Pointers (RFC 6901), and the words for the states of a
 * webhook. A member that you set is the only source for its value.
 *
 * @example
 * ```ts
 * const responses = {
 *   apiKey: "/data/key",
 *   webhookState: "/attributes/mode",
 *   active: ["LIVE"],
 *   disabled: ["PAUSED"],
 * };
 * ```
 */
export interface ResponseMapping {
  /** The key in the response to its creation; `""` is the whole response. */
  apiKey?: string | undefined;
  /**
   * The ID by which the service deletes the key, in the same response. It is tried first.
   *
   * @default the key, then the IDs next to it
   */
  apiKeyId?: string | undefined;
  /** The array of webhooks; `""` is the whole response. */
  webhooks?: string | undefined;
  /** The ID of a webhook, relative to its record. */
  webhookId?: string | undefined;
  /** The state of a webhook, relative to its record. */
  webhookState?: string | undefined;
  /**
   * Values that mean `"active"`, compared as text, ignoring case.
   * @default `active`, `enabled` and the like
   */
  active?: readonly JsonScalar[] | undefined;
  /** Values that mean `"disabled"`. @default `disabled`, `inactive` and the like */
  disabled?: readonly JsonScalar[] | undefined;
  /** Whether the list always shows all webhooks. @default recognized in each response */
  complete?: boolean | undefined;
}

type Member = keyof ResponseMapping;

/** Says which rule a value of each member breaks, if it breaks one. */
const MEMBERS: Readonly<Record<Member, (value: unknown) => string | null>> = {
  apiKey: jsonPointer,
  apiKeyId: jsonPointer,
  webhooks: jsonPointer,
  webhookId: jsonPointer,
  webhookState: jsonPointer,
  active: wordList,
  disabled: wordList,
  complete: (value) => (typeof value === "boolean" ? null : "must be true or false"),
};
const NAMES = Object.keys(MEMBERS) as Member[];

/**
 * Parses the setting `responses`, which is JSON. A member that is `null` counts as not set. Python programs
 * write `api_key`, so both spellings count.
 *
 * @param refuse Receives each rule that is broken, and by which member; without one, by the whole setting.
 * @returns The members that are valid.
 */
export function parseMapping(text: string, refuse: (rule: string, member?: Member) => void): ResponseMapping {
  const document = parseDocument(text);
  if (!isObject(document)) {
    refuse("must be a JSON object");
    return {};
  }
  const mapping: Partial<Record<Member, unknown>> = {};
  for (const [name, value] of Object.entries(document)) {
    if (value === null) continue;
    const member = NAMES.find((known) => normalizeName(known) === normalizeName(name));
    if (member === undefined) {
      // The name is not repeated, because it could be anything.
      refuse(`has an unknown member; valid members: ${NAMES.join(", ")}`);
      continue;
    }
    const rule = MEMBERS[member](value);
    if (rule === null) mapping[member] = value;
    else refuse(rule, member);
  }
  const { active = [], disabled = [] } = mapping as ResponseMapping;
  const words = active.map(asWord);
  if (disabled.some((word) => words.includes(asWord(word))))
    refuse("must not have a value in common with responses.active", "disabled");
  return mapping as ResponseMapping;
}

/** Converts a value for comparison with the words for a state: the CLI may store `1` as text. */
export function asWord(value: JsonScalar): string {
  return String(value).trim().toLowerCase();
}

/** What Git Bash on Windows makes of `/data/key`: `C:/Program Files/Git/data/key`. */
const REWRITTEN = /^[a-z]:[\\/]/i;

function jsonPointer(value: unknown): string | null {
  if (typeof value !== "string") return 'must be a JSON Pointer such as "/data/key"';
  if (parsePointer(value) !== null) return null;
  return REWRITTEN.test(value)
    ? 'is a path that Git Bash has made of a JSON Pointer; set it again after "export MSYS_NO_PATHCONV=1"'
    : 'must be a JSON Pointer such as "/data/key"';
}

function wordList(value: unknown): string | null {
  const isList = isArray(value) && value.length > 0 && value.every(isScalar);
  return isList ? null : "must be a list of one or more strings, numbers, booleans or nulls";
}
