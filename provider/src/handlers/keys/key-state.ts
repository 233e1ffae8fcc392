import { isUtf8 } from "node:buffer";
import { createHash } from "node:crypto";

import { parseDocument } from "../../json-text.js";
import { isObject } from "../../json.js";
import { readApiKey, type KeyReading, type KeyResponse } from "../../responses/key-reader.js";
import type { ResponseMapping } from "../../responses/mapping.js";
import { isPlaceholder, type Properties } from "../contract.js";

/** A key that was created. It may not have been found in the response yet. Secret. */
export interface CreatedKey {
  /**
   * Kept whole, because the service shows it only once: it may hold a second secret, an ID, or a key that was
   * not recognized.
   */
  readonly response: KeyResponse;
  /** When the response arrived, ISO 8601; `null` if the state does not say. */
  readonly createdAt: string | null;
}

/** A key in the state, and the response to its creation; `null` for an imported key. Secret. */
export interface StoredKey {
  readonly apiKey: string;
  readonly response: KeyResponse | null;
}

/** What the outputs of `PartnerApiKey` in the state say. Times are ISO 8601. Secret. */
export interface KeyState {
  /** `null` until the first key is found in its response. */
  readonly current: StoredKey | null;
  readonly createdAt: string | null;
  readonly rotatedAt: string | null;
  /** The key before the last rotation, until its overlap is over. */
  readonly previous: StoredKey | null;
  readonly previousExpiresAt: string | null;
  /**
   * `rotation.trigger` when the current key was created. The old inputs cannot tell: a failed update leaves
   * older ones.
   */
  readonly trigger: string | null;
  /** A new key that has not been found in the response to its creation. It takes over once it is found. */
  readonly unread: CreatedKey | null;
}

/** The state before the first key is created. */
export const NO_KEY: KeyState = {
  current: null,
  createdAt: null,
  rotatedAt: null,
  previous: null,
  previousExpiresAt: null,
  trigger: null,
  unread: null,
};

/** Reads the outputs in the state. */
export function keyStateOf(olds: Properties): KeyState {
  const internal = isObject(olds["internal"]) ? olds["internal"] : {};
  const current = storedKey(olds["apiKey"], olds["response"]);
  return {
    current,
    createdAt: current && text(olds["createdAt"]),
    rotatedAt: text(olds["rotatedAt"]),
    previous: storedKey(olds["previousApiKey"], internal["previousResponse"]),
    previousExpiresAt: text(olds["previousExpiresAt"]),
    trigger: text(internal["trigger"]),
    unread: unreadKey(current ? internal["unread"] : olds),
  };
}

function storedKey(apiKey: unknown, response: unknown): StoredKey | null {
  return typeof apiKey === "string" ? { apiKey, response: keptResponseOf(response) } : null;
}

function keptResponseOf(value: unknown): KeyResponse | null {
  if (!isObject(value)) return null;
  const { body, encoding, complete } = value;
  if (typeof body !== "string") return null;
  return { body, encoding: encoding === "base64" ? encoding : "utf8", complete: complete === true };
}

function unreadKey(value: unknown): CreatedKey | null {
  if (!isObject(value)) return null;
  const response = keptResponseOf(value["response"]) ?? { body: "", encoding: "utf8", complete: false };
  return { response, createdAt: text(value["createdAt"]) };
}

/** The outputs of `PartnerApiKey` that follow from its keys, as the state holds them. Times are ISO 8601. */
export type KeyOutputs = Readonly<{
  account: string | null;
  /** Secret. */
  apiKey: string | null;
  createdAt: string | null;
  /** Secret. */
  response: KeyResponse | null;
  fingerprint: string | null;
  hint: string | null;
  rotatedAt: string | null;
  /** Secret. */
  previousApiKey: string | null;
  previousExpiresAt: string | null;
  /** What only the handlers read. Secret. */
  internal: Properties | null;
}>;

/**
 * Returns the outputs of a state. All of them are set, because a missing output would be unknown in every
 * preview.
 */
export function outputsOf(state: KeyState, account: string | null): KeyOutputs {
  const { current, previous, trigger, unread } = state;
  // The outputs show the response to the first creation even before a key is found in it.
  const shown = current === null ? unread : { response: current.response, createdAt: state.createdAt };
  const internal = { trigger, previousResponse: previous?.response ?? null, unread: current && unread };
  return {
    account,
    apiKey: current?.apiKey ?? null,
    createdAt: shown?.createdAt ?? null,
    response: shown?.response ?? null,
    fingerprint: current && fingerprint(current.apiKey),
    hint: current && hint(current.apiKey),
    rotatedAt: state.rotatedAt,
    previousApiKey: previous?.apiKey ?? null,
    previousExpiresAt: state.previousExpiresAt,
    internal: Object.values(internal).every((part) => part === null) ? null : internal,
  };
}

/** Returns the state after the previous key is deleted. */
export function withoutPreviousKey(state: KeyState): KeyState {
  return { ...state, previous: null, previousExpiresAt: null };
}

/** Converts a body into a form that the state can store. */
export function keepResponse(body: Buffer, complete: boolean): KeyResponse {
  const text = body.toString("utf8");
  const isText = isUtf8(body) && !isPlaceholder(text);
  return { body: isText ? text : body.toString("base64"), encoding: isText ? "utf8" : "base64", complete };
}

export function responseText({ body, encoding }: KeyResponse): string {
  return Buffer.from(body, encoding).toString("utf8");
}

/**
 * Reads the key from a stored response. A key that the engine would not store is refused. A response that was
 * cut off counts only if it is still complete JSON: half a key in plain text would be passed on to consumers,
 * and deleted instead of the real key.
 */
export function readKeptResponse(response: KeyResponse, mapping: ResponseMapping): KeyReading {
  const text = responseText(response);
  const isJson = parseDocument(text) !== undefined;
  const reading = isJson || response.complete ? readApiKey(text, mapping) : null;
  if (reading?.kind === "found" && isPlaceholder(reading.apiKey))
    return { kind: "refused", reason: mapping.apiKey === undefined ? "none" : "pointer", candidates: [] };
  if (reading !== null && (isJson || reading.kind === "found" || reading.candidates.length > 0))
    return reading;
  const isEmpty = response.complete && text.trim() === "";
  return { kind: "refused", reason: isEmpty ? "empty" : "not JSON", candidates: [] };
}

/**
 * Reads a key again with `responses.apiKey`, if set: a corrected pointer corrects it. `null`: the pointer
 * finds nothing.
 */
export function rereadKey(key: StoredKey, mapping: ResponseMapping): StoredKey | null {
  if (mapping.apiKey === undefined || key.response === null) return key;
  const reading = readKeptResponse(key.response, mapping);
  return reading.kind === "found" ? { ...key, apiKey: reading.apiKey } : null;
}

/**
 * Returns an identifier that does not reveal the key: `sha256:` and 16 hex digits; `null` if the key is too
 * short.
 */
export function fingerprint(apiKey: string): string | null {
  // Brute force could reverse its hash; 16 characters of 6 bits are 96 bits.
  if (apiKey.length < 16) return null;
  return `sha256:${createHash("sha256").update(apiKey).digest("hex").slice(0, 16)}`;
}

/** Returns the last four characters, which services commonly show; `null` if the key is too short. */
function hint(apiKey: string): string | null {
  // Four characters would reveal too much of a shorter key.
  return apiKey.length < 20 ? null : apiKey.slice(-4);
}

function text(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}
