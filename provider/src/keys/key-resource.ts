import { randomUUID } from "node:crypto";
import { isDeepStrictEqual } from "node:util";

import type { AccountSession } from "../account/account-session.js";
import { withoutLastNewline } from "../account/settings.js";
import type { ResourceName } from "../adapter/properties.js";
import type { Resource } from "../adapter/resource.js";
import { isVisibleAscii } from "../partner-api/operations.js";
import { PARTNER_API_KEY } from "../registration.js";
import { KeyHolders } from "./key-holders.js";
import { isPathSegment } from "./deletion-identifier-reader.js";
import { keyInputsOf, readKeyArguments, type KeyInputs } from "./key-inputs.js";
import { cannotCheckExistence, unusableKey, variableNotSet, wrongKeyId } from "./key-messages.js";
import { noticesOf, previewOf, UNKNOWN_OUTPUTS } from "./key-preview.js";
import { removeResource } from "./key-resource-removal.js";
import { NO_KEY, outputsOf, stateOf as keyStateOf, type KeyState } from "./key-state.js";
import { assess, perform } from "./key-steps.js";
import { isNewTrigger } from "./rotation.js";

/**
 * Creates the resource `PartnerApiKey`. If a creation leads to no key, the resource stays in the state as
 * "initialization failed", with the response, and with the current key, if it has one.
 */
export function keyResource(session: AccountSession): Resource<KeyInputs, KeyState> {
  const holders = new KeyHolders();
  const changeOf = ({ rotation }: KeyInputs, name: ResourceName) => ({ session, holders, name, rotation });

  return {
    registration: PARTNER_API_KEY,
    readArguments: readKeyArguments,
    inputsOf: keyInputsOf,
    outputsOf,

    stateOf(outputs) {
      const state = keyStateOf(outputs);
      for (const key of [state.current, state.previous]) if (key !== null) session.secrets.addKey(key.apiKey);
      return state;
    },

    async check(oldInputs, { isUnknown, rotation }) {
      const usedTrigger = oldInputs?.rotation.trigger ?? null;
      const creates = oldInputs === null || (!isUnknown && isNewTrigger(usedTrigger, rotation));
      if (creates) await session.assertReachable();
    },

    plan(olds, news, name, changesAccount) {
      // A move to another account is replaced by the adapter, and what is not known yet updates in any case.
      if (changesAccount || news.isUnknown) {
        holders.record(name, olds, changesAccount);
        return { changes: true, replaces: [], notices: [] };
      }
      const change = changeOf(news, name);
      const assessment = assess(change, olds);
      const { step, state } = assessment;
      holders.record(name, state, step === "replace");
      return {
        changes: step !== "none" || !isDeepStrictEqual(state, olds),
        replaces: step === "replace" ? ["rotation"] : [],
        notices: noticesOf(change, assessment, olds),
      };
    },

    preview(olds, news) {
      const inputs = keyInputsOf(news);
      if (inputs.isUnknown) return UNKNOWN_OUTPUTS;
      // Without a name: the keys of this resource are known from its state, and nothing is shown.
      return previewOf(assess(changeOf(inputs, { id: "", urn: "" }), olds ?? NO_KEY));
    },

    newId: () => `key-${randomUUID()}`,

    async apply(olds, news, name) {
      const change = changeOf(news, name);
      let reached = olds ?? NO_KEY;
      try {
        const applied = await perform(change, assess(change, reached));
        reached = applied.state;
        return applied;
      } finally {
        // Also after a failure: what this resource replaces must not be deleted while it has no key.
        holders.recordResult(name, reached);
      }
    },

    // The service never shows a key again: the state holds the only copy, and a refresh must not lose it.
    read: (olds) => Promise.resolve({ state: olds, inputs: null }),

    remove: (olds, name) => removeResource({ session, holders, name }, olds),

    // The engine displays IDs, so an ID names a variable instead of holding the key.
    adopt(id, isExistenceCheck) {
      if (isExistenceCheck) return Promise.reject(cannotCheckExistence());
      const variable = /^env:(\w+)$/.exec(id)?.[1];
      if (variable === undefined) return Promise.reject(wrongKeyId());
      const apiKey = withoutLastNewline(session.env[variable] ?? "");
      if (apiKey === "") return Promise.reject(variableNotSet(variable));
      session.secrets.addKey(apiKey);
      if (!isVisibleAscii(apiKey) || !isPathSegment(apiKey)) return Promise.reject(unusableKey(variable));
      const current = { apiKey, createdAt: null, response: null };
      return Promise.resolve({ state: { ...NO_KEY, current }, inputs: null });
    },
  };
}
