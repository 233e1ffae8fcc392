import { createHash } from "node:crypto";

import { asKeptResponse, responseText, type KeptResponse } from "../api/kept-response.js";
import { readApiKey, type KeyReading } from "../responses/key-reader.js";
import type { ResponseMapping } from "../responses/mapping.js";
import { isRecord, type Properties } from "./contract.js";

/** A key that exists, with what is known of its creation; `null` for a key that was created elsewhere. Secret. */
export interface HeldKey {
  readonly apiKey: string;
  readonly response: KeptResponse | null;
}

/** The response to the creation of a key that has not been found in it yet. Secret. */
export interface UnreadKey {
  readonly response: KeptResponse;
  /** ISO 8601. */
  readonly createdAt: string;
}

/** The outputs of a key as they are in state; times are ISO 8601. Secret. */
export interface KeyState {
  /** `null` until the key has been found in the response to its creation. */
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
  /** A key that a rotation has created, and that takes over once it is found in its response. */
  readonly unread: UnreadKey | null;
}

const NO_INTERNALS: KeyInternals = {
  trigger: null,
  previousResponse: null,
  unread: null,
};

/** A key of which nothing is known yet. */
export const NO_KEY: KeyState = {
  apiKey: null,
  createdAt: null,
  response: null,
  rotatedAt: null,
  previousApiKey: null,
  previousExpiresAt: null,
  internal: NO_INTERNALS,
};

/** Reads outputs in state. */
export function keyStateOf(olds: Properties): KeyState {
  const internal = isRecord(olds["internal"]) ? olds["internal"] : {};
  const unread = isRecord(internal["unread"]) ? internal["unread"] : {};
  const unreadResponse = asKeptResponse(unread["response"]);
  return {
    apiKey: text(olds["apiKey"]),
    createdAt: text(olds["createdAt"]),
    response: asKeptResponse(olds["response"]),
    rotatedAt: text(olds["rotatedAt"]),
    previousApiKey: text(olds["previousApiKey"]),
    previousExpiresAt: text(olds["previousExpiresAt"]),
    internal: {
      trigger: text(internal["trigger"]),
      previousResponse: asKeptResponse(internal["previousResponse"]),
      unread: unreadResponse && {
        response: unreadResponse,
        createdAt: text(unread["createdAt"]) ?? "an unknown time",
      },
    },
  };
}

/** The outputs of a state: all declared ones, as one that is left out would be unknown in every preview. */
export function outputsOf(state: KeyState, account: unknown): Properties {
  const { apiKey, internal } = state;
  return {
    account,
    ...state,
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
