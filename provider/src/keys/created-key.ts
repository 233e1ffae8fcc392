import type { PartnerError } from "../partner-api/errors.js";
import type { AccountSession } from "../plugin/account-session.js";
import type { KeyContext } from "./key-holders.js";
import { hasId } from "./key-identifier-reader.js";
import { keyUnread, sameKey, undeletedCreation, untrackedCreation } from "./key-messages.js";
import { readApiKey, type KeyReading } from "./key-reader.js";
import { bodyOf, type Key, type KeyState, type UnfinishedCreation } from "./key-state.js";
import type { Readable } from "./rotation.js";

/** What today's settings find in the response to the unfinished creation. */
export type CreatedKey =
  /** No creation is unfinished. */
  | { readonly kind: "none" }
  | { readonly kind: "new"; readonly key: Key }
  /** A resource has the key already: the one with the URN `holder`, which may be this one. */
  | { readonly kind: "known"; readonly key: Key; readonly holder: string }
  | {
      readonly kind: "unread";
      readonly unfinished: UnfinishedCreation;
      /** As in a `KeyReading`; also `null` if the response was lost or cut off. */
      readonly candidates: KeyReading["candidates"];
    };

/** Reads the response to the unfinished creation. */
export function readCreation({ session, holders, name }: KeyContext, state: KeyState): CreatedKey {
  const { unfinished } = state;
  if (unfinished === null) return { kind: "none" };
  const { at, response } = unfinished;
  if (response === null || response.isCutOff) return { kind: "unread", unfinished, candidates: null };
  const { apiKey, candidates } = readText(session, bodyOf(response));
  if (apiKey === null) return { kind: "unread", unfinished, candidates };
  const key = { apiKey, createdAt: at, response };
  const holder = holders.holderOf(key, name, state);
  return holder === null ? { kind: "new", key } : { kind: "known", key, holder };
}

/** Returns whether a new key can be read from the response. */
export function readableOf(created: CreatedKey): Readable {
  if (created.kind === "new") return "now";
  if (created.kind === "known") return "perhaps"; // The setting may point to the wrong value.
  return created.kind === "unread" && created.candidates !== null ? "perhaps" : "never";
}

/** Returns why an update gets no key from the creation; `null` if it gets one, or nothing is unfinished. */
export function noKeyError(context: KeyContext, created: CreatedKey, state: KeyState): PartnerError | null {
  const { session, name } = context;
  if (created.kind === "none" || created.kind === "new") return null;
  if (created.kind === "known") return sameKey(name.urn, created.holder);
  const { unfinished, candidates } = created;
  const proposal = candidates && session.settings.proposeMember("apiKey", candidates);
  const hasKey = state.current !== null;
  return keyUnread({ unfinished, proposal, hasKey, urn: name.urn, hasStack: session.hasStack });
}

/** Lets a removal forget an unread key, with a warning. Returns an error if a setting may still find it. */
export function untrackKey({ session, holders, name }: KeyContext, created: CreatedKey): PartnerError | null {
  if (created.kind !== "unread") return null;
  const { unfinished, candidates } = created;
  // Whoever replaces the resource has asked for another key.
  if (candidates !== null && !holders.isReplaced(name))
    return undeletedCreation(unfinished, name.urn, session.settings.proposeMember("apiKey", candidates));
  session.notify(untrackedCreation(unfinished, name.urn));
  return null;
}

/** Whether a body shows anything of a key: a value that is one or may be one, or an ID. */
export function showsKey(session: AccountSession, text: string): boolean {
  const { apiKey, candidates } = readText(session, text);
  return apiKey !== null || (candidates ?? []).length > 0 || hasId(text);
}

/**
 * Returns the keys as `responses.apiKey` finds them today in their kept responses: the setting may have been
 * wrong when they were created. Without it, or where it finds nothing, they stay.
 */
export function withCorrectedKeys(session: AccountSession, state: KeyState): KeyState {
  const correct = (key: Key | null): Key | null => {
    if (key?.response == null || session.readSettings().responses.apiKey === undefined) return key;
    const { apiKey } = readText(session, bodyOf(key.response));
    return apiKey === null || apiKey === key.apiKey ? key : { ...key, apiKey, storedAs: key.apiKey };
  };
  return { ...state, current: correct(state.current), previous: correct(state.previous) };
}

function readText(session: AccountSession, text: string): KeyReading {
  const { responses, accessToken } = session.readSettings();
  return readApiKey(text, responses, accessToken);
}
