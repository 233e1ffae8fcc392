import { PartnerError, RequestError, type RequestFailure } from "../api/errors.js";
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
  const { client, settings } = session;
  const { apiKey } = rereadKey(key, settings.responses);
  const id = key.response && readApiKeyId(responseText(key.response), settings.responses);
  try {
    await client.deleteApiKey(id ?? apiKey);
  } catch (error) {
    const status = error instanceof RequestError ? error.status : null;
    if (!(error instanceof RequestError) || (status !== 404 && status !== 410)) throw error;
    const { failure } = error;
    if (status === 404) await assertReadable(session, failure);
    // If an attempt may have taken effect, it deleted the key.
    const mayExist = status === 404 && failure.effect === "none" && id === null;
    plugin.warn({ kind: "keyWasGone", fingerprint: fingerprint(apiKey), status, mayExist });
  }
}

async function assertReadable({ webhooks }: Session, failure: RequestFailure): Promise<void> {
  try {
    await webhooks.lookUp([]);
  } catch (listError) {
    if (!(listError instanceof PartnerError)) throw listError;
    throw new ResourceError({ kind: "deletionUnclear", failure, listError });
  }
}
