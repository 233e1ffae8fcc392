import { isObject } from "../json.js";
import type { KeyResponse } from "../responses/creation-reader.js";
import type { Properties } from "../shared/properties.js";
import { fingerprint, hint } from "./key-name.js";
import type { CreatedKey, StoredKey } from "./stored-key.js";

/** A created key that has not been found in its response yet. Secret. */
export interface UnreadKey extends CreatedKey {
  /** `rotation.trigger` when it was created. Becomes {@link KeyState.trigger} only once the key is found. */
  readonly trigger: string | null;
}

/** What the outputs of `PartnerApiKey` in the state say. Times are ISO 8601. Secret. */
export interface KeyState {
  /** `null` until the first key is found in its response. */
  readonly current: StoredKey | null;
  readonly rotatedAt: string | null;
  /** The key before the last rotation, until its overlap is over. */
  readonly previous: StoredKey | null;
  readonly previousExpiresAt: string | null;
  /** The overlap, in days, that ends then; `null` without a previous key. */
  readonly overlapDays: number | null;
  /**
   * `rotation.trigger` when the current key was created. The old inputs cannot tell: a failed update leaves
   * older ones.
   */
  readonly trigger: string | null;
  /** A new key that has not been found in the response to its creation. It takes over once it is found. */
  readonly unread: UnreadKey | null;
  /** When a creation was lost: a key may have been created that is in no stack. */
  readonly lostCreationAt: string | null;
  /**
   * The key of the resource that this one replaces. The outputs show it until this resource has a key: a
   * `null` would reach the consumers of a key that is still valid. Only the replaced resource deletes it.
   */
  readonly replaced: StoredKey | null;
  /** When the current key is due for rotation, as of the last update; `null` for never. */
  readonly rotationDueAt: string | null;
  /**
   * Whether the call that led to this state, or one that it repeats, has ended the overlap of a previous key.
   * Not stored: only the words of a failure depend on it.
   */
  readonly hasEndedPrevious: boolean;
}

/** The state before the first key is created. */
export const NO_KEY: KeyState = {
  current: null,
  rotatedAt: null,
  previous: null,
  previousExpiresAt: null,
  overlapDays: null,
  trigger: null,
  unread: null,
  lostCreationAt: null,
  replaced: null,
  rotationDueAt: null,
  hasEndedPrevious: false,
};

/** The outputs of `PartnerApiKey`, without those of every resource. Times are ISO 8601. */
export type KeyOutputs = Readonly<{
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
  lostCreationAt: string | null;
  rotationDueAt: string | null;
  /** What only the handlers read. Secret. */
  internal: Properties | null;
}>;

/**
 * Returns the outputs of a state. All of them are set, because a missing output would be unknown in every
 * preview.
 */
export function outputsOf(state: KeyState): KeyOutputs {
  const { previous, trigger, unread } = state;
  const shown = state.current ?? state.replaced;
  // The outputs show the response to the first creation even before a key is found in it.
  const { createdAt = null, response = null } = shown ?? unread ?? {};
  return {
    apiKey: shown?.apiKey ?? null,
    createdAt,
    response,
    fingerprint: shown && fingerprint(shown.apiKey),
    hint: shown && hint(shown.apiKey),
    rotatedAt: state.rotatedAt,
    previousApiKey: previous?.apiKey ?? null,
    previousExpiresAt: state.previousExpiresAt,
    lostCreationAt: state.lostCreationAt,
    rotationDueAt: state.rotationDueAt,
    internal: {
      trigger,
      current: shown && { foundBy: shown.foundBy, token: shown.token },
      isReplaced: state.replaced !== null,
      overlapDays: state.overlapDays,
      previous: previous && { ...previous, apiKey: null },
      unread,
    },
  };
}

/** Reads the outputs in the state. */
export function keyStateOf(olds: Properties): KeyState {
  const internal = objectOf(olds["internal"]);
  const { response, createdAt } = olds;
  const shown = storedKey(olds["apiKey"], { ...objectOf(internal["current"]), response, createdAt });
  const isReplaced = internal["isReplaced"] === true;
  const lostCreationAt = text(olds["lostCreationAt"]);
  const unread = unreadKey(internal["unread"]);
  return {
    current: isReplaced ? null : shown,
    rotatedAt: text(olds["rotatedAt"]),
    previous: storedKey(olds["previousApiKey"], objectOf(internal["previous"])),
    previousExpiresAt: text(olds["previousExpiresAt"]),
    overlapDays: typeof internal["overlapDays"] === "number" ? internal["overlapDays"] : null,
    trigger: text(internal["trigger"]),
    // Someone may have removed a part of the state: then a key may exist, and no other one is created.
    unread: shown === null && !isObject(olds["internal"]) ? unreadKey(olds) : unread,
    lostCreationAt,
    replaced: isReplaced ? shown : null,
    rotationDueAt: text(olds["rotationDueAt"]),
    hasEndedPrevious: false,
  };
}

/** Returns the state after the previous key is deleted. */
export function withoutPreviousKey(state: KeyState): KeyState {
  const hasEndedPrevious = state.previous !== null || state.hasEndedPrevious;
  return { ...state, previous: null, previousExpiresAt: null, overlapDays: null, hasEndedPrevious };
}

function storedKey(apiKey: unknown, { response, createdAt, token, foundBy }: Properties): StoredKey | null {
  if (typeof apiKey !== "string") return null;
  return {
    apiKey,
    response: keptResponseOf(response),
    createdAt: text(createdAt),
    token: text(token),
    foundBy: text(foundBy),
  };
}

function unreadKey(value: unknown): UnreadKey | null {
  if (!isObject(value)) return null;
  const response = keptResponseOf(value["response"]) ?? { body: "", encoding: "utf8", complete: false };
  const { createdAt, token, undecoded, trigger } = value;
  return {
    response,
    createdAt: text(createdAt),
    token: text(token),
    undecoded: text(undecoded),
    trigger: text(trigger),
  };
}

function keptResponseOf(value: unknown): KeyResponse | null {
  if (!isObject(value)) return null;
  const { body, encoding, complete } = value;
  if (typeof body !== "string") return null;
  return { body, encoding: encoding === "base64" ? encoding : "utf8", complete: complete === true };
}

function objectOf(value: unknown): Properties {
  return isObject(value) ? value : {};
}

function text(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}
