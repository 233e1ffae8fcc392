import { isWebhookId, type WebhookState } from "../api/operations.js";
import { redactText } from "../api/redact.js";
import type { WebhookReading } from "../responses/webhook-list-reader.js";
import {
  isRecord,
  PartialFailure,
  UNKNOWN,
  unknownArguments,
  type InputProblem,
  type Properties,
  type ResourceHandlers,
} from "./contract.js";
import { createPreviewCheck, PREVIEW_TIMEOUT } from "./preview-check.js";
import { ResourceError } from "./problems.js";
import type { PluginProcess } from "./process.js";
import { changeStates, warnIfUnknown, type ChangeResult } from "./webhook-change.js";
import {
  fleetInputsOf,
  fleetStateOf,
  idsOf,
  isState,
  pick,
  statesOf,
  type FleetInputs,
  type FleetState,
  type StateMap,
  type StateOnDestroy,
  type WantedStates,
} from "./webhook-fleet-state.js";
import type { WebhookSnapshot } from "./webhook-registry.js";

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

      const named = isRecord(states) ? states : {};
      const webhookIds = idsOf(named);
      const covers = isState(others);
      const conflict = plugin.managed.declare([...webhookIds, ...(covers ? (["others"] as const) : [])], urn);
      if (conflict) return { inputs, problems: [conflict] };

      const known = isRecord(olds["states"]) ? olds["states"] : {};
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
        isRecord(states) && others === "leave" && Object.keys(states).every((id) => id in before.states);
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

    async delete(olds) {
      const { stateOnDestroy, initialStates } = fleetStateOf(olds);
      const ids = idsOf(finalStatesOf(plugin, stateOnDestroy, initialStates));
      if (ids.length === 0) return;
      const session = await plugin.open();
      const snapshot = await session.webhooks.lookUp(ids);
      // Computed again after the lookup: meanwhile, a resource that takes over a webhook may have been checked.
      const leaving = finalStatesOf(plugin, stateOnDestroy, initialStates);
      const release = plugin.managed.release(exceptGone(leaving, snapshot));
      const changes = changeStates(plugin, session, snapshot, release.states).finally(release.end);
      const { failure } = await changes;
      if (failure) throw failure;
    },

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

/** Brings the webhooks of a fleet into the desired states, and those that leave it into their final states. */
async function converge(
  plugin: PluginProcess,
  { states, others, stateOnDestroy, account }: FleetInputs,
  olds: FleetState | null,
): Promise<Pick<ChangeResult, "failure" | "mayHaveChanged"> & { readonly outputs: Properties }> {
  const session = await plugin.open();
  const named = idsOf(states);
  const before = olds?.initialStates ?? {};
  const covers = isState(others);
  const unnamed = covers || stateOnDestroy === "leave" ? [] : idsOf(before).filter((id) => !(id in states));
  let snapshot = await session.webhooks.lookUp([...named, ...unnamed]);
  const covered = covers ? unnamedWebhooks(snapshot, states).map(({ webhookId }) => webhookId) : [];
  if (covers) {
    plugin.managed.claim(covered);
    snapshot = await session.webhooks.lookUp(covered); // Another process may have released one before the claim.
  }
  const rest: WantedStates = covers ? Object.fromEntries(covered.map((id) => [id, others])) : {};
  // Decided after the lookup: meanwhile, a resource that takes over a webhook may have been checked.
  const leaving = finalStatesOf(plugin, stateOnDestroy, pick(before, unnamed));
  const release = plugin.managed.release(exceptGone(leaving, snapshot));
  const wanted = { ...states, ...rest, ...release.states };
  const changes = await changeStates(plugin, session, snapshot, wanted).finally(release.end);
  const { found, reached, failure, mayHaveChanged } = changes;
  // A webhook in its final state is no longer managed.
  const isReached = (id: number): boolean => reached[id] === release.states[id];
  const kept = [...covered, ...idsOf(release.states).filter((id) => !isReached(id))];
  const managed = [...named, ...kept];
  const outputs = {
    states: pick({ ...exceptGone(olds?.states ?? {}, snapshot), ...reached }, named),
    others,
    stateOnDestroy,
    account,
    otherStates: pick(reached, kept),
    // With `others`, a webhook that is missing from the list is still managed.
    initialStates: { ...pick(found, managed), ...(covers ? before : pick(before, managed)) },
  };
  return { outputs, failure, mayHaveChanged };
}

/** Returns the final states of webhooks that no resource declares through this process. Warns about those that have none. */
function finalStatesOf(
  plugin: PluginProcess,
  stateOnDestroy: StateOnDestroy,
  initialStates: StateMap,
): WantedStates {
  if (stateOnDestroy === "leave") return {};
  const ids = idsOf(initialStates).filter((id) => !plugin.managed.isDeclared(id));
  const isUnknown = (id: number): boolean => stateOnDestroy === "restore" && !initialStates[id];
  const webhookIds = ids.filter(isUnknown);
  if (webhookIds.length > 0) plugin.warn({ kind: "nothingToRestore", webhookIds });
  return finalStates(stateOnDestroy, pick(initialStates, ids));
}

/** Returns the final states of webhooks, without those whose initial states are unknown. */
function finalStates(stateOnDestroy: StateOnDestroy, initialStates: StateMap): WantedStates {
  if (stateOnDestroy === "leave") return {};
  const states = idsOf(initialStates).map((id) => [
    id,
    stateOnDestroy === "restore" ? initialStates[id] : stateOnDestroy,
  ]);
  return Object.fromEntries(states.filter(([, state]) => state)) as WantedStates;
}

/** Drops the webhooks that certainly do not exist. */
function exceptGone<State>(
  states: Readonly<Record<string, State>>,
  snapshot: WebhookSnapshot,
): Readonly<Record<string, State>> {
  const isPossible = (id: number): boolean => !snapshot.provesAbsence || snapshot.get(id) !== undefined;
  return pick(states, idsOf(states).filter(isPossible));
}

/** Returns the webhooks that the program does not name. @throws {ResourceError} if the list may not show all of them. */
function unnamedWebhooks(snapshot: WebhookSnapshot, states: Properties): readonly WebhookReading[] {
  const webhooks = snapshot.all();
  if (webhooks.length === 0 && !snapshot.provesAbsence)
    throw new ResourceError({ kind: "absenceUnproven", webhookId: null, complete: true });
  return webhooks.filter(({ webhookId }) => !(webhookId in states));
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
  if (!isRecord(states) || (!isMoved && others !== "leave")) return;
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
  if (!isRecord(wanted)) return false;
  const ids = Object.keys(wanted);
  return ids.length === Object.keys(states).length && ids.every((id) => states[id] === wanted[id]);
}

function inputsOf({ states, others, stateOnDestroy, account }: Properties): Properties {
  return { states, others, stateOnDestroy, account };
}

/** Returns a sentence for each invalid input. Names webhooks, but repeats no value, because it could be a secret. */
function inputProblems({ states, others, stateOnDestroy }: Properties): string[] {
  const problems: string[] = [];
  if (states !== UNKNOWN && !isRecord(states))
    problems.push(`states must map webhook IDs to states, such as { 101: "active" }.`);
  const entries = Object.entries(isRecord(states) ? states : {});
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
