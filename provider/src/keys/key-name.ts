import { createHash, createHmac } from "node:crypto";

/** How a key is named to people. None of it reveals the key. */
export interface KeyName {
  readonly fingerprint: string | null;
  /** ISO 8601; `null` for an imported key. */
  readonly createdAt: string | null;
}

/** Returns the name by which a person says that a key is gone; `null` if it has none. */
export function goneName({ fingerprint, createdAt }: KeyName): string | null {
  return fingerprint ?? createdAt;
}

/**
 * Returns an identifier that does not reveal the key: `sha256:` and 16 hex digits; `null` if the key is too
 * short.
 */
export function fingerprint(apiKey: string): string | null {
  // Brute force could reverse its hash: without a prefix of 8 characters, 24 digits are 80 bits.
  if (apiKey.length < 32) return null;
  return shortened(createHash("sha256").update(apiKey).digest("hex"));
}

/**
 * Returns an identifier of a text that may hold a short key: it cannot be computed without the salt.
 *
 * @param salt Secret.
 */
export function saltedFingerprint(text: string, salt: string): string {
  return shortened(createHmac("sha256", salt).update(text).digest("hex"));
}

/** Returns the last four characters, which services commonly show; `null` if the key is too short. */
export function hint(apiKey: string): string | null {
  // The fingerprint and these four together must reveal no more than the fingerprint of the shortest key.
  return apiKey.length < 36 ? null : apiKey.slice(-4);
}

function shortened(hash: string): string {
  return `sha256:${hash.slice(0, 16)}`;
}
