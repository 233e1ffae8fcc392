import { randomUUID } from "node:crypto";

import type { CreatedKey } from "../api/client.js";
import { PartnerError, SettingsError } from "../api/errors.js";
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
  keyStateOf,
  NO_KEY,
  outputsOf,
  presentOf,
  previousOf,
  readKept,
  reread,
  withoutPrevious,
  type HeldKey,
  type KeyState,
} from "./key-state.js";
import { ResourceError } from "./problems.js";
import type { PluginProcess } from "./process.js";
import {
  isUnsettled,
  overlapEnd,
  planRotation,
  rotationOf,
  rotationProblems,
  rotationStamps,
  type RotationStep,
} from "./rotation.js";

/**
 * The handlers of `PartnerApiKey`. A resource whose `apiKey` is `null` holds a response in which the key was not found yet: it
 * stays in state as "initialization failed" until the mapping is set and `update` finds the key in it.
 */
export function apiKeyHandlers(plugin: PluginProcess): ResourceHandlers {
  return {
    check(olds, news) {
      const { account } = plugin;
      const { rotation } = news;
      const problems: InputProblem[] = [
        ...unknownArguments("PartnerApiKey", news, ["rotation"]),
        ...rotationProblems(rotation),
      ];
      const { settings } = plugin;
      if (olds["account"] === undefined && settings instanceof SettingsError) problems.push(settings);
      const inputs = {
        account,
        ...(rotation != null && { rotation }),
        ...(problems.length === 0 && rotationStamps(olds, news, plugin.currentTime())),
      };
      return Promise.resolve({ inputs, problems });
    },

    diff(olds, news) {
      if (olds["account"] !== news["account"]) return { changes: true, replaces: ["account"] };
      if (isUnsettled(news)) return { changes: true, replaces: [] };
      const { step, notices } = planRotation(
        keyStateOf(olds),
        rotationOf(news),
        plugin.mapping,
        plugin.currentTime(),
      );
      for (const notice of notices) plugin.warn(notice);
      return { changes: step !== "none", replaces: step === "replace" ? ["rotationDue"] : [] };
    },

    preview(olds, news) {
      const state = olds === null ? NO_KEY : keyStateOf(olds);
      if (isUnsettled(news)) return previewOf(state, "replace", news["account"]);
      const { step } = planRotation(state, rotationOf(news), plugin.mapping, plugin.currentTime());
      return previewOf(state, step, news["account"]);
    },

    async create(news) {
      const id = `key-${randomUUID()}`; // Never secret, and made in advance: after the request, nothing may fail.
      return { id, outputs: await perform(plugin, "rotate", id, NO_KEY, news) };
    },

    // A key cannot be read back: what is in state is all there is, and a refresh must not lose it.
    read: (olds) => Promise.resolve({ outputs: olds }),

    update(id, olds, news) {
      const state = keyStateOf(olds);
      const { step } = planRotation(state, rotationOf(news), plugin.mapping, plugin.currentTime());
      return perform(plugin, step, id, state, news);
    },

    async delete(olds) {
      const session = await plugin.open();
      await deleteKeys(plugin, session, heldKeys(keyStateOf(olds), session.settings.responses));
    },

    // A key is no ID: it would be shown. So the person names a variable that holds it.
    adopt(id) {
      const name = /^env:(\w+)$/.exec(id)?.[1] ?? null;
      const apiKey = name === null ? undefined : plugin.variable(name);
      if (apiKey === undefined || !/^[\x21-\x7e]{1,4096}$/.test(apiKey)) {
        const wrong = name === null ? "" : `; ${name} is not set, or holds no key`;
        const text = `"env:" and the name of an environment variable that holds the key, such as env:OLD_KEY${wrong}`;
        return Promise.reject(new ResourceError({ kind: "wrongImportId", text }));
      }
      const { account } = plugin;
      return Promise.resolve({
        id,
        inputs: { account },
        outputs: outputsOf({ ...NO_KEY, apiKey }, account),
      });
    },
  };
}

/** The outputs after a step, as far as they are known before it. */
function previewOf(state: KeyState, step: RotationStep, account: unknown): Properties {
  if (step === "none") return outputsOf(state, account);
  if (step === "expire") return outputsOf(withoutPrevious(state), account);
  const names = Object.keys(outputsOf(state, account));
  const unknown = Object.fromEntries(names.map((name): [string, unknown] => [name, UNKNOWN]));
  const previous = step === "rotate" ? { previousApiKey: state.apiKey } : {};
  return { ...unknown, ...previous, account };
}

/**
 * Does one step of a plan; `replace` is for the engine to do. A creation is a rotation that begins without a key.
 *
 * @throws {PartnerError} if nothing was done. @throws {PartialFailure} that keeps what was done.
 */
async function perform(
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
    // The older key goes first, so that there are never more than two, and no other request follows a POST.
    const previous = step === "expire" || step === "rotate" ? previousOf(state) : null;
    if (previous) {
      await deleteKey(plugin, session, previous);
      state = withoutPrevious(state);
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
    // A key that is still not found keeps the resource unfinished, as it was.
    const isUnfinished = state !== before || state.internal.unread !== null;
    if (!(error instanceof PartnerError) || !isUnfinished) throw error;
    const isDeleted = before.previousApiKey !== state.previousApiKey;
    const reason = isDeleted ? new ResourceError({ kind: "partlyDone", next: error }) : error;
    throw new PartialFailure(id, outputsOf(state, account), reason);
  }
}

/** Puts a key that was created in place of the present one. @throws {ResourceError} if it is not found in its response. */
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

/** Reads the keys again, with today's mapping. */
function rereadKeys(state: KeyState, mapping: ResponseMapping): KeyState {
  const [present, previous] = [presentOf(state), previousOf(state)];
  return {
    ...state,
    apiKey: present && reread(present, mapping).apiKey,
    previousApiKey: previous && reread(previous, mapping).apiKey,
  };
}

/** All keys of a resource. @throws {ResourceError} if one was never found in the response to its creation. */
function heldKeys(state: KeyState, mapping: ResponseMapping): HeldKey[] {
  const { unread } = state.internal;
  const keys = [previousOf(state), unread && findKey(state, unread, mapping), presentOf(state)];
  return keys.filter((key) => key !== null);
}

function findKey(state: KeyState, { response, createdAt }: CreatedKey, mapping: ResponseMapping): HeldKey {
  const reading = readKept(response, mapping);
  if (reading.kind === "found") return { apiKey: reading.apiKey, response };
  const { complete } = response;
  throw new ResourceError({
    kind: "keyNotFound",
    createdAt,
    complete,
    rotates: state.apiKey !== null,
    reading,
  });
}
