import { randomUUID } from "node:crypto";

import { isVisibleAscii } from "../../api/operations.js";
import { redactText } from "../../api/redact.js";
import { PARTNER_API_KEY } from "../../registration.js";
import {
  isPlaceholder,
  UNKNOWN,
  unknownArguments,
  type Properties,
  type ResourceHandlers,
} from "../contract.js";
import { keyInputsOf, rotationProblems, type KeyInputs } from "./key-inputs.js";
import { keyStateOf, NO_KEY, withoutPreviousKey, type KeyState } from "./key-state.js";
import { ResourceError } from "../problems.js";
import type { PluginProcess } from "../plugin-process.js";
import { createKey, deleteKeys, performStep } from "./rotation.js";
import { keyOutputs, planRotation, rotationDisplayInputs, type RotationStep } from "./rotation-plan.js";

/**
 * Creates the handlers of `PartnerApiKey`. If the key is not found in the response to its creation, the
 * resource stays in the state as "initialization failed", with the response and without an `apiKey`. Once the
 * mapping is set, `update` finds the key.
 */
export function apiKeyHandlers(plugin: PluginProcess): ResourceHandlers {
  const plan = (state: KeyState, { rotation }: KeyInputs) =>
    planRotation(state, rotation, plugin.readSettings().responses, plugin.currentTime());

  return {
    check(olds, news) {
      const { rotation } = news;
      const unknown = unknownArguments("PartnerApiKey", news, PARTNER_API_KEY.inputs);
      const problems = [...unknown, ...rotationProblems(rotation)];
      const inputs = {
        account: plugin.account,
        ...(rotation != null && { rotation }),
        ...(problems.length === 0 &&
          rotationDisplayInputs(keyInputsOf(olds), keyInputsOf(news), plugin.currentTime())),
      };
      return Promise.resolve({ inputs, problems });
    },

    diff(olds, news) {
      const inputs = keyInputsOf(news);
      if ((olds["account"] ?? null) !== inputs.account) return { changes: true, replaces: ["account"] };
      if (inputs.isRotationUnknown) return { changes: true, replaces: [] };
      const state = keyStateOf(olds);
      const { step, notices } = plan(state, inputs);
      for (const notice of notices) plugin.warn(notice);
      const changes = step !== "none" || keyOutputs(state, inputs).rotationDueAt !== olds["rotationDueAt"];
      return { changes, replaces: step === "replace" ? ["rotationDue"] : [] };
    },

    preview(olds, news) {
      const inputs = keyInputsOf(news);
      const state = olds === null ? NO_KEY : keyStateOf(olds);
      const step = inputs.isRotationUnknown ? "replace" : plan(state, inputs).step;
      return previewOf(state, step, inputs);
    },

    create: (news, urn) =>
      plugin.keyRequests.createOnce(urn, async () => {
        // Not secret. Created before the request, because nothing may fail after it.
        const id = `key-${randomUUID()}`;
        const inputs = keyInputsOf(news);
        const created = await createKey({ plugin, id, inputs }, NO_KEY);
        return { id, outputs: keyOutputs(created, inputs) };
      }),

    // The service never shows a key again: the state holds the only copy, and a refresh must not lose it.
    read: (olds) => Promise.resolve({ outputs: olds }),

    async update(id, olds, news, urn) {
      const [state, inputs] = [keyStateOf(olds), keyInputsOf(news)];
      const { step } = plan(state, inputs);
      const perform = () => performStep(step, { plugin, id, inputs }, state);
      const next = await (step === "rotate" ? plugin.keyRequests.createOnce(urn, perform) : perform());
      return keyOutputs(next, inputs);
    },

    delete: (olds) => deleteKeys(plugin, keyStateOf(olds)),

    // The engine displays IDs, so the ID must not be the key itself: it names an environment variable that
    // holds the key.
    adopt(id) {
      const name = /^env:(\w+)$/.exec(id)?.[1] ?? null;
      const apiKey = name === null ? undefined : plugin.env[name];
      if (!isVisibleAscii(apiKey) || isPlaceholder(apiKey)) {
        // Without what could be a key, which may stand in place of the name.
        const expected = { kind: "variable", unusable: name && redactText(name, []) } as const;
        return Promise.reject(new ResourceError({ kind: "wrongImportId", expected }));
      }
      const inputs = { account: plugin.account };
      const outputs = keyOutputs({ ...NO_KEY, current: { apiKey, response: null } }, keyInputsOf(inputs));
      return Promise.resolve({ id, inputs, outputs });
    },
  };
}

/** Returns what is known about the outputs before a step is performed. */
function previewOf(state: KeyState, step: RotationStep, inputs: KeyInputs): Properties {
  const outputs = keyOutputs(state, inputs);
  if (step === "none") return outputs;
  if (step === "expire") return keyOutputs(withoutPreviousKey(state), inputs);
  const unknown = Object.fromEntries(Object.keys(outputs).map((name): [string, unknown] => [name, UNKNOWN]));
  const previous = step === "rotate" ? { previousApiKey: outputs.apiKey } : {};
  return { ...unknown, ...previous, account: outputs.account };
}
