import { ResourceError, UnreadableResponseError } from "../api/errors.js";
import type { CreatedKey } from "../api/partner-client.js";
import { readApiKey, type KeyReading, type ResponseMapping } from "../api/responses.js";
import { searchable } from "../api/wire.js";
import { InitializationError, type Properties } from "./boundary.js";
import { fingerprint, hint } from "./key-identity.js";

/** A key that is known, as it stands in state. */
export interface HeldKey {
  readonly apiKey: string;
  readonly keyId: string | null;
}

/** The outputs before the key is known: all declared, as one left out would be unknown in every preview. */
export const PENDING = { apiKey: null, fingerprint: null, hint: null, keyId: null };

/** Whether the key has not been found in the response to its creation yet. */
export function isUnresolved(olds: Properties): boolean {
  return olds["apiKey"] == null;
}

/** The response that is kept, as it can be searched for the key. */
export function responseOf(olds: Properties): string {
  return typeof olds["response"] === "string" ? searchable(olds["response"]) : "";
}

/**
 * Completes outputs with the key found in the response.
 *
 * @throws {InitializationError} that keeps the response, and nothing else, whatever goes wrong.
 */
export function settle(
  id: string,
  pending: Properties,
  mapping: ResponseMapping,
  created?: CreatedKey,
): Properties {
  let reading: KeyReading;
  try {
    reading = readApiKey(responseOf(pending), mapping);
  } catch {
    reading = {
      readable: false,
      problem: "Reading it failed in an unexpected way: please report this as a bug.",
    };
  }
  if (!reading.readable)
    throw new InitializationError(id, pending, unreadable(reading.problem, pending, created));
  const { apiKey, keyId, otherSecrets } = reading;
  return {
    ...pending,
    apiKey,
    fingerprint: fingerprint(apiKey),
    hint: hint(apiKey),
    keyId,
    response: otherSecrets ? pending["response"] : null, // Kept where it holds a secret that nothing else would keep.
  };
}

function unreadable(problem: string, pending: Properties, created?: CreatedKey): string {
  const brokenOff = created?.whole === false ? " (the answer broke off)" : "";
  const error = new UnreadableResponseError({
    operation: "createApiKey",
    happened: `a key was made at ${String(pending["createdAt"])}, but it could not be found in the response${brokenOff}`,
    effect: "certain",
    requestId: created?.requestId ?? null,
    remedy: `The response is kept in the state as the secret output "response", so nothing is lost. ${problem} ${RECOVERY}`,
  });
  return `${error.message} [${error.code}]`;
}

const NO_KEY =
  'If the response holds no key, delete the key at the service and run "pulumi state delete" for this resource.';
const RECOVERY = `Then run "pulumi up" again: it finds the key in the kept response and makes no second one. ${NO_KEY}`;

/** Finds the key of a resource that is to be deleted before it was ever resolved. @throws {ResourceError} */
export function recover(olds: Properties, mapping: ResponseMapping): HeldKey {
  const reading = readApiKey(responseOf(olds), mapping);
  if (reading.readable) return reading;
  throw new ResourceError({
    operation: "deleteApiKey",
    happened: "the key is not known yet, because the response to its creation could not be read",
    effect: "none",
    // A destroy works with the configuration that the last update left in the state, so that alone would change nothing.
    remedy: `${reading.problem} Then run "pulumi up", which finds the key, and then delete it. ${NO_KEY}`,
  });
}
