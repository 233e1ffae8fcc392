import { randomUUID } from "node:crypto";

import { isVisibleAscii } from "../../api/operations.js";
import {
  isPlaceholder,
  UNKNOWN,
  unknownArguments,
  type Properties,
  type ResourceHandlers,
} from "../contract.js";
import { keyStateOf, NO_KEY, withoutPreviousKey, type KeyState } from "./key-state.js";
import { ResourceError } from "../problems.js";
import type { PluginProcess } from "../plugin-process.js";
import { createKey, deleteKeys, performStep } from "./rotation.js";
import {
  isRotationUnknown,
  keyOutputs,
  planRotation,
  rotationDisplayInputs,
  rotationOf,
  rotationProblems,
  type RotationStep,
} from "./rotation-plan.js";

/**
 * Creates the handlers of `PartnerApiKey`. If the key is not found in the response to its creation, the resource stays in the
 * state as "initialization failed", with the response and without an `apiKey`. Once the mapping is set, `update` finds the key.
 */
export function apiKeyHandlers(plugin: PluginProcess): ResourceHandlers {
  const plan = (state: KeyState, news: Properties) =>
    planRotation(state, rotationOf(news), plugin.readSettings().responses, plugin.currentTime());

  return {
    check(olds, news) {
      const { rotation } = news;
      const problems = unknownArguments("PartnerApiKey", news, ["rotation"]);
      problems.push(...rotationProblems(rotation));
      const inputs = {
        account: plugin.account,
        ...(rotation != null && { rotation }),
        ...(problems.length === 0 && rotationDisplayInputs(olds, news, plugin.currentTime())),
      };
      return Promise.resolve({ inputs, problems });
    },

    diff(olds, news) {
      if (olds["account"] !== news["account"]) return { changes: true, replaces: ["account"] };
      if (isRotationUnknown(news)) return { changes: true, replaces: [] };
      const state = keyStateOf(olds);
      const { step, notices } = plan(state, news);
      for (const notice of notices) plugin.warn(notice);
      const changes = step !== "none" || keyOutputs(state, news)["rotationDueAt"] !== olds["rotationDueAt"];
      return { changes, replaces: step === "replace" ? ["rotationDue"] : [] };
    },

    preview(olds, news) {
      const state = olds === null ? NO_KEY : keyStateOf(olds);
      const step = isRotationUnknown(news) ? "replace" : plan(state, news).step;
      return previewOf(state, step, news);
    },

    create: (news, urn) =>
      plugin.keyRequests.createOnce(urn, async () => {
        const id = `key-${randomUUID()}`; // Not secret. Created before the request, because nothing may fail after it.
        const created = await createKey({ plugin, id, news }, NO_KEY);
        return { id, outputs: keyOutputs(created, news) };
      }),

    // The service never shows a key again: the state holds the only copy, and a refresh must not lose it.
    read: (olds) => Promise.resolve({ outputs: olds }),

    async update(id, olds, news, urn) {
      const state = keyStateOf(olds);
      const { step } = plan(state, news);
      const perform = () => performStep(step, { plugin, id, news }, state);
      const next = await (step === "rotate" ? plugin.keyRequests.createOnce(urn, perform) : perform());
      return keyOutputs(next, news);
    },

    delete: (olds) => deleteKeys(plugin, keyStateOf(olds)),

    // The engine displays IDs, so the ID must not be the key itself: it names an environment variable that holds the key.
    adopt(id) {
      const name = /^env:(\w+)$/.exec(id)?.[1] ?? null;
      const apiKey = name === null ? undefined : plugin.env[name];
      if (!isVisibleAscii(apiKey) || isPlaceholder(apiKey)) {
        const hint = name === null ? "" : `; ${name} is not set, or holds no key`;
        const text = `"env:" and the name of an environment variable that holds the key, such as env:OLD_KEY${hint}`;
        return Promise.reject(new ResourceError({ kind: "wrongImportId", text }));
      }
      const { account } = plugin;
      const outputs = keyOutputs({ ...NO_KEY, current: { apiKey, response: null } }, { account });
      return Promise.resolve({ id, inputs: { account }, outputs });
    },
  };
}

/** Returns what is known about the outputs before a step is performed. */
function previewOf(state: KeyState, step: RotationStep, news: Properties): Properties {
  if (step === "none") return keyOutputs(state, news);
  if (step === "expire") return keyOutputs(withoutPreviousKey(state), news);
  const names = Object.keys(keyOutputs(state, news));
  const unknown = Object.fromEntries(names.map((name): [string, unknown] => [name, UNKNOWN]));
  const previous = step === "rotate" ? { previousApiKey: state.current?.apiKey } : {};
  return { ...unknown, ...previous, account: news["account"] };
}
