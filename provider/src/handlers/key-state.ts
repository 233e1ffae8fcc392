import { createHash } from "node:crypto";

import { isObject, parseDocument } from "../json.js";
import { readApiKey, type KeyReading } from "../responses/key-reader.js";
import type { ResponseMapping } from "../responses/mapping.js";
import type { Properties } from "./contract.js";

/**
 * The response to a creation, as stored in the state. The service shows it only once, so the state keeps everything in it: a
 * second secret, an ID, or a key that was not recognized. Secret.
 */
export interface KeptResponse {
  /** The body as text, or in base64 if it is not UTF-8. */
  readonly body: string;
  readonly encoding: "utf8" | "base64";
  /** Whether the whole body arrived. */
  readonly complete: boolean;
}

/** The result of a successful creation. */
export interface CreatedKey {
  /** Secret. */
  readonly response: KeptResponse;
  /** When the response arrived, ISO 8601. */
  readonly createdAt: string;
}

/** A key in the state, and the response to its creation; `null` for an imported key. Secret. */
export interface StoredKey {
  readonly apiKey: string;
  readonly response: KeptResponse | null;
}

/** The outputs of `PartnerApiKey` in the state. Times are ISO 8601. Secret. */
export interface KeyState {
  /** The current key; `null` until the first key is found in its response. */
  readonly apiKey: string | null;
  readonly createdAt: string | null;
  readonly response: KeptResponse | null;
  readonly rotatedAt: string | null;
  readonly previousApiKey: string | null;
  readonly previousExpiresAt: string | null;
  /** Data that programs do not need but later operations do. */
  readonly internal: {
    /** `rotation.trigger` when the current key was created. The old inputs cannot tell: a failed update leaves older ones. */
    readonly trigger: string | null;
    readonly previousResponse: KeptResponse | null;
    /** A new key that has not been found in the response to its creation. It takes over once it is found. */
    readonly unread: CreatedKey | null;
  };
}

/** The state before the first key is created. */
export const NO_KEY: KeyState = {
  apiKey: null,
  createdAt: null,
  response: null,
  rotatedAt: null,
  previousApiKey: null,
  previousExpiresAt: null,
  internal: { trigger: null, previousResponse: null, unread: null },
};

/** Reads the outputs in the state. */
export function keyStateOf(olds: Properties): KeyState {
  const internal = isObject(olds["internal"]) ? olds["internal"] : {};
  const apiKey = text(olds["apiKey"]);
  const isFound = apiKey !== null;
  return {
    apiKey,
    createdAt: isFound ? text(olds["createdAt"]) : null,
    response: isFound ? keptResponseOf(olds["response"]) : null,
    rotatedAt: text(olds["rotatedAt"]),
    previousApiKey: text(olds["previousApiKey"]),
    previousExpiresAt: text(olds["previousExpiresAt"]),
    internal: {
      trigger: text(internal["trigger"]),
      previousResponse: keptResponseOf(internal["previousResponse"]),
      unread: unreadKey(isFound ? internal["unread"] : olds),
    },
  };
}

function keptResponseOf(value: unknown): KeptResponse | null {
  if (!isObject(value)) return null;
  const { body, encoding, complete } = value;
  if (typeof body !== "string" || (encoding !== "utf8" && encoding !== "base64")) return null;
  return { body, encoding, complete: complete === true };
}

function unreadKey(value: unknown): CreatedKey | null {
  if (!isObject(value)) return null;
  const response = keptResponseOf(value["response"]) ?? { body: "", encoding: "utf8", complete: false };
  return { response, createdAt: text(value["createdAt"]) ?? "an unknown time" };
}

/** Returns the outputs of a state. All of them are set, because a missing output would be unknown in every preview. */
export function outputsOf(state: KeyState, account: unknown): Properties {
  const { apiKey } = state;
  const { unread, ...rest } = state.internal;
  // The outputs show the response to the first creation even before a key is found in it.
  const first = apiKey === null ? unread : null;
  const internal = { ...rest, unread: first === null ? unread : null };
  return {
    account,
    ...state,
    ...first,
    fingerprint: apiKey === null ? null : fingerprint(apiKey),
    hint: apiKey === null ? null : hint(apiKey),
    internal: Object.values(internal).every((part) => part === null) ? null : internal,
  };
}

/** Returns the current key; `null` if it has not been found yet. */
export function currentKeyOf({ apiKey, response }: KeyState): StoredKey | null {
  return apiKey === null ? null : { apiKey, response };
}

/** Returns the previous key; `null` if there is none. */
export function previousKeyOf({ previousApiKey, internal }: KeyState): StoredKey | null {
  if (previousApiKey === null) return null;
  return { apiKey: previousApiKey, response: internal.previousResponse };
}

/** Returns the state after the previous key is deleted. */
export function withoutPreviousKey(state: KeyState): KeyState {
  const internal = { ...state.internal, previousResponse: null };
  return { ...state, previousApiKey: null, previousExpiresAt: null, internal };
}

/** Converts a body into a form that the state can store. */
export function keepResponse(body: Buffer, complete: boolean): KeptResponse {
  try {
    return { body: new TextDecoder("utf-8", { fatal: true }).decode(body), encoding: "utf8", complete };
  } catch {
    return { body: body.toString("base64"), encoding: "base64", complete };
  }
}

/** Returns the text of a stored response. */
export function responseText({ body, encoding }: KeptResponse): string {
  return encoding === "utf8" ? body : Buffer.from(body, "base64").toString("utf8");
}

/**
 * Reads the key from a stored response. A response that was cut off counts only if it is still complete JSON: half a key in plain
 * text would be passed on to consumers, and deleted instead of the real key.
 */
export function readKeptResponse(response: KeptResponse, mapping: ResponseMapping): KeyReading {
  const text = responseText(response);
  const isJson = parseDocument(text) !== undefined;
  const reading = isJson || response.complete ? readApiKey(text, mapping) : null;
  if (reading !== null && (isJson || reading.kind === "found" || reading.candidates.length > 0))
    return reading;
  return { kind: "refused", reason: "not JSON", candidates: [] };
}

/** The result of reading a key again. */
export interface RereadKey {
  readonly apiKey: string;
  /** Whether the pointer finds nothing, so that the key stays unchanged. */
  readonly missed: boolean;
}

/** Reads a key from its stored response again, if `responses.apiKey` is set: a corrected pointer corrects the key. */
export function rereadKey({ apiKey, response }: StoredKey, mapping: ResponseMapping): RereadKey {
  if (mapping.apiKey === undefined || response === null) return { apiKey, missed: false };
  const reading = readKeptResponse(response, mapping);
  return reading.kind === "found" ? { apiKey: reading.apiKey, missed: false } : { apiKey, missed: true };
}

/** The hash of a shorter key could be reversed by brute force: 16 characters of 6 bits are 96 bits. */
const MIN_FINGERPRINTED_LENGTH = 16;
/** Four characters would reveal too much of a shorter key. */
const MIN_HINTED_LENGTH = 20;

/** Returns an identifier that does not reveal the key: `sha256:` and 16 hex digits; `null` if the key is too short. */
export function fingerprint(apiKey: string): string | null {
  if (apiKey.length < MIN_FINGERPRINTED_LENGTH) return null;
  return `sha256:${createHash("sha256").update(apiKey).digest("hex").slice(0, 16)}`;
}

/** Returns the last four characters, which services commonly show; `null` if the key is too short. */
function hint(apiKey: string): string | null {
  return apiKey.length < MIN_HINTED_LENGTH ? null : apiKey.slice(-4);
}

function text(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}
