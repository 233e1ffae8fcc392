import { randomUUID } from "node:crypto";

import type { CreatedKey } from "../api/client.js";
import { PartnerError } from "../api/errors.js";
import type { ResponseMapping } from "../responses/mapping.js";
import {
  PartialFailure,
  UNKNOWN,
  unknownArguments,
  type InputProblem,
  type Properties,
  type ResourceHandlers,
} from "./contract.js";
import { deleteKey, deleteKeys } from "./key-deletion.js";
import {
  currentKeyOf,
  keyStateOf,
  NO_KEY,
  outputsOf,
  previousKeyOf,
  readKeptResponse,
  rereadKey,
  withoutPreviousKey,
  type KeyState,
  type StoredKey,
} from "./key-state.js";
import { ResourceError } from "./problems.js";
import type { PluginProcess } from "./process.js";
import {
  isRotationUnknown,
  overlapEnd,
  planRotation,
  rotationDisplayInputs,
  rotationOf,
  rotationProblems,
  type RotationPlan,
  type RotationStep,
} from "./rotation.js";

/**
 * Creates the handlers of `PartnerApiKey`. If the key is not found in the response to its creation, the resource stays in the
 * state as "initialization failed", with the response and without an `apiKey`. Once the mapping is set, `update` finds the key.
 */
export function apiKeyHandlers(plugin: PluginProcess): ResourceHandlers {
  const plan = (state: KeyState, news: Properties): RotationPlan =>
    planRotation(state, rotationOf(news), plugin.mapping, plugin.currentTime());

  return {
    check(olds, news) {
      const { account } = plugin;
      const { rotation } = news;
      const problems: InputProblem[] = [
        ...unknownArguments("PartnerApiKey", news, ["rotation"]),
        ...rotationProblems(rotation),
      ];
      const inputs = {
        account,
        ...(rotation != null && { rotation }),
        ...(problems.length === 0 && rotationDisplayInputs(olds, news, plugin.currentTime())),
      };
      return Promise.resolve({ inputs, problems });
    },

    diff(olds, news) {
      if (olds["account"] !== news["account"]) return { changes: true, replaces: ["account"] };
      if (isRotationUnknown(news)) return { changes: true, replaces: [] };
      const { step, notices } = plan(keyStateOf(olds), news);
      for (const notice of notices) plugin.warn(notice);
      return { changes: step !== "none", replaces: step === "replace" ? ["rotationDue"] : [] };
    },

    preview(olds, news) {
      const state = olds === null ? NO_KEY : keyStateOf(olds);
      const step = isRotationUnknown(news) ? "replace" : plan(state, news).step;
      return previewOf(state, step, news["account"]);
    },

    async create(news) {
      const id = `key-${randomUUID()}`; // Not secret. Created before the request, because nothing may fail after it.
      return { id, outputs: await performStep(plugin, "rotate", id, NO_KEY, news) };
    },

    // The service never shows a key again: the state holds the only copy, and a refresh must not lose it.
    read: (olds) => Promise.resolve({ outputs: olds }),

    update(id, olds, news) {
      const state = keyStateOf(olds);
      return performStep(plugin, plan(state, news).step, id, state, news);
    },

    async delete(olds) {
      const session = await plugin.open();
      await deleteKeys(plugin, session, allKeysOf(keyStateOf(olds), session.settings.responses));
    },

    // The engine displays IDs, so the ID must not be the key itself: it names an environment variable that holds the key.
    adopt(id) {
      const name = /^env:(\w+)$/.exec(id)?.[1] ?? null;
      const apiKey = name === null ? undefined : plugin.environmentVariable(name);
      if (apiKey === undefined || !/^[\x21-\x7e]{1,4096}$/.test(apiKey)) {
        const hint = name === null ? "" : `; ${name} is not set, or holds no key`;
        const text = `"env:" and the name of an environment variable that holds the key, such as env:OLD_KEY${hint}`;
        return Promise.reject(new ResourceError({ kind: "wrongImportId", text }));
      }
      const { account } = plugin;
      const outputs = outputsOf({ ...NO_KEY, apiKey }, account);
      return Promise.resolve({ id, inputs: { account }, outputs });
    },
  };
}

