import { randomUUID } from "node:crypto";

import { ApiStatusError, PartnerError, ResourceError, type Effect } from "../api/errors.js";
import { messageOf, type Handlers } from "./boundary.js";
import { isUnresolved, PENDING, recover, settle, type HeldKey } from "./key-response.js";
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
    return { id, outs: settle(id, pending, settings.responses, created) };
  },

  // Keys cannot be read back: what is in state is all there is, and a refresh must not lose it.
  read: (_id, olds) => Promise.resolve({ props: olds }),

  async update(id, olds, news) {
    if (!isUnresolved(olds)) return { outs: { ...olds, ...news } };
    const { settings } = await openSession();
    return {
      outs: settle(id, { ...olds, ...news }, settings.responses),
    };
  },

  async delete(_id, olds) {
    const session = await openSession();
    const { apiKey, keyId } = isUnresolved(olds)
      ? recover(olds, session.settings.responses)
      : (olds as unknown as HeldKey);
    const byId = session.settings.responses.apiKeyId !== undefined && keyId !== null;
    await deleteKey(session, byId ? keyId : apiKey);
  },
};

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
      throw cannotTell(error.effect, reason);
    });
  }
}

/** @param effect What the attempts before the 404 may have done: the 404 may be the sign that one of them worked. */
function cannotTell(effect: Effect, reason: unknown): ResourceError {
  const why = reason instanceof PartnerError ? reason.message : "the list of webhooks could not be read";
  return new ResourceError({
    operation: "deleteApiKey",
    happened: "the server answered 404, which means that the key is gone or that partners:baseUrl is wrong",
    effect,
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
