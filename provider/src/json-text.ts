import { randomUUID } from "node:crypto";

/**
 * The maximum number of values in one object of an array, and in everything outside such objects. A parsed
 * value takes up to 60 times the memory of its text; a document of an API is far from this limit.
 */
export const MAX_VALUES = 100_000;
/** The maximum number of objects in the arrays of a document. */
export const MAX_OBJECTS = 500_000;

/**
 * The result for a document with more values than {@link MAX_VALUES} or more objects than {@link
 * MAX_OBJECTS}.
 */
export const TOO_MANY_VALUES = Symbol("too many values");

/**
 * An object of an array, as text: parsed, it would take many times the memory. It was parsed once, so it is
 * valid JSON.
 */
export class ObjectText {
  readonly #text: string;
  readonly #start: number;
  readonly #end: number;
  readonly #revive: Reviver | undefined;

  constructor(text: string, start: number, end: number, revive: Reviver | undefined) {
    this.#text = text;
    this.#start = start;
    this.#end = end;
    this.#revive = revive;
  }

  parse(): Readonly<Record<string, unknown>> {
    return JSON.parse(this.#text.slice(this.#start, this.#end), this.#revive) as Record<string, unknown>;
  }
}

/** Replaces a value while it is parsed. `context` holds a scalar as it stands in the text. */
type Reviver = (name: string, value: unknown, context?: { readonly source?: string }) => unknown;

/** Returns a value of a document, parsed if it is still text. */
export function parsed(value: unknown): unknown {
  return value instanceof ObjectText ? value.parse() : value;
}

/**
 * Parses a body as JSON, with or without a byte order mark. Arrays of nothing but objects hold each object as
 * {@link ObjectText}, so that a document takes a small multiple of its text, whatever it contains.
 *
 * @returns `undefined` if it is not JSON; {@link TOO_MANY_VALUES} if parsing it could exhaust the memory.
 */
export function parseDocument(text: string): unknown {
  return parseWith(text);
}

/**
 * Parses a body as {@link parseDocument} does, but with every number that stands there as digits as a bigint:
 * a 64-bit ID does not fit into a number.
 */
export function parseWithExactIntegers(text: string): unknown {
  return parseWith(text, (_name, value, { source = "" } = {}) =>
    typeof value === "number" && INTEGER.test(source) ? BigInt(source) : value,
  );
}

/** Digits, as many as a key may have. */
const INTEGER = /^[0-9]{1,4096}$/;

function parseWith(text: string, revive?: Reviver): unknown {
  try {
    return parseOutline(text.startsWith("\uFEFF") ? text.slice(1) : text, revive);
  } catch (error) {
    return error instanceof TooManyValues ? TOO_MANY_VALUES : undefined;
  }
}

class TooManyValues extends Error {}

const [QUOTE, COMMA, BACKSLASH] = [0x22, 0x2c, 0x5c];
const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

interface ObjectArray {
  readonly objects: readonly ObjectText[];
  readonly end: number;
}

/**
 * Parses a document with a placeholder for each array of objects.
 *
 * @throws {SyntaxError}
 * @throws {TooManyValues}
 */
function parseOutline(text: string, revive: Reviver | undefined): unknown {
  const placeholder = randomUUID(); // No document can contain it.
  const arrays: (readonly ObjectText[])[] = [];
  const pieces: string[] = [];
  let copied = 0;
  let values = 0;
  let objects = 0;
  let mixedUntil = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at);
    else if (code === COMMA || code === OPEN_OBJECT || code === OPEN_ARRAY) values += 1;
    if (values > MAX_VALUES) throw new TooManyValues();
    if (code !== OPEN_ARRAY || at < mixedUntil) continue;
    const array = scanArray(text, at, MAX_OBJECTS - objects, revive);
    if (typeof array === "number") {
      mixedUntil = array; // Another attempt within it would make the time quadratic.
      continue;
    }
    pieces.push(text.slice(copied, at), JSON.stringify(placeholder + String(arrays.length)));
    objects += array.objects.length;
    arrays.push(array.objects);
    copied = array.end;
    at = array.end - 1;
  }
  if (arrays.length === 0) return JSON.parse(text, revive) as unknown;
  const outline = pieces.join("") + text.slice(copied);
  const withArrays: Reviver = (name, value, context) => {
    if (typeof value === "string" && value.startsWith(placeholder))
      return arrays[Number(value.slice(placeholder.length))];
    return revive ? revive(name, value, context) : value;
  };
  return JSON.parse(outline, withArrays) as unknown;
}

/**
 * Reads an array that holds only objects, at least one; for any other array, returns the position up to which
 * it was read.
 */
function scanArray(
  text: string,
  start: number,
  limit: number,
  revive: Reviver | undefined,
): ObjectArray | number {
  const objects: ObjectText[] = [];
  let at = skipSpace(text, start + 1);
  while (text.charCodeAt(at) === OPEN_OBJECT) {
    const end = endOfObject(text, at);
    if (objects.length === limit) throw new TooManyValues();
    const object = new ObjectText(text, at, end, revive);
    object.parse(); // Throws unless it is valid.
    objects.push(object);
    at = skipSpace(text, end);
    if (text.charCodeAt(at) === CLOSE_ARRAY) return { objects, end: at + 1 };
    if (text.charCodeAt(at) !== COMMA) break;
    at = skipSpace(text, at + 1);
  }
  return at;
}

/** Returns the position after an object. @throws {TooManyValues} */
function endOfObject(text: string, start: number): number {
  let depth = 0;
  let values = 0;
  for (let at = start; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at);
    else if (code === COMMA) values += 1;
    else if (code === OPEN_OBJECT || code === OPEN_ARRAY) [depth, values] = [depth + 1, values + 1];
    else if (code === CLOSE_OBJECT || code === CLOSE_ARRAY) depth -= 1;
    if (values > MAX_VALUES) throw new TooManyValues();
    if (depth === 0) return at + 1;
  }
  return text.length;
}

/** Returns the position of the closing quote. */
function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) return at;
    if (code === BACKSLASH) at += 1;
  }
  return text.length;
}

function skipSpace(text: string, start: number): number {
  let at = start;
  while (text.charCodeAt(at) <= 0x20) at += 1;
  return at;
}
