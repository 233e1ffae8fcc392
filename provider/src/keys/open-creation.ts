import type { AccountSession } from "../account/account-session.js";
import type { PartnerError } from "../partner-api/errors.js";
import type { KeyContext } from "./key-holders.js";
import { hasId } from "./key-identifier-reader.js";
import { openCreationBlocks, openCreationDropped, openCreationNotDeleted, sameKey } from "./key-messages.js";
import { readApiKey, type KeyReading } from "./key-reader.js";
import { bodyOf, type Key, type KeyState, type OpenCreation } from "./key-state.js";

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
  const reading = readText(session, bodyOf(response));
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

/** Returns why an update gets no key from the creation; `null` if it gets one, or none is open. */
export function noKeyError(
  { session, name: { urn } }: KeyContext,
  outcome: CreationOutcome,
  { current }: KeyState,
): PartnerError | null {
  switch (outcome.kind) {
    case "settled":
    case "readable":
      return null;
    case "known":
      return sameKey(urn, outcome.holder);
    case "proposable":
    case "lost": {
      const proposal = outcome.kind === "lost" ? null : proposalOf(session, outcome.pointers);
      const { hasStack } = session;
      return openCreationBlocks(outcome.creation, { proposal, hasKey: current !== null, urn, hasStack });
    }
  }
}

/**
 * Lets a removal settle the creation: returns its key, to delete it, or why the removal fails. What no
 * setting will find is dropped, with a warning.
 */
export function settleForRemoval(
  { session, holders, name }: KeyContext,
  outcome: CreationOutcome,
): Key | PartnerError | null {
  switch (outcome.kind) {
    case "settled":
      return null;
    case "readable":
    case "known":
      return outcome.key;
    case "proposable":
    case "lost":
      // Whoever replaces the resource has asked for another key.
      if (outcome.kind === "proposable" && !holders.isReplaced(name))
        return openCreationNotDeleted(outcome.creation, name.urn, proposalOf(session, outcome.pointers));
      session.notify(openCreationDropped(outcome.creation, name.urn));
      return null;
  }
}

/** Whether a body shows anything of a key: a value that is one or may be one, or an ID. */
export function showsKey(session: AccountSession, text: string): boolean {
  const reading = readText(session, text);
  const mayHaveKey = reading.kind === "possible" && reading.pointers.length > 0;
  return reading.kind === "found" || mayHaveKey || hasId(text);
}

/**
 * Returns the keys as `responses.apiKey` finds them today in their kept responses: the setting may have been
 * wrong when they were created. Without it, or where it finds nothing, they stay.
 */
export function withCorrectedKeys(session: AccountSession, state: KeyState): KeyState {
  const correct = (key: Key | null): Key | null => {
    if (key?.response == null || session.readSettings().responses.apiKey === undefined) return key;
    const reading = readText(session, bodyOf(key.response));
    if (reading.kind !== "found" || reading.apiKey === key.apiKey) return key;
    return { ...key, apiKey: reading.apiKey, storedAs: key.apiKey };
  };
  return { ...state, current: correct(state.current), previous: correct(state.previous) };
}

function proposalOf(session: AccountSession, pointers: readonly string[]): string {
  return session.settings.proposeMember("apiKey", pointers);
}

function readText(session: AccountSession, text: string): KeyReading {
  const { responses, accessToken } = session.readSettings();
  const reading = readApiKey(text, responses, accessToken);
  if (reading.kind === "found") session.secrets.addKey(reading.apiKey);
  return reading;
}
