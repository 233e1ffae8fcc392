import { ApiStatusError, PartnerError, ResourceError, type Effect } from "../api/errors.js";
import { isWanted } from "./key-adoption.js";
import type { HeldKey } from "./key-state.js";
import { PartlyDoneError } from "./partly-done.js";
import { serverOf, type Session } from "./session.js";
import { warnOnce } from "./warn.js";

/**
 * Deletes a key, unless the program wants it elsewhere.
 *
 * @param server Where it was made, if that is known.
 * @returns whether it is gone.
 * @throws {PartnerError}
 */
export async function giveUpKey(session: Session, key: HeldKey, server: string | null): Promise<boolean> {
  if (isWanted(key.apiKey)) {
    warnOnce("a key that existingApiKey names is kept, although the resource that held it is gone.");
    return false;
  }
  await deleteKey(session, key, server);
  return true;
}

/** Deletes all keys of a resource, unless the program wants them elsewhere. @throws {PartnerError} that says if some are gone. */
export async function giveUpKeys(
  session: Session,
  keys: readonly HeldKey[],
  server: string | null,
): Promise<void> {
  let some = false;
  for (const key of keys) {
    try {
      some = (await giveUpKey(session, key, server)) || some;
    } catch (error) {
      throw some && error instanceof PartnerError ? new PartlyDoneError(SOME_GONE, error) : error;
    }
  }
}

/** Of a key that was rotated there are several. */
const SOME_GONE = "A key of this resource is deleted";

/**
 * Deletes a key; one that is gone already is a success. 410 says so for certain. A wrong base URL answers 404 too, so
 * that counts only if the list of webhooks can be had under the same settings, and if the key was made at the same address.
 *
 * @throws {PartnerError}
 */
export async function deleteKey(
  session: Session,
  { apiKey, keyId }: HeldKey,
  server: string | null,
): Promise<void> {
  const { client, settings, webhooks } = session;
  const byId = settings.responses.apiKeyId !== undefined && keyId !== null;
  try {
    await client.deleteApiKey(byId ? keyId : apiKey);
  } catch (error) {
    if (!(error instanceof ApiStatusError)) throw error;
    if (error.status === 410) return;
    if (error.status !== 404) throw error;
    if (server !== null && server !== serverOf(session)) throw cannotTell(error.effect, otherServer(server));
    await webhooks.assertReadable().catch((reason: unknown) => {
      const why = reason instanceof PartnerError ? reason.message : "it could not be read.";
      throw cannotTell(error.effect, `The list of webhooks would tell, but it cannot be had either: ${why}`);
    });
    if (!byId && keyId !== null) warnOnce(SECOND_NAME);
  }
}

/** @param effect What the attempts before the 404 may have done: the 404 may be the sign that one of them worked. */
function cannotTell(effect: Effect, why: string): ResourceError {
  return new ResourceError({
    operation: "deleteApiKey",
    happened: "the server answered 404, which means that the key is gone or that partners:baseUrl is wrong",
    effect,
    status: 404,
    remedy: `${why} ${IF_GONE}`,
  });
}

const IF_GONE = 'If the key is certainly gone, run "pulumi state delete" for this resource.';

/** Not an error: most often the key is gone, and a 404 that blocks would have to be cleared by hand each time. */
const SECOND_NAME =
  "a key that has an id too was not found by its value, and counts as gone. If the service deletes keys by their id, it still exists: delete it there, and set partners:responses.apiKeyId to the JSON Pointer of the id.";

function otherServer(server: string): string {
  return `The key was made at ${server}, and partners:baseUrl is another address now: bring that back, run "pulumi up", then delete again.`;
}
