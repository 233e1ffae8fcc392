import { randomUUID } from "node:crypto";

import { PartnerError } from "../api/errors.js";
import type { KeptResponse } from "../api/kept-response.js";
import type { ResponseMapping } from "../responses/mapping.js";
import {
  PartialFailure,
  UNKNOWN,
  unknownArguments,
  type InputProblem,
  type Properties,
  type ResourceHandlers,
} from "./contract.js";
import { deleteKeys } from "./key-deletion.js";
import {
  keyStateOf,
  NO_KEY,
  outputsOf,
  presentOf,
  previousOf,
  readKept,
  withoutPrevious,
  type HeldKey,
  type KeyState,
} from "./key-state.js";
import { ResourceError } from "./problems.js";
import type { PluginProcess, Session } from "./process.js";
import {
  isUnsettled,
  performRotation,
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
      if (olds["account"] === undefined) problems.push(...settingsProblems(plugin));
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
        plugin.mapping(),
        plugin.currentTime(),
      );
      for (const notice of notices) plugin.warn(notice);
      return { changes: step !== "none", replaces: step === "replace" ? ["rotationDue"] : [] };
    },

    preview(olds, news) {
      const state = olds === null ? NO_KEY : keyStateOf(olds);
      if (isUnsettled(news)) return previewOf(state, "replace", news["account"]);
      const { step } = planRotation(state, rotationOf(news), plugin.mapping(), plugin.currentTime());
      return previewOf(state, step, news["account"]);
    },

    async create(news) {
      const session = await plugin.open();
      const id = `key-${randomUUID()}`; // Never secret, and made in advance: after the request, nothing may fail.
      const { response, createdAt, requestId } = await session.client.createApiKey();
      const trigger = rotationOf(news).trigger ?? null;
      const internal = { ...NO_KEY.internal, trigger };
      const state = { ...NO_KEY, response, createdAt, internal };
      const found = findCreatedKey(session, id, state, news["account"], requestId);
      return { id, outputs: outputsOf(found, news["account"]) };
    },

    // A key cannot be read back: what is in state is all there is, and a refresh must not lose it.
    read: (olds) => Promise.resolve({ outputs: olds }),

    async update(id, olds, news) {
      const now = plugin.currentTime();
      const state = keyStateOf(olds);
      const { step } = planRotation(state, rotationOf(news), plugin.mapping(), now);
      if (step === "none") return outputsOf(state, news["account"]);
      const session = await plugin.open();
      if (state.apiKey === null)
        return outputsOf(findCreatedKey(session, id, state, news["account"]), news["account"]);
      const next = await performRotation(step, { plugin, session, id, news, now }, state);
      return outputsOf(next, news["account"]);
    },

    async delete(olds) {
      const state = keyStateOf(olds);
      const session = await plugin.open();
      const keys = heldKeys(state, session.settings.responses);
      await deleteKeys(plugin, session, keys);
    },

    // A key is no ID: it would be shown. So the person names a variable that holds it.
    adopt(id) {
      const name = /^env:(\w+)$/.exec(id)?.[1] ?? null;
      const apiKey = name === null ? undefined : plugin.variable(name);
      if (apiKey === undefined || !/^[\x21-\x7e]{1,4096}$/.test(apiKey))
        return Promise.reject(new ResourceError({ kind: "noImportVariable", name }));
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
 * Finds the key in the response to its creation, as soon as the mapping permits.
 *
 * @param requestId That of a creation just now.
 * @throws {PartialFailure} that keeps the response, whatever goes wrong.
 */
function findCreatedKey(
  { settings }: Session,
  id: string,
  state: KeyState,
  account: unknown,
  requestId: string | null = null,
): KeyState {
  const { response, createdAt } = state;
  if (response === null || createdAt === null) {
    const reading = { kind: "refused", reason: "none", candidates: [] } as const;
    throw new ResourceError({ kind: "keyUnknown", reading });
  }
  const reading = readKept(response, settings.responses);
  if (reading.kind === "found") return { ...state, apiKey: reading.apiKey };
  const { complete } = response;
  const facts = { kind: "keyNotFound", createdAt, requestId, complete, rotates: false, reading } as const;
  throw new PartialFailure(id, outputsOf(state, account), new ResourceError(facts));
}

/** All keys of a resource, the oldest first. @throws {ResourceError} if one was never found in the response to its creation. */
function heldKeys(state: KeyState, mapping: ResponseMapping): HeldKey[] {
  const { response, internal } = state;
  const keys = [
    previousOf(state),
    internal.unread && findHeldKey(internal.unread.response, mapping),
    presentOf(state) ?? (response && findHeldKey(response, mapping)),
  ];
  return keys.filter((key) => key !== null);
}

function findHeldKey(response: KeptResponse, mapping: ResponseMapping): HeldKey {
  const reading = readKept(response, mapping);
  if (reading.kind === "found") return { apiKey: reading.apiKey, response };
  throw new ResourceError({ kind: "keyUnknown", reading });
}

function settingsProblems(plugin: PluginProcess): PartnerError[] {
  try {
    plugin.settings();
    return [];
  } catch (error) {
    if (error instanceof PartnerError) return [error];
    throw error;
  }
}
