import { isDeepStrictEqual } from "node:util";

import { PartnerError, RequestError, SettingsError } from "../../api/errors.js";
import { isWebhookId, type WebhookState } from "../../api/operations.js";
import { redactText } from "../../api/redact.js";
import { isObject } from "../../json.js";
import {
  PartialFailure,
  UNKNOWN,
  unknownArguments,
  type InputProblem,
  type Properties,
  type ResourceHandlers,
} from "../contract.js";
import { ResourceError } from "../problems.js";
import type { PluginProcess, Session } from "../plugin-process.js";
import { converge, unnamedWebhooks, warnIfUnknown } from "./converge.js";
import { fleetOf, idsOf, isState, pick, statesOf, type Fleet, type StateMap } from "./fleet-model.js";
import { finalStates } from "./managed.js";

const STATES = ["active", "disabled"] as const satisfies readonly WebhookState[];

/** The valid values of a state, including the placeholder in a preview. */
export const VALID_STATES: readonly unknown[] = [...STATES, UNKNOWN];

/** Returns a sentence if `stateOnDestroy` is invalid. The value is not repeated, because it could be a secret. */
export function stateOnDestroyProblems(value: unknown): string[] {
  if (value == null || value === "leave" || value === "restore" || VALID_STATES.includes(value)) return [];
  return [`stateOnDestroy must be "leave" (the default), "restore", "active" or "disabled".`];
}