/** Returns what is known about the outputs before a step is performed. */
function previewOf(state: KeyState, step: RotationStep, account: unknown): Properties {
  if (step === "none") return outputsOf(state, account);
  if (step === "expire") return outputsOf(withoutPreviousKey(state), account);
  const names = Object.keys(outputsOf(state, account));
  const unknown = Object.fromEntries(names.map((name): [string, unknown] => [name, UNKNOWN]));
  const previous = step === "rotate" ? { previousApiKey: state.apiKey } : {};
  return { ...unknown, ...previous, account };
}

/**
 * Performs a step, except for `replace`, which the engine performs. A creation is a rotation without a current key.
 *
 * @throws {PartnerError} if there is nothing to keep in the state. @throws {PartialFailure} with the outputs to keep.
 */
async function performStep(
  plugin: PluginProcess,
  step: RotationStep,
  id: string,
  before: KeyState,
  news: Properties,
): Promise<Properties> {
  const { account } = news;
  if (step === "none") return outputsOf(before, account);
  const session = await plugin.open();
  const mapping = session.settings.responses;
  let state = before;
  try {
    // The previous key is deleted first, so that there are never three keys and the creation is the last request.
    const previous = step === "expire" || step === "rotate" ? previousKeyOf(state) : null;
    if (previous) {
      await deleteKey(plugin, session, previous);
      state = withoutPreviousKey(state);
    }
    if (step === "rotate") {
      const unread = await session.client.createApiKey();
      const trigger = rotationOf(news).trigger ?? state.internal.trigger;
      state = { ...state, internal: { ...state.internal, trigger, unread } };
    }
    const { unread } = state.internal;
    if (unread) state = promoteKey(state, unread, mapping, news, plugin.currentTime());
    else if (step === "read") state = rereadKeys(state, mapping);
    return outputsOf(state, account);
  } catch (error) {
    // A resource whose key is still not found stays unfinished.
    const isUnfinished = state !== before || state.internal.unread !== null;
    if (!(error instanceof PartnerError) || !isUnfinished) throw error;
    const isDeleted = before.previousApiKey !== state.previousApiKey;
    const reason = isDeleted ? new ResourceError({ kind: "partlyDone", next: error }) : error;
    throw new PartialFailure(id, outputsOf(state, account), reason);
  }
}

/** Makes a created key the current one. @throws {ResourceError} if the key is not found in the response to its creation. */
function promoteKey(
  state: KeyState,
  unread: CreatedKey,
  mapping: ResponseMapping,
  news: Properties,
  now: number,
): KeyState {
  const { apiKey, response } = findKey(state, unread, mapping);
  const isRotation = state.apiKey !== null;
  return {
    ...state,
    apiKey,
    createdAt: unread.createdAt,
    response,
    rotatedAt: isRotation ? new Date(now).toISOString() : null,
    previousApiKey: state.apiKey,
    previousExpiresAt: isRotation ? new Date(overlapEnd(rotationOf(news), now)).toISOString() : null,
    internal: { ...state.internal, previousResponse: state.response, unread: null },
  };
}

/** Reads both keys from their stored responses again, with the current mapping. */
function rereadKeys(state: KeyState, mapping: ResponseMapping): KeyState {
  const [current, previous] = [currentKeyOf(state), previousKeyOf(state)];
  return {
    ...state,
    apiKey: current && rereadKey(current, mapping).apiKey,
    previousApiKey: previous && rereadKey(previous, mapping).apiKey,
  };
}

/** Returns all keys of a resource. @throws {ResourceError} if a created key is not found in its response. */
function allKeysOf(state: KeyState, mapping: ResponseMapping): StoredKey[] {
  const { unread } = state.internal;
  const keys = [previousKeyOf(state), unread && findKey(state, unread, mapping), currentKeyOf(state)];
  return keys.filter((key) => key !== null);
}

function findKey(state: KeyState, { response, createdAt }: CreatedKey, mapping: ResponseMapping): StoredKey {
  const reading = readKeptResponse(response, mapping);
  if (reading.kind === "found") return { apiKey: reading.apiKey, response };
  const { complete } = response;
  const rotates = state.apiKey !== null;
  throw new ResourceError({ kind: "keyNotFound", createdAt, complete, rotates, reading });
}
