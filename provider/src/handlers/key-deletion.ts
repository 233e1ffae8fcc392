import { PartnerError, RequestError } from "../api/errors.js";
import { responseText } from "../api/kept-response.js";
import { readApiKeyId } from "../responses/key-reader.js";
import { fingerprint, rereadKey, type StoredKey } from "./key-state.js";
import { ResourceError } from "./problems.js";
import type { PluginProcess, Session } from "./process.js";

/** Deletes the keys of one resource in order. @throws {PartnerError} that says whether a key was deleted before the failure. */
export async function deleteKeys(
  plugin: PluginProcess,
  session: Session,
  keys: readonly StoredKey[],
): Promise<void> {
  let deleted = false;
  for (const key of keys) {
    try {
      await deleteKey(plugin, session, key);
      deleted = true;
    } catch (error) {
      if (!deleted || !(error instanceof PartnerError)) throw error;
      throw new ResourceError({ kind: "partlyDone", next: error });
    }
  }
}

/**
 * Deletes a key. A key that is already gone counts as deleted: 410 proves it. A 404 can also mean that the base URL is wrong,
 * so it counts only if the webhook list can be read with the same settings.
 *
 * @throws {PartnerError}
 */
export async function deleteKey(plugin: PluginProcess, session: Session, key: StoredKey): Promise<void> {
  const { client, settings, webhooks } = session;
  const { apiKey } = rereadKey(key, settings.responses);
  const id = key.response && readApiKeyId(responseText(key.response), settings.responses);
  try {
    await client.deleteApiKey(id ?? apiKey);
  } catch (error) {
    if (!(error instanceof RequestError) || (error.status !== 404 && error.status !== 410)) throw error;
    if (error.status === 410) return;
    const { failure } = error;
    try {
      await webhooks.lookUp([]);
    } catch (listError) {
      if (!(listError instanceof PartnerError)) throw listError;
      throw new ResourceError({ kind: "deletionUnclear", failure, listError });
    }
    // Otherwise, an earlier attempt whose response was lost may have deleted it.
    const first = failure.effect === "none";
    plugin.warn({ kind: "keyWasGone", fingerprint: fingerprint(apiKey), first, byId: id !== null });
  }
}
