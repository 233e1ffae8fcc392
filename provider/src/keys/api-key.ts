import { randomUUID } from "node:crypto";

import { PartnerError, RequestError } from "../api/errors.js";
import { isVisibleAscii } from "../api/operations.js";
import { redactText } from "../api/redact.js";
import { PARTNER_API_KEY } from "../registration.js";
import {
  isPlaceholder,
  UNKNOWN,
  unknownArguments,
  type Properties,
  type ResourceName,
} from "../shared/properties.js";
import type { Session, PluginProcess } from "../shared/plugin-process.js";
import { PreviewCheck } from "../shared/preview-check.js";
import { ResourceError } from "../shared/problems.js";
import type { Applied, Resource } from "../shared/resource.js";
import { isDeleted, withoutGoneKeys } from "./key-deletion.js";
import { heldKeys, type KeyResource } from "./key-holders.js";
import { keyInputsOf, rotationProblems, type KeyInputs } from "./key-inputs.js";
import { keyStateOf, NO_KEY, outputsOf, withoutPreviousKey, type KeyState } from "./key-state.js";
import { deleteKeys, performStep } from "./key-changes.js";
import { createKey, mayHaveCreatedKey } from "./key-creation.js";
import {
  needsNewKey,
  planRotation,
  rotationDisplayInputs,
  rotationDueAt,
  type RotationStep,
} from "./rotation-plan.js";
import { nameOfKey, type StoredKey } from "./stored-key.js";

/**
 * Creates the resource `PartnerApiKey`. If the key is not found in the response to its creation, the resource
 * stays in the state as "initialization failed", with the response and without an `apiKey`. Once the mapping
 * is set, an update finds the key. If the response is lost, the resource stays as well, with the time.
 */
