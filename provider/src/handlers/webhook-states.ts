import { PartnerError, RequestError, SettingsError } from "../api/errors.js";
import { isWebhookId, type WebhookState } from "../api/operations.js";
import { redactText } from "../api/redact.js";
import { isObject } from "../json.js";
import {
  PartialFailure,
  UNKNOWN,
  unknownArguments,
  type InputProblem,
  type Properties,
  type ResourceHandlers,
} from "./contract.js";
import { ResourceError } from "./problems.js";
import type { PluginProcess, Session } from "./process.js";
import { converge, letGo, unnamedWebhooks, warnIfUnknown } from "./webhook-change.js";
import {
  fleetInputsOf,
  fleetStateOf,
  idsOf,
  isState,
  pick,
  statesOf,
  type FleetState,
  type StateMap,
} from "./webhook-fleet-state.js";
import { finalStates } from "./webhook-release.js";

/** The valid values of a state, including the placeholder in a preview. */
export const VALID_STATES: readonly unknown[] = ["active", "disabled", UNKNOWN];

/** Returns a sentence if `stateOnDestroy` is invalid. The value is not repeated, because it could be a secret. */
export function stateOnDestroyProblems(value: unknown): string[] {
  if (value == null || value === "leave" || value === "restore" || VALID_STATES.includes(value)) return [];
  return [`stateOnDestroy must be "leave" (the default), "restore", "active" or "disabled".`];
}

