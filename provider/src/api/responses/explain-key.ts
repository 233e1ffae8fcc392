import type { ResponseMapping } from "../responses.js";
import { readApiKey } from "./api-key.js";
import { candidates, pointerText, type Explanation } from "./explanation.js";
import { parseBody } from "./json.js";
import { findKeyCandidates } from "./key-candidates.js";
import { toKeyId } from "./key-id.js";
import { isNeverKey } from "./key-names.js";
import { looksLikeKey } from "./key-value.js";
import { normalise } from "./names.js";
import { parsePointer } from "./pointer.js";
import { describeStructure } from "./structure.js";

/**
 * Explains how `readApiKey` reads a response.
 *
 * @returns `null` if the response is not JSON, so that there is nothing to point at.
 */
export function explainApiKey(text: string, mapping: ResponseMapping): Explanation | null {
  const reading = readApiKey(text, mapping);
  const body = parseBody(text);
  if (!body.ok) return null;
  const structure = describeStructure(body.value);
  if (!reading.readable) {
    const keys = candidates(body.value, (value, name) => looksLikeKey(value) && !isNeverKey(normalise(name)));
    return { pointers: {}, missing: { setting: "apiKey", candidates: keys }, structure };
  }
  const { apiKey, keyId } = reading;
  const recognised = findKeyCandidates(body.value).filter(({ value }) => value === apiKey);
  const ids = candidates(
    body.value,
    (value, name) => normalise(name).endsWith("id") && toKeyId(value) === keyId,
  );
  const pointers = {
    apiKey: settled(mapping.apiKey) ?? recognised.map(({ path }) => pointerText(path)),
    ...(keyId !== null && { apiKeyId: settled(mapping.apiKeyId) ?? ids }),
  };
  return { pointers, missing: null, structure };
}

/** A pointer of the mapping, which is then the only one used. */
function settled(setting: string | undefined): string[] | null {
  return setting === undefined ? null : [pointerText(parsePointer(setting) ?? [])];
}
