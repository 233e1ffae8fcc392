import { isArray, isObject, parseDocument } from "../json.js";
import { isScalar, parsePointer } from "../json.js";
import { asWord, type ResponseMapping } from "../responses/mapping.js";

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

function isPointer(value: unknown): boolean {
  return typeof value === "string" && parsePointer(value) !== null;
}

function isWordList(value: unknown): boolean {
  return isArray(value) && value.length > 0 && value.every(isScalar);
}
