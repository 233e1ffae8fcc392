import { isArray, isObject, parseDocument } from "./document.js";
import { parsePointer } from "./pointer.js";

/** A JSON value that is neither an object nor an array. */
export type JsonScalar = string | number | boolean | null;

/**
 * The locations of values in your service's responses, and the words for the states of a webhook. A member that you set is
 * the only source for its value; everything else is recognized automatically.
 *
 * @example
 * ```ts
 * const responses = { apiKey: "/data/key", webhookState: "/attributes/mode", active: ["LIVE"], disabled: ["PAUSED"] };
 * ```
 */
export interface ResponseMapping {
  /**
   * JSON Pointer (RFC 6901) to the key in the response to its creation; `""` is the whole response, either as a JSON string or
   * as plain text.
   * @default recognized
   */
  readonly apiKey?: string;
  /**
   * JSON Pointer to the ID of the key in the same response. If you set it, the key is deleted by this ID instead of by its
   * value.
   * @default not used
   */
  readonly apiKeyId?: string;
  /**
   * JSON Pointer to the array of webhooks; `""` is the whole response.
   * @default recognized
   */
  readonly webhooks?: string;
  /**
   * JSON Pointer to the ID of a webhook, relative to its record.
   * @default recognized
   */
  readonly webhookId?: string;
  /**
   * JSON Pointer to the state of a webhook, relative to its record.
   * @default recognized
   */
  readonly webhookState?: string;
  /**
   * Values that mean `"active"`, at least one. They are compared as text, ignoring case.
   * @default `active`, `enabled`, `on`
   */
  readonly active?: readonly JsonScalar[];
  /**
   * Values that mean `"disabled"`, at least one. None of them may also be in `active`.
   * @default `disabled`, `inactive`, `off`
   */
  readonly disabled?: readonly JsonScalar[];
  /**
   * Whether to treat the webhook list as complete (`true`) or as one page of several (`false`), regardless of its content.
   * @default determined from the response
   */
  readonly complete?: boolean;
}

/** A problem with a member of the setting `responses`. */
export interface MappingProblem {
  /** The name of the member; `null` if the whole setting is invalid. Unknown names are shown only if they are short and plain. */
  readonly member: string | null;
  /** The problem, worded to follow the name of the setting, such as `must be a list`. Never repeats a value. */
  readonly text: string;
}

const POINTER = { accepts: isPointer, text: 'must be a JSON Pointer such as "/data/key"' };
/** The whole document can be the key or the list, but not an ID or a state. */
const INNER_POINTER = { ...POINTER, accepts: (value: unknown) => isPointer(value) && value !== "" };
const WORD_LIST = {
  accepts: isWordList,
  text: "must be a list of one or more strings, numbers, booleans or nulls",
};
const FLAG = { accepts: (value: unknown) => typeof value === "boolean", text: "must be true or false" };

const MEMBERS: Readonly<Record<string, { accepts: (value: unknown) => boolean; text: string }>> = {
  apiKey: POINTER,
  apiKeyId: INNER_POINTER,
  webhooks: POINTER,
  webhookId: INNER_POINTER,
  webhookState: INNER_POINTER,
  active: WORD_LIST,
  disabled: WORD_LIST,
  complete: FLAG,
} satisfies Record<keyof ResponseMapping, unknown>;

/**
 * Parses the setting `responses`. Never throws.
 *
 * @param value An object, or the JSON text of one; `undefined` and `null` mean that the setting is not set.
 * @returns The valid members, and the problems of the others.
 * @example parseResponseMapping({ apiKey: "data.key" }).problems // [{ member: "apiKey", text: "must be a JSON Pointer …" }]
 */
export function parseResponseMapping(value: unknown): {
  readonly mapping: ResponseMapping;
  readonly problems: readonly MappingProblem[];
} {
  const setting = typeof value === "string" ? parseDocument(value) : (value ?? {});
  if (!isObject(setting)) return { mapping: {}, problems: [{ member: null, text: "must be a JSON object" }] };

  const members: Record<string, unknown> = {};
  const problems: MappingProblem[] = [];
  for (const [name, given] of Object.entries(setting)) {
    const member = Object.hasOwn(MEMBERS, name) ? MEMBERS[name] : undefined;
    // The CLI may store a flag as text.
    const value = member === FLAG && (given === "true" || given === "false") ? given === "true" : given;
    if (member === undefined) {
      const shown = /^[A-Za-z_-]{1,24}$/.test(name) ? name : "*";
      const names = Object.keys(MEMBERS).join(", ");
      problems.push({ member: shown, text: `is not a setting; use one of ${names}` });
    } else if (value !== null && value !== undefined) {
      if (member.accepts(value)) members[name] = value;
      else problems.push({ member: name, text: member.text });
    }
  }
  const mapping: ResponseMapping = members;
  const activeWords = new Set(mapping.active?.map(asWord));
  if (mapping.disabled?.some((word) => activeWords.has(asWord(word)))) {
    problems.push({ member: "disabled", text: "must not have a value in common with responses.active" });
    delete members["active"];
    delete members["disabled"];
  }
  return { mapping, problems };
}

/** Converts a value for comparison with the words for a state. `1` and `"1"` are the same, because the CLI may store either. */
export function asWord(value: JsonScalar): string {
  return String(value).trim().toLowerCase();
}

/** Whether a JSON value is neither an object nor an array. */
export function isScalar(value: unknown): value is JsonScalar {
  return value === null || ["string", "number", "boolean"].includes(typeof value);
}

function isPointer(value: unknown): boolean {
  return typeof value === "string" && parsePointer(value) !== null;
}

function isWordList(value: unknown): boolean {
  return isArray(value) && value.length > 0 && value.every(isScalar);
}
