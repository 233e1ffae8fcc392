import { randomUUID } from "node:crypto";

import { PartnerError, RequestError } from "../../api/errors.js";
import { isVisibleAscii } from "../../api/operations.js";
import { redactText } from "../../api/redact.js";
import { PARTNER_API_KEY } from "../../registration.js";
import {
  isPlaceholder,
  PartialFailure,
  UNKNOWN,
  unknownArguments,
  type Properties,
  type ResourceHandlers,
  type ResourceName,
} from "../contract.js";
import type { Session, PluginProcess } from "../plugin-process.js";
import { PreviewCheck } from "../preview-check.js";
import { ResourceError } from "../problems.js";
import { heldKeys, isDeleted, withoutGoneKeys } from "./key-deletion.js";
import type { KeyResource } from "./key-holders.js";
import { keyInputsOf, rotationProblems, type KeyInputs } from "./key-inputs.js";
import { keyStateOf, NO_KEY, outputsOf, withoutPreviousKey, type KeyState } from "./key-state.js";
import { createKey, deleteKeys, performStep } from "./rotation.js";
import {
  keyOutputs,
  needsNewKey,
  planRotation,
  rotationDisplayInputs,
  type RotationStep,
} from "./rotation-plan.js";
import { nameOfKey, type StoredKey } from "./stored-key.js";

/**
 * Creates the handlers of `PartnerApiKey`. If the key is not found in the response to its creation, the
 * resource stays in the state as "initialization failed", with the response and without an `apiKey`. Once the
 * mapping is set, `update` finds the key. If the response is lost, the resource stays as well, with the time.
 */
export function apiKeyHandlers(plugin: PluginProcess): ResourceHandlers {
  const tokenCheck = new PreviewCheck(plugin);
  /** The resources that the run replaces, and the keys that they show, by URN. */
  const replaced = new Map<string, { readonly resource: KeyResource; readonly key: StoredKey | null }>();
  const plan = (state: KeyState, { rotation }: KeyInputs) =>
    planRotation(state, rotation, plugin.readSettings(), plugin.currentTime());
  /** Warns if another resource has the key as well: it was created before this run knew of both. */
  const warnIfShared = (resource: KeyResource, key: StoredKey | null): void => {
    const holder = key && plugin.keyHolders.otherHolder(resource, [key.apiKey]);
    if (key && holder?.isShown === false && holder.urn !== resource.urn)
      plugin.warn({ kind: "keyShared", name: nameOfKey(key), urn: holder.urn });
  };
  /** Reads the outputs in the state, and records which keys the resource has. */
  const seen = (olds: Properties, resource: KeyResource): KeyState => {
    const state = withoutGoneKeys(plugin, keyStateOf(olds));
    const isOwn = olds["account"] === plugin.account;
    // The process of the other account deletes it, and may not know the URN in the ID of an import.
    if (resource.id === "" || (!isOwn && resource.id.includes(" env:"))) return state;
    const held = heldKeys(plugin, state);
    // In another account, another key can have the same ID.
    const values = held.map((key) => ({ ...key, names: key.names.slice(0, 1) }));
    plugin.keyHolders.record(resource, isOwn ? held : values);
    warnIfShared(resource, state.current);
    return state;
  };
  /** Names a resource to delete. If the host does not know its URN, that of a replaced resource may be it. */
  const leaving = ({ id, urn }: ResourceName): KeyResource => {
    const known = replaced.values().find(({ resource }) => resource.id === resourceOf(id, resource.urn).id);
    return (urn === "" ? known?.resource : undefined) ?? resourceOf(id, urn);
  };

  return {
    async check(olds, news) {
      const { rotation } = news;
      const [oldInputs, newInputs] = [keyInputsOf(olds), keyInputsOf(news)];
      const unknown = unknownArguments("PartnerApiKey", news, PARTNER_API_KEY.inputs);
      const problems = [...unknown, ...rotationProblems(rotation)];
      const isValid = problems.length === 0;
      const now = plugin.currentTime();
      const isChecked = isValid && needsNewKey(oldInputs, newInputs, now);
      const inputs = {
        account: plugin.account,
        ...(rotation != null && { rotation }),
        ...(isValid && rotationDisplayInputs(oldInputs, newInputs, now)),
      };
      const rejected = isChecked ? await tokenCheck.run(assertTokenAccepted) : [];
      return { inputs, problems: [...problems, ...rejected] };
    },

    diff(olds, news, resource = NAMELESS) {
      const inputs = keyInputsOf(news);
      const state = seen(olds, resourceOf(resource.id, resource.urn));
      const replaces = (names: string[]) => {
        replaced.set(resource.urn, {
          resource: resourceOf(resource.id, resource.urn),
          key: state.current ?? state.replaced,
        });
        return { changes: true, replaces: names };
      };
      if ((olds["account"] ?? null) !== inputs.account) return replaces(["account"]);
      if (inputs.isRotationUnknown) return { changes: true, replaces: [] };
      const { step, notices } = plan(state, inputs);
      for (const notice of notices) plugin.warn(notice);
      if (step === "replace") return replaces(["rotationDue"]);
      const { rotationDueAt, lostCreationAt } = keyOutputs(state, inputs);
      const isSame =
        rotationDueAt === olds["rotationDueAt"] && lostCreationAt === (olds["lostCreationAt"] ?? null);
      return { changes: step !== "none" || !isSame, replaces: [] };
    },

    preview(olds, news) {
      const inputs = keyInputsOf(news);
      const state = olds === null ? NO_KEY : withoutGoneKeys(plugin, keyStateOf(olds));
      const step = inputs.isRotationUnknown ? "replace" : plan(state, inputs).step;
      return previewOf(state, step, inputs);
    },

    create: (news, urn = "") =>
      plugin.keyRequests.createOnce(urn, async () => {
        // Not secret. Created before the request, because nothing may fail after it.
        const id = `key-${randomUUID()}`;
        const inputs = keyInputsOf(news);
        const known = replaced.get(urn)?.key ?? null;
        // With `deleteBeforeReplace`, the old key is gone.
        const state = { ...NO_KEY, replaced: known && isDeleted(plugin, known) ? null : known };
        const resource = { id, urn };
        const created = await createKey({ plugin, resource, inputs }, state).catch((error: unknown) => {
          // A resource that does not come into being has no keys.
          if (!(error instanceof PartialFailure)) plugin.keyHolders.record(resource, []);
          throw error;
        });
        return { id, outputs: keyOutputs(created, inputs) };
      }),

    // The service never shows a key again: the state holds the only copy, and a refresh must not lose it.
    read(olds) {
      const state = keyStateOf(olds);
      const known = withoutGoneKeys(plugin, state);
      const outputs = known === state ? olds : { ...olds, ...outputsOf(known, keyInputsOf(olds).account) };
      return Promise.resolve({ outputs });
    },

    async update(id, olds, news, urn = "") {
      const resource = resourceOf(id, urn);
      const [state, inputs] = [seen(olds, resource), keyInputsOf(news)];
      const { step } = plan(state, inputs);
      const perform = () => performStep(step, { plugin, resource, inputs }, state);
      const creates = step === "rotate" || step === "create";
      const next = await (creates ? plugin.keyRequests.createOnce(urn, perform) : perform());
      plugin.keyHolders.record(resource, heldKeys(plugin, next));
      return keyOutputs(next, inputs);
    },

    delete: (olds, resource = NAMELESS) =>
      deleteKeys(plugin, leaving(resource), withoutGoneKeys(plugin, keyStateOf(olds))),

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
      const current = { apiKey, response: null, createdAt: null, token: null, foundBy: null };
      const outputs = keyOutputs({ ...NO_KEY, current }, keyInputsOf(inputs));
      return Promise.resolve({ id, inputs, outputs });
    },
  };
}

