import { ResourceError, UnreadableResponseError } from "../api/errors.js";
import type { CreatedKey } from "../api/partner-client.js";
import { readApiKey, type KeyReading, type ResponseMapping } from "../api/responses.js";
import { searchable } from "../api/wire.js";
import type { HeldKey, UnreadKey } from "./key-state.js";

/** A key that was found in a response. */
export interface FoundKey extends HeldKey {
  /** The response, where it holds a second secret that nothing else would keep; else `null`. */
  readonly response: string | null;
}

/** Either the key, or in one text all that a person has to know: users see nothing else of a failed initialization. */
export type Finding = { readonly found: FoundKey } | { readonly found: null; readonly reason: string };

/**
 * Looks for the key in the response to its creation. Never throws: the response is the only copy of the key.
 *
 * @param kept Where the response is kept, as one would say it.
 * @param created What is known of an answer that came just now.
 */
export function findKey(
  { response, createdAt }: UnreadKey,
  kept: string,
  mapping: ResponseMapping,
  created?: CreatedKey,
): Finding {
  const reading = read(response, mapping);
  if (reading.readable) {
    const { apiKey, keyId, otherSecrets } = reading;
    return { found: { apiKey, keyId, response: otherSecrets ? response : null } };
  }
  const brokenOff = created?.whole === false ? " (the answer broke off)" : "";
  const error = new UnreadableResponseError({
    operation: "createApiKey",
    happened: `a key was made at ${createdAt}, but it could not be found in the response${brokenOff}`,
    effect: "certain",
    requestId: created?.requestId ?? null,
    remedy: `The response is kept in the state ${kept}, so nothing is lost. ${reading.problem} ${reading.mappable ? RECOVERY : BY_HAND}`,
  });
  return { found: null, reason: `${error.message} [${error.code}]` };
}

function read(response: string, mapping: ResponseMapping): KeyReading {
  try {
    return readApiKey(searchable(response), mapping);
  } catch {
    const problem = "Reading it failed in an unexpected way: please report this as a bug.";
    return { readable: false, problem, mappable: false };
  }
}

const NO_KEY =
  'If the response holds no key, delete the key at the service and run "pulumi state delete" for this resource.';
const BY_HAND =
  'Look at what is kept with "pulumi stack export --show-secrets", delete the key at the service, and run "pulumi state delete" for this resource.';
const RECOVERY = `Then run "pulumi up" again: it finds the key in the kept response and makes no second one. ${NO_KEY}`;

/** Finds the key of a resource that is to be deleted before it was ever resolved. @throws {ResourceError} */
export function recover(response: string, mapping: ResponseMapping): HeldKey {
  const reading = read(response, mapping);
  if (reading.readable) return reading;
  throw new ResourceError({
    operation: "deleteApiKey",
    happened: "the key is not known yet, because the response to its creation could not be read",
    effect: "none",
    // A destroy works with the configuration that the last update left in the state, so that alone would change nothing.
    remedy: `${reading.problem} Then run "pulumi up", which finds the key, and then delete it. ${NO_KEY}`,
  });
}