/** Creates the handlers of `PartnerWebhookStates`. Each operation reads the list once and sends all changes in parallel. */
export function webhookStatesHandlers(plugin: PluginProcess): ResourceHandlers {
  const previewCheck = createPreviewCheck(plugin);
  type Result = Pick<Awaited<ReturnType<typeof converge>>, "outputs" | "failure" | "mayHaveChanged">;
  /**
   * The results of failed calls, by URN. If the engine repeats such a call, as a retry hook asks, it passes the old outputs, keeps
   * only the last result, and the list shows what the first call changed.
   */
  const failedBefore = new Map<string, Result>();

  const convergeRepeatably = async (news: Fleet, olds: Fleet, urn = ""): Promise<Result> => {
    const earlier = failedBefore.get(urn);
    const found = earlier?.outputs.initialStates ?? {};
    const original = isState(news.others) ? found : pick(found, idsOf(news.states));
    const initialStates = { ...original, ...olds.initialStates };
    const result: Result = await converge(plugin, news, { ...olds, initialStates }).catch(
      (error: unknown) => {
        if (!(error instanceof PartnerError) || earlier?.mayHaveChanged !== true) throw error;
        return { ...earlier, failure: error };
      },
    );
    const mayHaveChanged = result.mayHaveChanged || earlier?.mayHaveChanged === true;
    if (result.failure === null) failedBefore.delete(urn);
    else if (urn !== "") failedBefore.set(urn, { ...result, mayHaveChanged });
    return { ...result, mayHaveChanged };
  };

  return {
    async check(olds, news, urn) {
      const inputs = {
        states: news["states"],
        others: news["others"] ?? "leave",
        stateOnDestroy: news["stateOnDestroy"] ?? "leave",
        account: plugin.account,
      };
      const problems: InputProblem[] = [
        ...unknownArguments("PartnerWebhookStates", news, ["states", "others", "stateOnDestroy"]),
        ...inputProblems(inputs),
      ];
      if (problems.length > 0) return { inputs, problems };

      const { others } = inputs;
      const named = isObject(inputs.states) ? inputs.states : {};
      const ids = idsOf(named);
      const conflict = plugin.managed.declare(isState(others) ? [...ids, "others"] : ids, urn);
      if (conflict) return { inputs, problems: [conflict] };

      const known = isObject(olds["states"]) ? olds["states"] : {};
      const isKnown = ids.every((id) => id in known);
      if (isKnown && (!isState(others) || others === olds["others"])) return { inputs, problems };
      const found = await previewCheck(async ({ webhooks }) => {
        const snapshot = await webhooks.lookUp(ids);
        const missing = ids.filter((id) => !snapshot.get(id));
        if (missing.length > 0) throw snapshot.absenceError(missing);
        if (isState(others)) warnAboutOthers(plugin, others, statesOf(unnamedWebhooks(snapshot, named)));
      });
      return { inputs, problems: found };
    },

    diff(olds, news) {
      const fleet = fleetOf(olds);
      const { states, otherStates, initialStates } = fleet;
      const { others } = news;
      if (isState(others)) {
        plugin.managed.declare(idsOf(otherStates));
        warnAboutOthers(plugin, others, otherStates);
      }
      warnAboutLeaving(plugin, fleet, news);
      const changes =
        !isDeepStrictEqual(inputsOf({ ...fleet }), inputsOf(news)) ||
        Object.values(otherStates).some((state) => state !== others) ||
        (others === "leave" && Object.keys(initialStates).some((id) => !(id in states))) ||
        // Then the states in the outputs are outdated.
        plugin.managed.hasReleased({ ...otherStates, ...states });
      return { changes, replaces: fleet.account === news["account"] ? [] : ["account"] };
    },

    // Only the update finds out which other webhooks there are.
    preview: (_olds, news) => ({ ...inputsOf(news), otherStates: UNKNOWN, initialStates: UNKNOWN }),

    async create(news, urn) {
      const inputs = fleetOf(news);
      const { outputs, failure, mayHaveChanged } = await convergeRepeatably(inputs, fleetOf({}), urn);
      const id = inputs.account;
      if (failure === null) return { id, outputs };
      // After a change, the original states must be kept in the state for "restore".
      throw mayHaveChanged ? new PartialFailure(id, outputs, failure) : failure;
    },

    async read(olds) {
      const { others, states, otherStates, initialStates } = fleetOf(olds);
      const { webhooks } = await plugin.open();
      const ids = idsOf(initialStates);
      const snapshot = await webhooks.lookUp(ids);
      const missing = ids.filter((id) => !snapshot.get(id));
      if (missing.length > 0 && !snapshot.provesAbsence) throw snapshot.absenceError(missing);
      const listed = isState(others) ? snapshot.all() : ids.flatMap((id) => snapshot.get(id) ?? []);
      warnIfUnknown(plugin, listed);
      const known = { ...otherStates, ...states };
      const observed = statesOf(listed, known);
      const named = pick(observed, idsOf(states));
      const unnamed = pick(
        observed,
        idsOf(observed).filter((id) => !(id in states)),
      );
      const dropped = idsOf(known).filter((id) => !(id in observed));
      if (dropped.length > 0) plugin.warn({ kind: "webhooksGone", webhookIds: dropped });
      for (const state of STATES) {
        const webhookIds = idsOf(named).filter(
          (id) => named[id] === state && isState(states[id]) && states[id] !== state,
        );
        if (webhookIds.length > 0) plugin.warn({ kind: "drifted", state, webhookIds });
      }
      if (isState(others)) warnAboutOthers(plugin, others, unnamed);
      const outputs = {
        ...olds,
        states: named,
        otherStates: unnamed,
        // Also of missing webhooks: the list may be wrong this once, and nothing else knows their original states.
        initialStates: { ...statesOf(listed), ...initialStates },
      };
      return { outputs, inputs: inputsOf(outputs) };
    },

    async update(id, olds, news, urn) {
      const { outputs, failure } = await convergeRepeatably(fleetOf(news), fleetOf(olds), urn);
      if (failure) throw new PartialFailure(id, outputs, failure);
      return outputs;
    },

    async delete(olds) {
      const fleet = fleetOf(olds);
      if (fleet.stateOnDestroy === "leave" || idsOf(fleet.initialStates).length === 0) return;
      const { failure } = await converge(plugin, { ...fleet, states: {}, others: "leave" }, fleet);
      if (failure) throw failure;
    },

    async adopt(id) {
      const { account } = plugin;
      if (id !== account)
        throw new ResourceError({ kind: "wrongImportId", text: `its account: ${JSON.stringify(account)}` });
      const { webhooks } = await plugin.open();
      const all = (await webhooks.lookUp([])).all();
      warnIfUnknown(plugin, all);
      const states = statesOf(all.filter(({ state }) => state !== null));
      const inputs = { states, others: "leave", stateOnDestroy: "leave", account };
      return { id, inputs, outputs: { ...inputs, otherStates: {}, initialStates: states } };
    },
  };
}

/** Warns about the webhooks that `others` changes. The diff does not list them. */
function warnAboutOthers(plugin: PluginProcess, state: WebhookState, otherStates: StateMap): void {
  const webhookIds = idsOf(otherStates).filter((webhookId) => otherStates[webhookId] !== state);
  if (webhookIds.length > 0) plugin.warn({ kind: "othersDiffer", state, webhookIds });
}

