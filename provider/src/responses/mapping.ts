import { isArray, isObject, type JsonObject } from "./document.js";

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
  /** JSON Pointer (RFC 6901) to the key in the response to its creation; `""` is the whole response. @default recognized */
  readonly apiKey?: string;
  /** JSON Pointer to the ID of the key in the same response, by which the key is then deleted. @default not used */
  readonly apiKeyId?: string;
  /** JSON Pointer to the array of webhooks; `""` is the whole response. @default recognized */
  readonly webhooks?: string;
  /** JSON Pointer to the ID of a webhook, relative to its record. @default recognized */
  readonly webhookId?: string;
  /** JSON Pointer to the state of a webhook, relative to its record. @default recognized */
  readonly webhookState?: string;
  /**
   * Values that mean `"active"`, at least one. They are compared as text, ignoring case; `"*"` is any other value.
   * @default `active`, `enabled`, `on` and the like
   */
  readonly active?: readonly JsonScalar[];
  /** Values that mean `"disabled"`, at least one, and none of `active`. @default `disabled`, `inactive`, `off` and the like */
  readonly disabled?: readonly JsonScalar[];
  /** Whether the webhook list is complete (`true`) or one page of several (`false`). @default determined from the response */
  readonly complete?: boolean;
}

/** Converts a value for comparison with the words for a state. `1` and `"1"` are the same, because the CLI may store either. */
export function asWord(value: JsonScalar): string {
  return String(value).trim().toLowerCase();
}

/** Whether a JSON value is neither an object nor an array. */
export function isScalar(value: unknown): value is JsonScalar {
  return value === null || ["string", "number", "boolean"].includes(typeof value);
}

/** Returns the unescaped reference tokens of a JSON Pointer (RFC 6901); `null` if the text is not a JSON Pointer. */
export function parsePointer(text: string): string[] | null {
  if (text === "") return [];
  if (!text.startsWith("/") || /~(?![01])/.test(text)) return null;
  // "~1" first: "~01" stands for "~1", not for "/".
  const unescape = (token: string): string => token.replaceAll("~1", "/").replaceAll("~0", "~");
  return text.slice(1).split("/").map(unescape);
}

/** Returns the value that a JSON Pointer points to; `undefined` if there is none. */
export function resolvePointer(root: unknown, pointer: string): unknown {
  const tokens = parsePointer(pointer);
  let value = tokens === null ? undefined : root;
  for (const token of tokens ?? []) {
    const isIndex = /^(?:0|[1-9][0-9]{0,9})$/.test(token);
    if (isArray(value) ? !isIndex : !isObject(value) || !Object.hasOwn(value, token)) return undefined;
    value = (value as JsonObject)[token];
  }
  return value;
}
