import { PartnerError, RequestError } from "../api/errors.js";
import { responseText } from "../api/kept-response.js";
import { readApiKeyId } from "../responses/key-reader.js";
import { fingerprint, reread, type HeldKey } from "./key-state.js";
import { ResourceError } from "./problems.js";
import type { PluginProcess, Session } from "./process.js";

/** Deletes keys of one resource, one after the other. @throws {PartnerError} that says if some are deleted. */
export async function deleteKeys(
  plugin: PluginProcess,
  session: Session,
  keys: readonly HeldKey[],
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
 * Deletes a key; one that is gone already is a success. 410 says so for certain. A wrong base URL answers 404 too, so that
 * counts only if the list of webhooks can be read under the same settings.
 *
 * @throws {PartnerError}
 */
export async function deleteKey(plugin: PluginProcess, session: Session, key: HeldKey): Promise<void> {
  const { client, settings, webhooks } = session;
  const { apiKey } = reread(key, settings.responses);
  const id = key.response && readApiKeyId(responseText(key.response), settings.responses);
  try {
    await client.deleteApiKey(id ?? apiKey);
  } catch (error) {
    if (!(error instanceof RequestError) || (error.status !== 404 && error.status !== 410)) throw error;
    if (error.status === 410) return;
    const { failure } = error;
    try {
      await webhooks.look([]);
    } catch (listError) {
      if (!(listError instanceof PartnerError)) throw listError;
      throw new ResourceError({ kind: "deletionUnclear", failure, listError });
    }
    const first = failure.effect === "none"; // Else an attempt whose response was lost may have deleted it.
    plugin.warn({ kind: "keyWasGone", fingerprint: fingerprint(apiKey), first, byId: id !== null });
  }
}
