import { ApiStatusError, PartnerError, ResourceError } from "../api/errors.js";
import { isWanted } from "./key-adoption.js";
import type { HeldKey } from "./key-state.js";
import type { Session } from "./session.js";
import { warnOnce } from "./warn.js";

/** Deletes a key, unless the program wants it elsewhere. @throws {PartnerError} */
export async function giveUpKey(session: Session, key: HeldKey): Promise<void> {
  if (isWanted(key.apiKey)) {
    warnOnce("a key that existingApiKey names is kept, although the resource that held it is gone.");
    return;
  }
  await deleteKey(session, key);
}

/**
 * Deletes a key; one that is gone already is a success. 410 says so for certain. A wrong base URL answers 404 too, so
 * that counts only if the list of webhooks can be had under the same settings.
 *
 * @throws {PartnerError}
 */
export async function deleteKey(
  { client, settings, webhooks }: Session,
  { apiKey, keyId }: HeldKey,
): Promise<void> {
  const byId = settings.responses.apiKeyId !== undefined && keyId !== null;
  try {
    await client.deleteApiKey(byId ? keyId : apiKey);
  } catch (error) {
    if (!(error instanceof ApiStatusError)) throw error;
    if (error.status === 410) return;
    if (error.status !== 404) throw error;
    await webhooks.assertReadable().catch((reason: unknown) => {
      throw cannotTell(reason);
    });
  }
}

function cannotTell(reason: unknown): ResourceError {
  const why = reason instanceof PartnerError ? reason.message : "the list of webhooks could not be read";
  return new ResourceError({
    operation: "deleteApiKey",
    happened: "the server answered 404, which means that the key is gone or that partners:baseUrl is wrong",
    effect: "none",
    status: 404,
    remedy: `The list of webhooks would tell which, but it could not be had either: ${why}`,
  });
}
