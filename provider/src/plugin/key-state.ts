import type { Properties } from "./boundary.js";
import { fingerprint, hint } from "./key-identity.js";

/** A key, and the id that a deletion may want in its place. */
export interface HeldKey {
  readonly apiKey: string;
  readonly keyId: string | null;
}

/** A key that a rotation made and that could not be found in the response yet. */
export interface UnreadKey {
  readonly response: string;
  readonly createdAt: string;
}

/** What has to be known of the past to decide what is to be done: inputs do not tell, as a failed update leaves old ones. */
export interface KeyMemory {
  /** `rotation.trigger` when the present key was made; `null` if there was none. */
  readonly trigger: string | null;
  /** The key that `existingApiKey` named when it was last acted upon. */
  readonly adopted: string | null;
  readonly previousKeyId: string | null;
  readonly unread: UnreadKey | null;
}

/** The outputs of a key as they stand in state; times are ISO 8601. */
export interface KeyState {
  /** `null` until the key has been found in the response to its creation. */
  readonly apiKey: string | null;
  readonly keyId: string | null;
  readonly createdAt: string | null;
  readonly response: string | null;
  readonly rotatedAt: string | null;
  readonly previousApiKey: string | null;
  readonly previousExpiresAt: string | null;
  /** Where the key was made; `null` for one that was made elsewhere, or before this was noted. */
  readonly server: string | null;
  readonly memory: KeyMemory;
}

const NO_MEMORY: KeyMemory = { trigger: null, adopted: null, previousKeyId: null, unread: null };

/** The declared outputs of a key that was never rotated. */
export const NO_ROTATION = { rotatedAt: null, previousApiKey: null, previousExpiresAt: null };

/** A key of which nothing is known yet. */
export const NO_KEY: KeyState = {
  ...NO_ROTATION,
  apiKey: null,
  keyId: null,
  createdAt: null,
  response: null,
  server: null,
  memory: NO_MEMORY,
};

/** A key that was made elsewhere and is managed from now on. */
export function knownKey({ apiKey, keyId }: HeldKey): KeyState {
  return { ...NO_KEY, apiKey, keyId, createdAt: new Date().toISOString() };
}

/** Reads outputs, also those of versions that knew less. */
export function stateOf(olds: Properties): KeyState {
  const memory = { ...NO_MEMORY, ...(olds["memory"] as Partial<KeyMemory> | null | undefined) };
  return {
    apiKey: text(olds["apiKey"]),
    keyId: text(olds["keyId"]),
    createdAt: text(olds["createdAt"]),
    response: text(olds["response"]),
    rotatedAt: text(olds["rotatedAt"]),
    previousApiKey: text(olds["previousApiKey"]),
    previousExpiresAt: text(olds["previousExpiresAt"]),
    server: text(olds["server"]),
    memory,
  };
}

/**
 * The outputs of a state: all declared ones, as one left out would be unknown in every preview. Of the inputs only what is
 * no secret: a key under another name would be stored in clear.
 */
export function outputsOf(state: KeyState, { __provider, account }: Properties): Properties {
  const { apiKey, memory } = state;
  return {
    __provider,
    account,
    ...state,
    fingerprint: apiKey === null ? null : fingerprint(apiKey),
    hint: apiKey === null ? null : hint(apiKey),
    memory: Object.values(memory).every((part) => part === null) ? null : memory,
  };
}

/** The previous key, if there is one. */
export function previousOf({ previousApiKey, memory }: KeyState): HeldKey | null {
  return previousApiKey === null ? null : { apiKey: previousApiKey, keyId: memory.previousKeyId };
}

/** The state after the previous key has been deleted. */
export function withoutPrevious(state: KeyState): KeyState {
  const memory = { ...state.memory, previousKeyId: null };
  return { ...state, previousApiKey: null, previousExpiresAt: null, memory };
}

function text(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}