/** Warns about the webhooks that leave the fleet: those that change, and those that a move to another account leaves behind. */
function warnAboutLeaving(plugin: PluginProcess, fleet: Fleet, news: Properties): void {
  const { states, others } = news;
  const { account } = fleet;
  const moves = account !== news["account"]; // The process of the old account deletes the fleet, with its old stateOnDestroy.
  if (!moves && (!isObject(states) || others !== "leave")) return;
  const observed = { ...fleet.otherStates, ...fleet.states };
  const isKept = (id: number): boolean => (isObject(states) && id in states) || plugin.managed.isDeclared(id);
  const leaving = idsOf(observed).filter((id) => moves || !isKept(id));
  const { stateOnDestroy } = moves ? fleet : fleetOf(news);
  const final = finalStates(stateOnDestroy, pick(fleet.initialStates, leaving));
  for (const state of STATES) {
    const webhookIds = idsOf(final).filter((id) => final[id] === state && observed[id] !== state);
    if (webhookIds.length > 0) plugin.warn({ kind: "leaving", state, webhookIds, account });
  }
  const left = leaving.filter((id) => moves && !(id in final));
  if (left.length > 0) plugin.warn({ kind: "leftBehind", webhookIds: left, account });
}

function inputsOf({ states, others, stateOnDestroy, account }: Properties): Properties {
  return { states, others, stateOnDestroy, account };
}

/** Returns a sentence for each invalid input, ten at most. Names webhooks, but repeats no value, because it could be a secret. */
function inputProblems({ states, others, stateOnDestroy }: Properties): string[] {
  const problems: string[] = [];
  if (states !== UNKNOWN && !isObject(states))
    problems.push(`states must map webhook IDs to states, such as { 101: "active" }.`);
  for (const [id, state] of Object.entries(isObject(states) ? states : {})) {
    const name = redactText(JSON.stringify(id), []) ?? "";
    if (!isWebhookId(id))
      problems.push(
        `states has the key ${name}, which is not a webhook ID. Write a whole number such as 101.`,
      );
    else if (!VALID_STATES.includes(state))
      problems.push(`In states, the state of ${id} must be "active" or "disabled".`);
  }
  if (others !== "leave" && !VALID_STATES.includes(others))
    problems.push(`others must be "leave" (the default), "active" or "disabled".`);
  return [...problems.slice(0, 10), ...stateOnDestroyProblems(stateOnDestroy)];
}

/** Milliseconds that a preview waits for the service before it continues without the check. */
const PREVIEW_TIMEOUT = 10_000;

/**
 * Creates a function that runs a check against the service in a preview. It returns the problems that would fail the update as
 * well. An unreachable service does not fail a preview, and after a failure there are no more checks, so that only one resource
 * waits for it.
 */
function createPreviewCheck(plugin: PluginProcess) {
  let failed: readonly PartnerError[] | null = null;
  return async (check: (session: Session) => Promise<void>): Promise<readonly PartnerError[]> => {
    if (failed) return failed;
    let error: PartnerError | null = null;
    try {
      const checked = check(await plugin.open()).then(() => true);
      const timeout = new Promise((resolve) => setTimeout(resolve, PREVIEW_TIMEOUT, false).unref());
      // After the timeout, the update waits for the same list.
      if (await Promise.race([checked, timeout])) return [];
    } catch (thrown) {
      if (!(thrown instanceof PartnerError)) throw thrown;
      if (thrown instanceof ResourceError) return [thrown]; // It concerns only this resource.
      error = thrown;
    }
    failed = error && updateWouldFail(error) ? [error] : [];
    if (failed.length === 0) plugin.warn({ kind: "notChecked", error });
    return failed;
  };
}

/** Whether the update would fail for the same reason. By then, a rate limit or a server error may be over. */
function updateWouldFail(error: PartnerError): boolean {
  if (error instanceof SettingsError) return true; // Such as an invalid proxy, which is found when the client is created.
  if (!(error instanceof RequestError)) return false;
  const { status } = error;
  if (status !== null) return status !== 429 && status !== 408 && status < 500;
  return error.code === "PARTNERS_UNREADABLE";
}
