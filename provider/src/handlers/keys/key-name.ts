import { createHash } from "node:crypto";

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
  // Brute force could reverse its hash; 16 characters of 6 bits are 96 bits.
  if (apiKey.length < 16) return null;
  return `sha256:${createHash("sha256").update(apiKey).digest("hex").slice(0, 16)}`;
}

/** Returns the last four characters, which services commonly show; `null` if the key is too short. */
export function hint(apiKey: string): string | null {
  // Four characters would reveal too much of a shorter key.
  return apiKey.length < 20 ? null : apiKey.slice(-4);
}
