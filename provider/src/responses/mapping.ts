import { isArray, isObject, parseDocument } from "./document.js";

/** A JSON value that is neither an object nor an array. */
export type JsonScalar = string | number | boolean | null;

/**
 * Where things are in the responses of a particular service, and which words mean what. Where a member is set, only it is used;
 * everything else is recognised automatically.
 *
 * @example
 * ```ts
 * const responses = { apiKey: "/data/key", webhookState: "/attributes/mode", active: ["LIVE"], disabled: ["PAUSED"] };
 * ```
 */
export interface ResponseMapping {
  /**
   * JSON Pointer (RFC 6901) to the key in the response to its creation; `""` is the whole response, as a JSON string or as
   * plain text.
   * @default recognised
   */
  readonly apiKey?: string;
  /**
   * JSON Pointer to the id of the key in the same response. The key is then deleted by this id instead of by its value.
   * @default not used
   */
  readonly apiKeyId?: string;
  /**
   * JSON Pointer to the array of webhooks in the response; `""` is the whole response.
   * @default recognised
   */
  readonly webhooks?: string;
  /**
   * JSON Pointer to the id of a webhook, relative to its record.
   * @default recognised
   */
  readonly webhookId?: string;
  /**
   * JSON Pointer to the state of a webhook, relative to its record.
   * @default recognised
   */
  readonly webhookState?: string;
  /**
   * One or more values that mean `"active"`, compared as text, ignoring case.
   * @default `active`, `enabled`, `on`
   */
  readonly active?: readonly JsonScalar[];
  /**
   * One or more values that mean `"disabled"`; none of them may also be in `active`.
   * @default `disabled`, `inactive`, `off`
   */
  readonly disabled?: readonly JsonScalar[];
  /**
   * Whether the list of webhooks counts as complete (`true`) or as one page of several (`false`), whatever it looks like.
   * @default judged from the response
   */
  readonly complete?: boolean;
}

/** What is wrong with a member of the setting `responses`. */
export interface MappingProblem {
  /** The name of the member; `null` if the whole setting is wrong. An unknown name is shown only if it is short and plain. */
  readonly member: string | null;
  /** The rest of a sentence that starts with the name of the setting, such as `must be a list`. Never repeats a value. */
  readonly text: string;
}

const ARRAY_INDEX = /^(?:0|[1-9][0-9]{0,9})$/;
const POINTER = { accepts: isPointer, text: 'must be a JSON Pointer such as "/data/key"' };
/** The whole document can be the key or the list, but not an id or a state. */
const INNER_POINTER = { ...POINTER, accepts: (value: unknown) => isPointer(value) && value !== "" };
const WORDS = {
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
  active: WORDS,
  disabled: WORDS,
  complete: FLAG,
} satisfies Record<keyof ResponseMapping, unknown>;

/**
 * Reads the setting `responses`.
 *
 * @param value an object, or JSON text of one; `undefined` and `null` mean that it is not set.
 * @returns the members without a problem, and the problems of the others. Never throws.
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
    // The command line may store a flag as text.
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

/** A value as it is compared with the words for a state: `1` and `"1"` are one word, as the command line may store either. */
export function asWord(value: JsonScalar): string {
  return String(value).trim().toLowerCase();
}

/** Whether a JSON value is neither an object nor an array. */
export function isScalar(value: unknown): value is JsonScalar {
  return value === null || ["string", "number", "boolean"].includes(typeof value);
}

/** The reference tokens of a JSON Pointer (RFC 6901), unescaped; `null` if the text is not one. */
export function parsePointer(text: string): string[] | null {
  if (text === "") return [];
  if (!text.startsWith("/") || /~(?![01])/.test(text)) return null;
  // "~1" first: "~01" stands for "~1", not for "/".
  const unescape = (token: string): string => token.replaceAll("~1", "/").replaceAll("~0", "~");
  return text.slice(1).split("/").map(unescape);
}

/** What a JSON Pointer finds; `undefined` if it finds nothing. */
export function resolvePointer(root: unknown, pointer: string): unknown {
  const tokens = parsePointer(pointer);
  let value = tokens === null ? undefined : root;
  for (const token of tokens ?? []) {
    if (isArray(value) && ARRAY_INDEX.test(token)) value = value[Number(token)];
    else if (isObject(value) && Object.hasOwn(value, token)) value = value[token];
    else return undefined;
  }
  return value;
}

function isPointer(value: unknown): boolean {
  return typeof value === "string" && parsePointer(value) !== null;
}

function isWordList(value: unknown): boolean {
  return isArray(value) && value.length > 0 && value.every(isScalar);
}
