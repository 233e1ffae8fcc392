import { randomUUID } from "node:crypto";

import { isVisibleAscii } from "../partner-api/operations.js";
import type { PluginProcess } from "../plugin/plugin-process.js";
import { UNKNOWN, type Properties, type ResourceName } from "../plugin/properties.js";
import { warning, type Notice, type Resource } from "../plugin/resource.js";
import { PARTNER_API_KEY } from "../registration.js";
import { nextStep, performStep, readUnfinished, type KeyChange } from "./key-changes.js";
import type { KnownKeys } from "./key-context.js";
import { deleteKeys } from "./key-deletion.js";
import { keyInputsOf, readKeyArguments, type KeyInputs } from "./key-inputs.js";
import {
  cannotCheckExistence,
  previousKeyEnds,
  rotationAhead,
  untrackedCreation,
  wrongKeyId,
} from "./key-messages.js";
import { isOnlyDots } from "./key-reader.js";
import { NO_KEY, outputsOf, stateOf, type KeyState } from "./key-state.js";
import { dueReason, isNewTrigger, isPreviousValid, overlapEnd, type Step } from "./rotation.js";

/**
 * Creates the resource `PartnerApiKey`. If no key can be read from the response to its creation, the resource
 * stays in the state as "initialization failed", with the response, and without an `apiKey`.
 */
export function keyResource(plugin: PluginProcess): Resource<KeyInputs, KeyState> {
  const known: KnownKeys = {
    seenIn: new Map(),
    createdFor: new Map(),
    deletions: new Set(),
    urnsWithoutKey: new Set(),
  };
  const changeOf = ({ rotation }: KeyInputs, name: ResourceName) => ({ plugin, known, name, rotation });
  const markWithoutKey = (urn: string, { current }: KeyState): void => {
    if (current === null) known.urnsWithoutKey.add(urn);
    else known.urnsWithoutKey.delete(urn);
  };

  return {
    registration: PARTNER_API_KEY,
    readArguments: readKeyArguments,
    inputsOf: keyInputsOf,
    stateOf,
    outputsOf,

    async check(news, olds) {
      const isNew = olds === null || (!news.isUnknown && isNewTrigger(olds.rotation.trigger, news.rotation));
      if (isNew) await plugin.assertReachable();
    },

    plan(olds, news, name, changesAccount) {
      for (const key of [olds.current, olds.previous]) if (key !== null) known.seenIn.set(key.apiKey, name);
      if (changesAccount || news.isUnknown) return { changes: true, replaces: [], notices: [] };
      const change = changeOf(news, name);
      const step = nextStep(change, olds);
      const replaces = step === "replace" ? ["rotation"] : [];
      return { changes: step !== "none", replaces, notices: noticesOf(step, change, olds) };
    },

    preview(olds, news) {
      const inputs = keyInputsOf(news);
      if (inputs.isUnknown) return allUnknown();
      const step = nextStep(changeOf(inputs, { id: "", urn: "" }), olds ?? NO_KEY);
      return previewOf(step, olds ?? NO_KEY);
    },

    newId: () => `key-${randomUUID()}`,

    async apply(olds, news, name) {
      const state = olds ?? NO_KEY;
      try {
        const applied = await performStep(changeOf(news, name), state);
        // A new resource that would only share the key of another one does not exist.
        if (olds === null && applied.failure?.effect === "none") throw applied.failure;
        markWithoutKey(name.urn, applied.state);
        return applied;
      } catch (error) {
        markWithoutKey(name.urn, state);
        throw error;
      }
    },

    // The service never shows a key again: the state holds the only copy, and a refresh must not lose it.
    read: (olds) => Promise.resolve({ state: olds, inputs: null }),

    remove: (olds, name) => deleteKeys({ plugin, known, name }, olds),

    // The engine displays IDs, so an ID names a variable instead of holding the key.
    adopt(id, isExistenceCheck) {
      if (isExistenceCheck) return Promise.reject(cannotCheckExistence());
      const variable = /^env:(\w+)$/.exec(id)?.[1];
      const apiKey = variable === undefined ? undefined : plugin.env[variable];
      if (!isVisibleAscii(apiKey) || isOnlyDots(apiKey)) return Promise.reject(wrongKeyId());
      const current = { apiKey, createdAt: null, response: null };
      return Promise.resolve({ state: { ...NO_KEY, current }, inputs: null });
    },
  };
}

/** Returns what a preview says about a step. */
function noticesOf(step: Step, change: KeyChange, state: KeyState): Notice[] {
  const { plugin, rotation, name } = change;
  const { urn } = name;
  const { current, previous, unfinished } = state;
  const now = plugin.currentTime();
  const notices: Notice[] = [];
  const reading = readUnfinished(change, state);
  if (unfinished !== null && ["create", "rotate", "replace"].includes(step))
    notices.push(untrackedCreation(unfinished, urn));
  else if (reading.failure !== null) notices.push(warning(reading.failure.message));
  const reason = dueReason(state, rotation, now);
  if (current !== null && reason !== null && (step === "rotate" || step === "replace"))
    notices.push(rotationAhead(current, urn, reason, step === "rotate" ? overlapEnd(rotation, now) : null));
  if (previous !== null && ["rotate", "replace", "expire"].includes(step))
    notices.push(previousKeyEnds(previous, urn, isPreviousValid(state, now)));
  return notices;
}

/** Returns what is known of the outputs before a step. */
function previewOf(step: Step, state: KeyState): Properties {
  const outputs = outputsOf(state);
  if (step === "none" || (step === "blocked" && state.current !== null)) return outputs;
  if (step === "expire") return outputsOf({ ...state, previous: null, previousExpiresAt: null });
  return step === "rotate" ? { ...allUnknown(), previousApiKey: outputs.apiKey } : allUnknown();
}

function allUnknown(): Properties {
  return Object.fromEntries(Object.keys(outputsOf(NO_KEY)).map((name) => [name, UNKNOWN]));
}
