import { isUtf8 } from "node:buffer";
import { createHash } from "node:crypto";

import {
  readCreation,
  readKeptCreation,
  responseText,
  type FailedCreation,
  type KeyReading,
  type KeyResponse,
  type KeySettings,
} from "../responses/creation-reader.js";
import { readApiKeyId } from "../responses/key-ids.js";
import { looksLikeKey } from "../responses/key-form.js";
import { isPlaceholder } from "../shared/properties.js";
import { fingerprint, saltedFingerprint, type KeyName } from "./key-name.js";

/** A key that was created. It may not have been found in the response yet. Secret. */
export interface CreatedKey {
  /**
   * Kept whole, because the service shows it only once: it may hold a second secret, an ID, or a key that was
   * not recognized.
   */
  readonly response: KeyResponse;
  /** When the response arrived, ISO 8601; `null` if the state does not say. */
  readonly createdAt: string | null;
  /** The {@link tokenMark} of the account that created it; `null` if the state does not say. */
  readonly token: string | null;
  /** The encoding of the response that could not be decoded; `null` if there is none. */
  readonly undecoded: string | null;
}

/** A key in the state. Secret. */
export interface StoredKey {
  readonly apiKey: string;
  /** The response to its creation; `null` for an imported key. */
  readonly response: KeyResponse | null;
  /** As of {@link CreatedKey}. */
  readonly createdAt: string | null;
  /** As of {@link CreatedKey}. */
  readonly token: string | null;
  /** The setting `responses.apiKey` by which it was found; `null` if it was recognized or imported. */
  readonly foundBy: string | null;
}

/** What reading a response depends on. */
export type KeyReadingSettings = Omit<KeySettings, "isStorable">;

/** A creation, and what the response to it says. */
export interface Creation {
  readonly created: CreatedKey;
  readonly reading: KeyReading;
}

/** Converts a body into a form that the state can store. */
export function keepResponse(body: Buffer, complete: boolean): KeyResponse {
  const text = body.toString("utf8");
  const isText = isUtf8(body) && !isPlaceholder(text);
  return { body: isText ? text : body.toString("base64"), encoding: isText ? "utf8" : "base64", complete };
}

/** Reads the response to a creation as it arrives. @param status The status of the response. */
export function readNewResponse(
  response: KeyResponse,
  status: number,
  settings: KeyReadingSettings,
): KeyReading | FailedCreation {
  return readCreation(response, status, storable(settings));
}

/** Reads the response to an earlier creation again. */
export function readAgain(created: CreatedKey, settings: KeyReadingSettings): Creation {
  return { created, reading: readKeptCreation(created.response, storable(settings)) };
}

/** The engine would not store a text that it takes for a value that is not known yet. */
function storable({ responses, accessToken, headers }: KeyReadingSettings): KeySettings {
  return { responses, accessToken, headers, isStorable: (apiKey) => !isPlaceholder(apiKey) };
}

/** Returns a key that was found in the response to its creation. */
export function foundKey(created: CreatedKey, apiKey: string, { responses }: KeyReadingSettings): StoredKey {
  const { response, createdAt, token } = created;
  return { apiKey, response, createdAt, token, foundBy: responses.apiKey ?? null };
}

/**
 * Reads a key again if `responses.apiKey` has been set, changed or removed since it was found: so a wrong
 * pointer can be undone.
 *
 * @returns The key, the same one if nothing changes; `null` if the new setting finds nothing that looks like
 * a key: it may be for responses of another shape.
 */
export function rereadKey(key: StoredKey, settings: KeyReadingSettings): StoredKey | null {
  const foundBy = settings.responses.apiKey ?? null;
  if (foundBy === key.foundBy || key.response === null) return key;
  const reading = readKeptCreation(key.response, storable(settings));
  if (reading.kind === "unread") return foundBy === null ? key : null;
  if (reading.apiKey === key.apiKey) return key;
  return looksLikeKey(reading.apiKey) ? { ...key, apiKey: reading.apiKey, foundBy } : null;
}

/** How a deletion names a key. Secret. */
export interface DeletionTarget {
  readonly apiKey: string;
  /** What the path holds: the ID of the key, or the key itself. */
  readonly parameter: string;
  /** `imported`: it is deleted by its value although the setting asks for an ID, which nothing shows. */
  readonly by: "id" | "value" | "imported";
}

/** @returns `null` if `responses.apiKeyId` is set, but finds no ID in the response to the creation. */
export function deletionTarget(
  { apiKey, response }: StoredKey,
  { responses }: KeyReadingSettings,
): DeletionTarget | null {
  if (responses.apiKeyId === undefined) return { apiKey, parameter: apiKey, by: "value" };
  if (response === null) return { apiKey, parameter: apiKey, by: "imported" };
  const id = readApiKeyId(responseText(response), responses);
  return id === null ? null : { apiKey, parameter: id, by: "id" };
}

/** Returns the value of a key and what the path holds in its place, if that is something else. Secret. */
export function targetNames({ apiKey, parameter }: DeletionTarget): readonly string[] {
  return [...new Set([apiKey, parameter])];
}

/**
 * Returns the names by which a key can be deleted: its value, and the ID that the path has in its place, if
 * any. Secret.
 */
export function namesOf(key: StoredKey, settings: KeyReadingSettings): readonly string[] {
  const stored = rereadKey(key, settings) ?? key;
  const target = deletionTarget(stored, settings);
  return target ? targetNames(target) : [stored.apiKey];
}

/**
 * Returns what two keys of one resource have in common, so that they cannot be deleted one by one; `null` if
 * they can.
 */
export function sharedPart(
  one: StoredKey,
  other: StoredKey,
  settings: KeyReadingSettings,
): "key" | "id" | null {
  const [names, others] = [namesOf(one, settings), namesOf(other, settings)];
  if (names[0] === others[0]) return "key";
  return names.some((name) => others.includes(name)) ? "id" : null;
}

/** Names a key to people. */
export function nameOfKey({ apiKey, createdAt }: Pick<StoredKey, "apiKey" | "createdAt">): KeyName {
  return { fingerprint: fingerprint(apiKey), createdAt };
}

/**
 * Names a key that was not found, by its response and its time: two keys can be created in the same
 * millisecond, and two responses without a key can be the same.
 */
export function nameOfCreated({ response, createdAt, token }: CreatedKey): KeyName {
  const text = `${responseText(response)} ${createdAt ?? ""}`;
  return { fingerprint: token && saltedFingerprint(text, token), createdAt };
}

/**
 * Returns a mark by which an account is recognized later. Only for the secret part of the state.
 *
 * @param identity As of the settings: the access token, and the headers if there are any.
 */
export function tokenMark(identity: string): string {
  return createHash("sha256").update(identity).digest("hex").slice(0, 16);
}
