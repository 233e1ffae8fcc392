import { createHash, randomUUID } from "node:crypto";

/** A hash of a shorter key could be undone by trying: 16 characters of 6 bits are 96 bits. */
const SHORTEST_FINGERPRINTED = 16;
/** Of a shorter key, four characters would be too large a part. */
const SHORTEST_HINTED = 20;

/** Makes the id of a resource. Ids are never secret, so nothing of the key is in it. */
export function newKeyId(): string {
  return `key-${randomUUID()}`;
}

/** Tells keys apart without revealing them: `sha256:` and 16 hex digits; `null` for keys that are too short for it. */
export function fingerprint(apiKey: string): string | null {
  if (apiKey.length < SHORTEST_FINGERPRINTED) return null;
  return `sha256:${createHash("sha256").update(apiKey).digest("hex").slice(0, 16)}`;
}

/** What services show of a key, its last four characters; `null` for keys that are too short for it. */
export function hint(apiKey: string): string | null {
  return apiKey.length < SHORTEST_HINTED ? null : apiKey.slice(-4);
}
