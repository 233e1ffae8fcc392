import { isArray, isObject } from "./json.js";

/** A parsed JSON Pointer: its reference tokens, unescaped. Empty for the whole document. */
export type Pointer = readonly string[];

const BAD_ESCAPE = /~(?![01])/;
const ARRAY_INDEX = /^(?:0|[1-9][0-9]{0,9})$/;

/**
 * Parses a JSON Pointer (RFC 6901).
 *
 * @returns `undefined` if the text is none.
 * @example parsePointer("/data/a~1b") // ["data", "a/b"]
 */
export function parsePointer(text: string): Pointer | undefined {
  if (text === "") return [];
  if (!text.startsWith("/") || BAD_ESCAPE.test(text)) return undefined;
  // "~1" first: "~01" stands for "~1", not for "/".
  return text
    .slice(1)
    .split("/")
    .map((token) => token.replaceAll("~1", "/").replaceAll("~0", "~"));
}

/** What a pointer points at; `undefined`, which JSON does not have, if that does not exist. */
export function resolve(root: unknown, pointer: Pointer | undefined): unknown {
  if (pointer === undefined) return undefined;
  let value = root;
  for (const token of pointer) {
    if (isArray(value) && ARRAY_INDEX.test(token)) value = value[Number(token)];
    else if (isObject(value) && Object.hasOwn(value, token)) value = value[token];
    else return undefined;
  }
  return value;
}
