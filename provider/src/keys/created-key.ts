import type { PartnerError } from "../partner-api/errors.js";
import type { AccountSession } from "../plugin/account-session.js";
import type { KeyContext } from "./key-holders.js";
import { hasId } from "./key-identifier-reader.js";
import { keyUnread, keyUnreadByCommand, sameKey } from "./key-messages.js";
import { readApiKey, type KeyReading } from "./key-reader.js";
import { bodyOf, type Key, type KeyState, type UnfinishedCreation } from "./key-state.js";

/** The key of an unfinished creation, or why it has none. Neither if there is no such creation. */
export interface CreatedKey {
  readonly key: Key | null;
  readonly failure: PartnerError | null;
}

/** Reads the key of the unfinished creation, if there is one. A key that somebody has already is not new. */
export function readUnfinished({ session, holders, name }: KeyContext, state: KeyState): CreatedKey {
  const { current, unfinished } = state;
  if (unfinished === null) return { key: null, failure: null };
  const { key, candidates } = readCreation(session, unfinished);
  if (key !== null) {
    const holder = holders.holderOf(key.apiKey, name, state);
    return holder === null ? { key, failure: null } : { key: null, failure: sameKey(name.urn, holder) };
  }
  const facts = { unfinished, candidates, hasKey: current !== null, urn: name.urn };
  const failure = session.hasStack
    ? keyUnread(facts, session.settings.proposeMember)
    : keyUnreadByCommand(unfinished);
  return { key: null, failure };
}

/** Reads the response to a creation with today's settings. One that was lost or cut off has no key. */
export function readCreation(
  session: AccountSession,
  { at, response }: UnfinishedCreation,
): { readonly key: Key | null; readonly candidates: KeyReading["candidates"] } {
  if (response === null || response.isCutOff) return { key: null, candidates: null };
  const { apiKey, candidates } = readText(session, bodyOf(response));
  return { key: apiKey === null ? null : { apiKey, createdAt: at, response }, candidates };
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