/** Returns what is known about the outputs before a step is performed. */
function previewOf(state: KeyState, step: RotationStep, inputs: KeyInputs): Properties {
  const outputs = keyOutputs(state, inputs);
  const isKnown = step === "none" || (step === "blocked" && state.current !== null);
  if (isKnown) return outputs;
  if (step === "expire") return keyOutputs(withoutPreviousKey(state), inputs);
  const unknown = Object.fromEntries(Object.keys(outputs).map((name): [string, unknown] => [name, UNKNOWN]));
  const previous = step === "rotate" ? { previousApiKey: outputs.apiKey } : {};
  return { ...unknown, ...previous, account: outputs.account };
}

/** A resource of which the host knows nothing. */
const NAMELESS: KeyResource = { id: "", urn: "" };

/**
 * Two imports of one variable have the same ID. While a stack moves to the other form, one resource has both
 * types.
 */
function resourceOf(id: string, urn: string): KeyResource {
  const { type, nativeToken } = PARTNER_API_KEY;
  return { id: id.startsWith("env:") ? `${urn.replace(type, nativeToken)} ${id}` : id, urn };
}

/**
 * Checks the access token with the only request that changes nothing.
 *
 * @throws {PartnerError} if the token is rejected, or the service cannot be reached. A token that may only
 *   create keys gets a 403.
 */
async function assertTokenAccepted({ webhooks }: Session): Promise<void> {
  try {
    await webhooks.list();
  } catch (error) {
    if (!(error instanceof PartnerError && isAccepted(error))) throw error;
  }
}

/** Whether a failed request shows that the service knows the token. */
function isAccepted(error: PartnerError): boolean {
  if (!(error instanceof RequestError)) return error instanceof ResourceError;
  const { status, failure } = error;
  if (status === null)
    return ["unreadableList", "undecoded", "reportedFailure", "tooLarge"].includes(failure.cause.kind);
  return status >= 400 && status < 500 && ![401, 408, 429].includes(status);
}