export function apiKeyResource(plugin: PluginProcess): Resource<KeyInputs, KeyState> {
  const tokenCheck = new PreviewCheck(plugin);
  /** The resources that the run replaces, and the keys that they show, by URN. */
  const replaced = new Map<string, { readonly resource: KeyResource; readonly key: StoredKey | null }>();
  const planOf = (state: KeyState, { rotation }: KeyInputs) =>
    planRotation(state, rotation, plugin.readSettings(), plugin.currentTime());
  /** Warns if another resource has the key as well: it was created before this run knew of both. */
  const warnIfShared = (resource: KeyResource, key: StoredKey | null): void => {
    const holder = key && plugin.keyHolders.otherHolder(resource, [key.apiKey]);
    if (key && holder?.isShown === false && holder.urn !== resource.urn)
      plugin.warn({ kind: "keyShared", name: nameOfKey(key), urn: holder.urn });
  };
  /**
   * Records which keys a resource has. @param moves Whether it leaves another account. @returns What is known
   * of them.
   */
  const recordHeld = (olds: KeyState, resource: KeyResource, moves: boolean): KeyState => {
    const state = withoutGoneKeys(plugin, olds);
    // The process of the other account deletes it, and may not know the URN in the ID of an import.
    if (resource.id === "" || (moves && resource.id.includes(" env:"))) return state;
    const held = heldKeys(state, plugin.readSettings());
    // In another account, another key can have the same ID.
    const values = held.map((key) => ({ ...key, names: key.names.slice(0, 1) }));
    plugin.keyHolders.record(resource, moves ? values : held);
    warnIfShared(resource, state.current);
    return state;
  };
  /** Names a resource to delete. If the host does not know its URN, that of a replaced resource may be it. */
  const leavingResource = ({ id, urn }: ResourceName): KeyResource => {
    const known = replaced.values().find(({ resource }) => resource.id === resourceOf(id, resource.urn).id);
    return (urn === "" ? known?.resource : undefined) ?? resourceOf(id, urn);
  };
  const create = async (inputs: KeyInputs, resource: KeyResource): Promise<Applied<KeyState>> => {
    const known = replaced.get(resource.urn)?.key ?? null;
    // With `deleteBeforeReplace`, the old key is gone.
    const isDone = known !== null && isDeleted(plugin, known);
    const withDeletion = <Failure>(failure: Failure): Failure | ResourceError =>
      isDone && failure instanceof RequestError
        ? new ResourceError({ kind: "partlyDone", deleted: "replaced", next: failure })
        : failure;
    try {
      const state = { ...NO_KEY, replaced: isDone ? null : known };
      const created = await createKey({ plugin, resource, inputs }, state);
      return { ...created, failure: withDeletion(created.failure) };
    } catch (error) {
      plugin.keyHolders.record(resource, []); // A resource that does not come into being has no keys.
      throw withDeletion(error);
    }
  };

  return {
    canDrift: false,

    readArguments(args, olds) {
      const { rotation } = args;
      const unknown = unknownArguments("PartnerApiKey", args, PARTNER_API_KEY.inputs);
      const problems = [...unknown, ...rotationProblems(rotation)];
      const display =
        problems.length > 0 ? {} : rotationDisplayInputs(olds, keyInputsOf(args), plugin.currentTime());
      return { inputs: { ...(rotation != null && { rotation }), ...display }, problems };
    },

    inputsOf: keyInputsOf,
    stateOf: keyStateOf,
    outputsOf,

    check: async (news, olds) =>
      needsNewKey(olds, news, plugin.currentTime()) ? tokenCheck.run(assertTokenAccepted) : [],

    plan(olds, news, { name, moves }) {
      const resource = resourceOf(name.id, name.urn);
      const state = recordHeld(olds, resource, moves);
      const { step, notices } = planOf(state, news);
      const isReplaced = moves || (step === "replace" && !news.isRotationUnknown);
      if (isReplaced) replaced.set(name.urn, { resource, key: state.current ?? state.replaced });
      if (moves || news.isRotationUnknown) return { changes: true, replaces: [], notices: [] };
      if (isReplaced) return { changes: true, replaces: ["rotationDue"], notices };
      const isSame =
        rotationDueAt(state, news.rotation) === olds.rotationDueAt &&
        state.lostCreationAt === olds.lostCreationAt;
      return { changes: step !== "none" || !isSame, replaces: [], notices };
    },

    preview(olds, news) {
      const inputs = keyInputsOf(news);
      const state = olds === null ? NO_KEY : withoutGoneKeys(plugin, olds);
      const step = inputs.isRotationUnknown ? "replace" : planOf(state, inputs).step;
      return previewOf({ ...state, rotationDueAt: rotationDueAt(state, inputs.rotation) }, step);
    },

    newId: () => `key-${randomUUID()}`,

    async apply(olds, news, name) {
      const resource = resourceOf(name.id, name.urn);
      const state = olds && recordHeld(olds, resource, false);
      const { state: next, failure } = await (state === null
        ? create(news, resource)
        : performStep(planOf(state, news).step, { plugin, resource, inputs: news }, state));
      plugin.keyHolders.record(resource, heldKeys(next, plugin.readSettings()));
      return { state: { ...next, rotationDueAt: rotationDueAt(next, news.rotation) }, failure };
    },

    isFinal: mayHaveCreatedKey,

    // The service never shows a key again: the state holds the only copy, and a refresh must not lose it.
    read: (olds) => Promise.resolve({ state: withoutGoneKeys(plugin, olds), inputs: null }),

    remove: (olds, name) => deleteKeys(plugin, leavingResource(name), withoutGoneKeys(plugin, olds)),

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
      const current = { apiKey, response: null, createdAt: null, token: null, foundBy: null };
      return Promise.resolve({ state: { ...NO_KEY, current }, inputs: null });
    },
  };
}

/** Returns what is known about the outputs before a step is performed. */
function previewOf(state: KeyState, step: RotationStep): Properties {
  const outputs = outputsOf(state);
  const isKnown = step === "none" || (step === "blocked" && state.current !== null);
  if (isKnown) return outputs;
  if (step === "expire") return outputsOf(withoutPreviousKey(state));
  const unknown = Object.fromEntries(Object.keys(outputs).map((name): [string, unknown] => [name, UNKNOWN]));
  return { ...unknown, ...(step === "rotate" && { previousApiKey: outputs.apiKey }) };
}

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
    await webhooks.reach();
  } catch (error) {
    if (!(error instanceof PartnerError && isAccepted(error))) throw error;
  }
}

/** Whether a failed request shows that the service knows the token. */
export function isAccepted(error: PartnerError): boolean {
  if (!(error instanceof RequestError)) return error instanceof ResourceError;
  const { status, failure } = error;
  if (status === null)
    return ["unreadableList", "undecoded", "reportedFailure", "tooLarge"].includes(failure.cause.kind);
  return status >= 400 && status < 500 && ![401, 408, 429].includes(status);
}
