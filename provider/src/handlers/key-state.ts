import { createHash } from "node:crypto";

import type { CreatedKey } from "../api/client.js";
import { asKeptResponse, responseText, type KeptResponse } from "../api/kept-response.js";
import { readApiKey, type KeyReading } from "../responses/key-reader.js";
import type { ResponseMapping } from "../responses/mapping.js";
import { isRecord, type Properties } from "./contract.js";

/** A key that exists, with what is known of its creation; `null` for a key that was created elsewhere. Secret. */
export interface HeldKey {
  readonly apiKey: string;
  readonly response: KeptResponse | null;
}

/** The outputs of a key as they are in state; times are ISO 8601. Secret. */
export interface KeyState {
  /** `null` until the first key has been found in its response. */
  readonly apiKey: string | null;
  readonly createdAt: string | null;
  readonly response: KeptResponse | null;
  readonly rotatedAt: string | null;
  readonly previousApiKey: string | null;
  readonly previousExpiresAt: string | null;
  readonly internal: KeyInternals;
}

/** Outputs that no program needs, but that a later operation does. */
export interface KeyInternals {
  /** `rotation.trigger` when the present key was created: old inputs do not tell, as a failed update leaves older ones. */
  readonly trigger: string | null;
  readonly previousResponse: KeptResponse | null;
  /** A key that takes over once it is found in the response to its creation. */
  readonly unread: CreatedKey | null;
}

/** A key of which nothing is known yet. */
export const NO_KEY: KeyState = {
  apiKey: null,
  createdAt: null,
  response: null,
  rotatedAt: null,
  previousApiKey: null,
  previousExpiresAt: null,
  internal: { trigger: null, previousResponse: null, unread: null },
};

/** Reads outputs in state. */
export function keyStateOf(olds: Properties): KeyState {
  const internal = isRecord(olds["internal"]) ? olds["internal"] : {};
  const apiKey = text(olds["apiKey"]);
  const isFound = apiKey !== null;
  return {
    apiKey,
    createdAt: isFound ? text(olds["createdAt"]) : null,
    response: isFound ? asKeptResponse(olds["response"]) : null,
    rotatedAt: text(olds["rotatedAt"]),
    previousApiKey: text(olds["previousApiKey"]),
    previousExpiresAt: text(olds["previousExpiresAt"]),
    internal: {
      trigger: text(internal["trigger"]),
      previousResponse: asKeptResponse(internal["previousResponse"]),
      unread: unreadKey(isFound ? internal["unread"] : olds),
    },
  };
}

function unreadKey(value: unknown): CreatedKey | null {
  if (!isRecord(value)) return null;
  const response = asKeptResponse(value["response"]) ?? { body: "", encoding: "utf8", complete: false };
  return { response, createdAt: text(value["createdAt"]) ?? "an unknown time" };
}

/** The outputs of a state: all declared ones, as one that is left out would be unknown in every preview. */
export function outputsOf(state: KeyState, account: unknown): Properties {
  const { apiKey } = state;
  const { unread, ...rest } = state.internal;
  // Of the first key, the outputs show the response also before it is found in it.
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

/** The present key, if it has been found. */
export function presentOf({ apiKey, response }: KeyState): HeldKey | null {
  return apiKey === null ? null : { apiKey, response };
}

/** The previous key, if there is one. */
export function previousOf({ previousApiKey, internal }: KeyState): HeldKey | null {
  if (previousApiKey === null) return null;
  return { apiKey: previousApiKey, response: internal.previousResponse };
}

/** The state once the previous key is deleted. */
export function withoutPrevious(state: KeyState): KeyState {
  const internal = { ...state.internal, previousResponse: null };
  return { ...state, previousApiKey: null, previousExpiresAt: null, internal };
}

/**
 * Reads the key from a kept response. One that is cut off counts only if it is whole JSON all the same: half a key as plain text,
 * taken for all of it, would be handed to consumers, and deleted in place of the key that lives.
 */
export function readKept(response: KeptResponse, mapping: ResponseMapping): KeyReading {
  const body = responseText(response);
  if (response.complete || isJson(body)) return readApiKey(body, mapping);
  return { kind: "refused", reason: "none", candidates: [] };
}

/** What today's `responses.apiKey` makes of a kept response. */
export interface Rereading {
  readonly apiKey: string;
  /** Whether the pointer finds nothing, so that the key stays as it is. */
  readonly missed: boolean;
}

/** Reads a key again where a pointer is set: the key is a function of its response and of the mapping. */
export function reread({ apiKey, response }: HeldKey, mapping: ResponseMapping): Rereading {
  if (mapping.apiKey === undefined || response === null) return { apiKey, missed: false };
  const reading = readKept(response, mapping);
  return reading.kind === "found" ? { apiKey: reading.apiKey, missed: false } : { apiKey, missed: true };
}

/** A hash of a shorter key could be undone by trying: 16 characters of 6 bits are 96 bits. */
const SHORTEST_FINGERPRINTED = 16;
/** Of a shorter key, four characters would be too large a part. */
const SHORTEST_HINTED = 20;

/** Tells keys apart without revealing them: `sha256:` and 16 hex digits; `null` for keys that are too short for it. */
export function fingerprint(apiKey: string): string | null {
  if (apiKey.length < SHORTEST_FINGERPRINTED) return null;
  return `sha256:${createHash("sha256").update(apiKey).digest("hex").slice(0, 16)}`;
}

/** What services show of a key, its last four characters; `null` for keys that are too short for it. */
function hint(apiKey: string): string | null {
  return apiKey.length < SHORTEST_HINTED ? null : apiKey.slice(-4);
}

function isJson(body: string): boolean {
  try {
    JSON.parse(body);
    return true;
  } catch {
    return false;
  }
}

function text(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}