/** Creates the handlers of `PartnerWebhookStates`. Each operation reads the list once and sends all changes in parallel. */
export function webhookStatesHandlers(plugin: PluginProcess): ResourceHandlers {
  const previewCheck = createPreviewCheck(plugin);

  return {
    async check(olds, news, urn) {
      const { states, others, stateOnDestroy } = news;
      const inputs = {
        states,
        others: others ?? "leave",
        stateOnDestroy: stateOnDestroy ?? "leave",
        account: plugin.account,
      };
      const problems: InputProblem[] = [
        ...unknownArguments("PartnerWebhookStates", news, ["states", "others", "stateOnDestroy"]),
        ...inputProblems(inputs),
      ];
      if (problems.length > 0) return { inputs, problems };

      const named = isObject(states) ? states : {};
      const webhookIds = idsOf(named);
      const covers = isState(others);
      const conflict = plugin.managed.declare([...webhookIds, ...(covers ? (["others"] as const) : [])], urn);
      if (conflict) return { inputs, problems: [conflict] };

      const known = isObject(olds["states"]) ? olds["states"] : {};
      const isNew = webhookIds.some((webhookId) => !(webhookId in known));
      const startsToCover = covers && others !== olds["others"];
      if (!isNew && !startsToCover) return { inputs, problems };
      const found = await previewCheck(async ({ webhooks }) => {
        const snapshot = await webhooks.lookUp(webhookIds, PREVIEW_TIMEOUT);
        const missing = webhookIds.filter((webhookId) => !snapshot.get(webhookId));
        if (missing.length > 0) throw snapshot.absenceError(missing);
        if (covers) warnAboutOthers(plugin, others, statesOf(unnamedWebhooks(snapshot, named)));
      });
      return { inputs, problems: found };
    },

    diff(olds, news) {
      const fleet = fleetStateOf(olds);
      const { states, otherStates, initialStates } = fleet;
      const { others } = news;
      if (isState(others)) {
        plugin.managed.claim(idsOf(otherStates));
        warnAboutOthers(plugin, others, otherStates);
      }
      warnAboutLeaving(plugin, fleet, news);
      // The state in the outputs is outdated if another resource of this run has released the webhook.
      const isReleasedOtherwise = (observed: StateMap): boolean =>
        idsOf(observed).some((id) => plugin.managed.isReleasedOtherwise(id, observed[id]));
      const changes =
        (["others", "stateOnDestroy", "account"] as const).some((name) => fleet[name] !== news[name]) ||
        !hasSameStates(states, news["states"]) ||
        Object.values(otherStates).some((state) => state !== others) ||
        (others === "leave" && Object.keys(initialStates).some((id) => !(id in states))) ||
        isReleasedOtherwise(states) ||
        isReleasedOtherwise(otherStates);
      return { changes, replaces: fleet.account === news["account"] ? [] : ["account"] };
    },

    preview(olds, news) {
      const { states, others } = news;
      const before = fleetStateOf(olds ?? {});
      // Only the update finds out the states of webhooks that are new to the fleet.
      const isKnown =
        isObject(states) && others === "leave" && Object.keys(states).every((id) => id in before.states);
      return {
        ...inputsOf(news),
        otherStates: isKnown ? {} : UNKNOWN,
        initialStates: isKnown ? pick(before.initialStates, idsOf(states)) : UNKNOWN,
      };
    },

    async create(news) {
      const inputs = fleetInputsOf(news);
      const { outputs, failure, mayHaveChanged } = await converge(plugin, inputs, null);
      const id = inputs.account;
      if (failure === null) return { id, outputs };
      // After a change, the original states must be kept in the state for "restore".
      throw mayHaveChanged ? new PartialFailure(id, outputs, failure) : failure;
    },

    async read(olds) {
      const { others, ...before } = fleetStateOf(olds);
      const session = await plugin.open();
      const ids = idsOf(before.initialStates);
      const snapshot = await session.webhooks.lookUp(ids);
      const missing = ids.filter((id) => !snapshot.get(id));
      if (missing.length > 0 && !snapshot.provesAbsence) throw snapshot.absenceError(missing);
      const webhooks = isState(others) ? snapshot.all() : ids.flatMap((id) => snapshot.get(id) ?? []);
      warnIfUnknown(plugin, webhooks);
      const observed = { ...before.otherStates, ...before.states };
      const now = statesOf(webhooks, observed);
      const dropped = idsOf(observed).filter((id) => !(id in now));
      if (dropped.length > 0) plugin.warn({ kind: "webhooksGone", webhookIds: dropped });
      const isDrift = (id: number): boolean => before.states[id] != null && now[id] !== before.states[id];
      if (idsOf(pick(now, idsOf(before.states))).some(isDrift)) plugin.warn({ kind: "drifted" });
      const unnamed = idsOf(now).filter((id) => !(id in before.states));
      const outputs = {
        ...olds,
        states: pick(now, idsOf(before.states)),
        otherStates: pick(now, unnamed),
        // Also of missing webhooks: the list may be wrong this once, and nothing else knows their original states.
        initialStates: { ...statesOf(webhooks), ...before.initialStates },
      };
      if (isState(others)) warnAboutOthers(plugin, others, outputs.otherStates);
      return { outputs, inputs: inputsOf(outputs) };
    },

    async update(id, olds, news) {
      const { outputs, failure } = await converge(plugin, fleetInputsOf(news), fleetStateOf(olds));
      if (failure) throw new PartialFailure(id, outputs, failure);
      return outputs;
    },

    delete: (olds) => letGo(plugin, fleetStateOf(olds)),

    async adopt(id) {
      const { account } = plugin;
      if (id !== account)
        throw new ResourceError({ kind: "wrongImportId", text: `its account: ${JSON.stringify(account)}` });
      const session = await plugin.open();
      const webhooks = (await session.webhooks.lookUp([])).all();
      warnIfUnknown(plugin, webhooks);
      const states = statesOf(webhooks.filter(({ state }) => state !== null));
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

/** Warns about the webhooks that the update changes because they leave the fleet. The diff shows only that they leave. */
function warnAboutLeaving(plugin: PluginProcess, fleet: FleetState, news: Properties): void {
  const { states, others, account } = news;
  const isMoved = fleet.account !== account;
  if (!isObject(states) || (!isMoved && others !== "leave")) return;
  const { stateOnDestroy } = isMoved ? fleet : fleetInputsOf(news);
  const observed = { ...fleet.otherStates, ...fleet.states };
  const isLeaving = (id: number): boolean => isMoved || !(id in states || plugin.managed.isDeclared(id));
  const final = finalStates(stateOnDestroy, pick(fleet.initialStates, idsOf(observed).filter(isLeaving)));
  for (const state of ["active", "disabled"] as const) {
    const webhookIds = idsOf(final).filter((id) => final[id] === state && observed[id] !== state);
    if (webhookIds.length > 0) plugin.warn({ kind: "leaving", state, webhookIds, account: fleet.account });
  }
}

function hasSameStates(states: StateMap, wanted: unknown): boolean {
  if (!isObject(wanted)) return false;
  const ids = Object.keys(wanted);
  return ids.length === Object.keys(states).length && ids.every((id) => states[id] === wanted[id]);
}

function inputsOf({ states, others, stateOnDestroy, account }: Properties): Properties {
  return { states, others, stateOnDestroy, account };
}

/** Returns a sentence for each invalid input. Names webhooks, but repeats no value, because it could be a secret. */
function inputProblems({ states, others, stateOnDestroy }: Properties): string[] {
  const problems: string[] = [];
  if (states !== UNKNOWN && !isObject(states))
    problems.push(`states must map webhook IDs to states, such as { 101: "active" }.`);
  const entries = Object.entries(isObject(states) ? states : {});
  const invalid = entries.filter(([id]) => !isWebhookId(id)).map(([id]) => JSON.stringify(id));
  if (invalid.length > 0)
    problems.push(
      `states has keys that are not webhook IDs: ${listed(invalid)}. Write an ID as a positive whole number, such as 101, without spaces.`,
    );
  const wrong = entries.filter(([id, state]) => isWebhookId(id) && !VALID_STATES.includes(state));
  if (wrong.length > 0)
    problems.push(
      `In states, every value must be "active" or "disabled". Correct ${listed(wrong.map(([id]) => id))}.`,
    );
  if (others !== "leave" && !VALID_STATES.includes(others))
    problems.push(`others must be "leave" (the default), "active" or "disabled".`);
  return [...problems, ...stateOnDestroyProblems(stateOnDestroy)];
}

/** Lists at most ten names. A name is redacted, because it may be a secret. */
function listed(names: readonly string[]): string {
  const more = names.length > 10 ? ` and ${names.length - 10} more` : "";
  return (
    names
      .slice(0, 10)
      .map((name) => redactText(name, []) ?? "")
      .join(", ") + more
  );
}

/** Milliseconds that a preview waits for the server before it continues without the check. */
const PREVIEW_TIMEOUT = 10_000;
/** Milliseconds after a failed check during which no other check sends a request. */
const FAILURE_CACHE_TIME = 30_000;

/**
 * Creates a function that runs a check against the service in a preview. It returns the problems that would fail the update as
 * well. An unreachable server does not fail a preview. A failure is cached, so that only one resource waits for it.
 */
function createPreviewCheck(
  plugin: PluginProcess,
): (check: (session: Session) => Promise<unknown>) => Promise<readonly PartnerError[]> {
  let recentFailure: { readonly at: number; readonly problems: readonly PartnerError[] } | null = null;
  return async (check) => {
    const now = plugin.currentTime();
    if (recentFailure && now - recentFailure.at < FAILURE_CACHE_TIME) return recentFailure.problems;
    try {
      await check(await plugin.open());
      return [];
    } catch (error) {
      if (!(error instanceof PartnerError)) throw error;
      if (error instanceof ResourceError) return [error]; // It concerns only this resource.
      const fails = updateWouldFail(error);
      if (!fails) plugin.warn({ kind: "notChecked", error });
      recentFailure = { at: plugin.currentTime(), problems: fails ? [error] : [] };
      return recentFailure.problems;
    }
  };
}

/** Whether the update would fail for the same reason. By then, a rate limit or a server error may be over. */
function updateWouldFail(error: PartnerError): boolean {
  if (error instanceof SettingsError) return true;
  if (!(error instanceof RequestError)) return false;
  const { status } = error;
  if (status !== null) return status !== 429 && status !== 408 && status < 500;
  return error.code === "PARTNERS_UNREADABLE";
}
