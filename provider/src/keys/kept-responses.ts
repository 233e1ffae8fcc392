import type { AccountSession } from "../account/account-session.js";
import type { KeyResponse } from "../registration.js";
import { hasId } from "./deletion-identifier-reader.js";
import { readApiKey, type KeyReading } from "./key-reader.js";
import { bodyOf, type Key, type KeyState } from "./key-state.js";

/** Whether a person has said where keys are, perhaps wrongly. */
export function isKeyMapped(session: AccountSession): boolean {
  return session.readSettings().responses.apiKey !== undefined;
}

/** Reads a response that the stack keeps, as today's settings see it. */
export function readKept(session: AccountSession, response: KeyResponse): KeyReading {
  return readText(session, bodyOf(response));
}

/**
 * Returns the keys as `responses.apiKey` finds them today in their kept responses: the setting may have been
 * wrong when they were created. Without it, or where it finds nothing, they stay.
 */
export function withCorrectedKeys(session: AccountSession, state: KeyState): KeyState {
  const correct = (key: Key | null): Key | null => {
    if (key?.response == null || !isKeyMapped(session)) return key;
    const reading = readKept(session, key.response);
    if (reading.kind !== "found" || reading.apiKey === key.apiKey) return key;
    return { ...key, apiKey: reading.apiKey, storedAs: key.apiKey };
  };
  return { ...state, current: correct(state.current), previous: correct(state.previous) };
}

/** Whether a body shows anything of a key: a value that is one or may be one, or an ID. */
export function showsKey(session: AccountSession, text: string): boolean {
  const reading = readText(session, text);
  const mayHaveKey = reading.kind === "possible" && reading.pointers.length > 0;
  return reading.kind === "found" || mayHaveKey || hasId(text);
}

function readText(session: AccountSession, text: string): KeyReading {
  const { responses, accessToken } = session.readSettings();
  const reading = readApiKey(text, responses, accessToken);
  if (reading.kind === "found") session.secrets.addKey(reading.apiKey);
  return reading;
}
