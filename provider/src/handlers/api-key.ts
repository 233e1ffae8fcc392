import { randomUUID } from "node:crypto";

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
  type CreatedKey,
  type KeyState,
  type StoredKey,
} from "./key-state.js";
import { ResourceError } from "./problems.js";
import type { PluginProcess, Session } from "./process.js";
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
      const created = await createKey({ plugin, session: await plugin.open(), id, news }, NO_KEY);
      return { id, outputs: outputsOf(created, news["account"]) };
    },

    // The service never shows a key again: the state holds the only copy, and a refresh must not lose it.
    read: (olds) => Promise.resolve({ outputs: olds }),

    async update(id, olds, news) {
      const state = keyStateOf(olds);
      const perform = STEPS[plan(state, news).step];
      const next = perform ? await perform({ plugin, session: await plugin.open(), id, news }, state) : state;
      return outputsOf(next, news["account"]);
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

/** A change to the keys of one resource, in one run. */
interface KeyChange {
  readonly plugin: PluginProcess;
  readonly session: Session;
  /** The ID of the resource. */
  readonly id: string;
  /** The checked inputs. */
  readonly news: Properties;
}

type Perform = (change: KeyChange, state: KeyState) => KeyState | Promise<KeyState>;

/** Performs a step of a plan, and returns the new state. The engine itself performs a replacement. */
const STEPS: Readonly<Record<RotationStep, Perform | null>> = {
  none: null,
  replace: null,
  read: readKeys,
  rotate: rotateKey,
  expire: expirePrevious,
};

/** Creates a key and makes it the current one. If the creation fails, the state does not change; the response is always kept. */
async function createKey(change: KeyChange, state: KeyState): Promise<KeyState> {
  const unread = await change.session.client.createApiKey();
  const trigger = rotationOf(change.news).trigger ?? state.internal.trigger;
  return promoteKey(change, { ...state, internal: { ...state.internal, trigger, unread } }, unread);
}

/**
 * Rotates a key in place. The previous key is deleted first, so that there are never three keys and the creation is the last
 * request. If the creation fails, the current key stays, without the previous one.
 */
async function rotateKey(change: KeyChange, state: KeyState): Promise<KeyState> {
  if (state.previousApiKey === null) return createKey(change, state);
  const remaining = await expirePrevious(change, state);
  return createKey(change, remaining).catch((error: unknown) => {
    if (!(error instanceof PartnerError)) throw error; // If the key is not found, the failure already keeps what remains.
    const reason = new ResourceError({ kind: "partlyDone", next: error });
    throw new PartialFailure(change.id, outputsOf(remaining, change.news["account"]), reason);
  });
}

/** Deletes the previous key. If that fails, the state does not change. */
async function expirePrevious({ plugin, session }: KeyChange, state: KeyState): Promise<KeyState> {
  const previous = previousKeyOf(state);
  if (previous) await deleteKey(plugin, session, previous);
  return withoutPreviousKey(state);
}

/** Reads the keys from their stored responses again. If a new key is still not found, the state does not change. */
function readKeys(change: KeyChange, state: KeyState): KeyState {
  const { unread } = state.internal;
  return unread ? promoteKey(change, state, unread) : rereadKeys(state, change.session.settings.responses);
}

/**
 * Makes a created key the current one.
 *
 * @throws {PartialFailure} if the key is not found in the response to its creation. Both the response and the current key stay.
 */
function promoteKey({ plugin, session, id, news }: KeyChange, state: KeyState, unread: CreatedKey): KeyState {
  const found = findKey(state, unread, session.settings.responses);
  if (found instanceof ResourceError) throw new PartialFailure(id, outputsOf(state, news["account"]), found);
  const now = plugin.currentTime();
  const isRotation = state.apiKey !== null;
  return {
    ...state,
    ...found,
    createdAt: unread.createdAt,
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
  const created = unread && findKey(state, unread, mapping);
  if (created instanceof ResourceError) throw created;
  return [previousKeyOf(state), created, currentKeyOf(state)].filter((key) => key !== null);
}

/** Finds a created key in its response, or says why it cannot. */
function findKey(
  state: KeyState,
  { response, createdAt }: CreatedKey,
  mapping: ResponseMapping,
): StoredKey | ResourceError {
  const reading = readKeptResponse(response, mapping);
  if (reading.kind === "found") return { apiKey: reading.apiKey, response };
  const { complete } = response;
  const rotates = state.apiKey !== null;
  return new ResourceError({ kind: "keyNotFound", createdAt, complete, rotates, reading });
}
