import type { AccountSession } from "../account/account-session.js";
import type { PartnerError } from "../partner-api/errors.js";
import { isKeyMapped, readKept } from "./kept-responses.js";
import type { KeyContext } from "./key-holders.js";
import { openCreationBlocks, sameKey, type UnreadCreation } from "./key-messages.js";
import type { Key, KeyState, OpenCreation } from "./key-state.js";

/** What became of the open creation, as of today's settings. */
export type CreationOutcome =
  /** No creation is open. */
  | { readonly kind: "settled" }
  /** Its response has a new key. */
  | { readonly kind: "readable"; readonly key: Key }
  /** Its response has a key that the resource with the URN `holder`, perhaps this one, has already. */
  | { readonly kind: "known"; readonly key: Key; readonly holder: string }
  /** `responses.apiKey` may find the key, such as at one of these JSON Pointers. */
  | { readonly kind: "proposable"; readonly creation: OpenCreation; readonly pointers: readonly string[] }
  /** The response was lost or cut off, or has no text that could be a key. */
  | { readonly kind: "lost"; readonly creation: OpenCreation };

/** Reads the response to the open creation. */
export function readCreation({ session, holders, name }: KeyContext, state: KeyState): CreationOutcome {
  const { openCreation: creation } = state;
  if (creation === null) return { kind: "settled" };
  const { at, response } = creation;
  if (response === null || response.isCutOff) return { kind: "lost", creation };
  const reading = readKept(session, response);
  switch (reading.kind) {
    case "nothing":
      return { kind: "lost", creation };
    case "possible":
      return { kind: "proposable", creation, pointers: reading.pointers };
    case "found": {
      const key = { apiKey: reading.apiKey, createdAt: at, response };
      const holder = holders.holderOf(key, name, state);
      return holder === null ? { kind: "readable", key } : { kind: "known", key, holder };
    }
  }
}

/** Returns the key in the response, new or not; `null` if none was read. */
export function createdKeyOf(outcome: CreationOutcome): Key | null {
  return "key" in outcome ? outcome.key : null;
}

/** Returns the creation whose key was not read; `null` if it was, or none is open. */
export function unreadOf(session: AccountSession, outcome: CreationOutcome): UnreadCreation | null {
  switch (outcome.kind) {
    case "settled":
    case "readable":
    case "known":
      return null;
    case "lost":
      return { creation: outcome.creation, proposal: null };
    case "proposable": {
      const proposal = session.settings.proposeMember("apiKey", outcome.pointers);
      return { creation: outcome.creation, proposal };
    }
  }
}

/** Returns why an update gets no key from the creation; `null` if it gets one, or none is open. */
export function noKeyError(
  { session, name: { urn } }: KeyContext,
  outcome: CreationOutcome,
  { current }: KeyState,
): PartnerError | null {
  if (outcome.kind === "known") {
    const setting = isKeyMapped(session) ? session.settings.settingName("responses.apiKey") : null;
    return sameKey(urn, outcome.holder, setting);
  }
  const unread = unreadOf(session, outcome);
  const { hasStack } = session;
  return unread && openCreationBlocks(unread, { hasKey: current !== null, urn, hasStack });
}
