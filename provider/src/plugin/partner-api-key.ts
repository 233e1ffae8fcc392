import { randomUUID } from "node:crypto";

import type { CreatedKey } from "../api/client.js";
import { ApiStatusError, PartnerError, ResourceError, UnreadableResponseError } from "../api/errors.js";
import { readApiKey, type KeyReading } from "../api/responses.js";
import { InitializationError, messageOf, type Handlers, type Properties } from "./boundary.js";
import { fingerprint, hint } from "./key-identity.js";
import { account, checkSettings, openSession, type Session } from "./session.js";

/**
 * The handlers of `PartnerApiKey`. A resource whose `apiKey` is `null` holds a response that could not be read yet: it
 * stays in state as "initialization failed" until the mapping is set and `update` finds the key in it.
 */
export const partnerApiKey: Handlers = {
  check(olds, _news) {
    const isNew = olds["account"] === undefined;
    return Promise.resolve({ inputs: { account: account() }, problems: isNew ? settingsProblems() : [] });
  },

  diff(olds, news) {
    // State written before accounts had names is adopted as it is.
    const moved = olds["account"] != null && olds["account"] !== news["account"];
    return { changes: moved || isUnresolved(olds), replaces: moved ? ["account"] : [] };
  },

  async create(inputs) {
    const { client, settings } = await openSession();
    const id = `key-${randomUUID()}`; // Before the request: after it, nothing may fail.
    const created = await client.createApiKey();
    const pending = { ...inputs, ...PENDING, createdAt: created.createdAt, response: created.response };
    return { id, outs: settle(id, pending, () => readApiKey(created.response, settings.responses), created) };
  },

  // Keys cannot be read back: what is in state is all there is, and a refresh must not lose it.
  read: (_id, olds) => Promise.resolve({ props: olds }),

  async update(id, olds, news) {
    if (!isUnresolved(olds)) return { outs: { ...olds, ...news } };
    const { settings } = await openSession();
    return {
      outs: settle(id, { ...olds, ...news }, () => readApiKey(responseOf(olds), settings.responses), null),
    };
  },

  async delete(_id, olds) {
    const session = await openSession();
    const { apiKey, keyId } = isUnresolved(olds) ? recover(olds, session) : (olds as unknown as HeldKey);
    const byId = session.settings.responses.apiKeyId !== undefined && keyId !== null;
    await deleteKey(session, byId ? keyId : apiKey);
  },
};

interface HeldKey {
  readonly apiKey: string;
  readonly keyId: string | null;
}

/** The outputs before the key is known: all declared, as one left out would be unknown in every preview. */
const PENDING = { apiKey: null, fingerprint: null, hint: null, keyId: null };

function isUnresolved(olds: Properties): boolean {
  return olds["apiKey"] == null;
}

function responseOf(olds: Properties): string {
  return typeof olds["response"] === "string" ? olds["response"] : "";
}

/**
 * Completes outputs with the key found in the response.
 *
 * @throws {InitializationError} that keeps the response, and nothing else, whatever goes wrong.
 */
function settle(
  id: string,
  pending: Properties,
  read: () => KeyReading,
  created: CreatedKey | null,
): Properties {
  let reading: KeyReading;
  try {
    reading = read();
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

function unreadable(problem: string, pending: Properties, created: CreatedKey | null): string {
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
function recover(olds: Properties, { settings }: Session): HeldKey {
  const reading = readApiKey(responseOf(olds), settings.responses);
  if (reading.readable) return reading;
  throw new ResourceError({
    operation: "deleteApiKey",
    happened: "the key is not known yet, because the response to its creation could not be read",
    effect: "none",
    // A destroy works with the configuration that the last update left in the state, so that alone would change nothing.
    remedy: `${reading.problem} Then run "pulumi up", which finds the key, and then delete it. ${NO_KEY}`,
  });
}

/**
 * Deletes a key; one that is gone already is a success. 410 says so for certain. A wrong base URL answers 404 too, so
 * that counts only if the list of webhooks can be had under the same settings.
 */
async function deleteKey({ client, webhooks }: Session, pathValue: string): Promise<void> {
  try {
    await client.deleteApiKey(pathValue);
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

function settingsProblems(): string[] {
  try {
    checkSettings();
    return [];
  } catch (error) {
    return [messageOf(error)];
  }
}
