import { isState, STATES } from "../api/operations.js";
import type { WebhookReading } from "../responses/webhook-list-reader.js";
import type { PluginProcess } from "../shared/plugin-process.js";
import type { PreviewCheck } from "../shared/preview-check.js";
import { ResourceError } from "../shared/problems.js";
import type { Properties } from "../shared/properties.js";
import type { Found, Resource } from "../shared/resource.js";
import { converge, warnIfUnknown } from "./converge.js";
import {
  fleetInputs,
  fleetStateOf,
  idsOf,
  pick,
  statesOf,
  unknownStates,
  type FleetState,
  type PlannedInputs,
  type StateMap,
} from "./fleet-model.js";
import { checkFleet, othersNotices, planFleet } from "./fleet-plan.js";
import { shownLabels } from "./shown-webhook.js";
import type { WebhookSnapshot } from "./webhook-registry.js";

/** How one type of resource declares a fleet of webhooks. Its other methods are as of {@link Resource}. */
export interface FleetForm<State extends FleetState> extends Pick<
  Resource<PlannedInputs, State>,
  "readArguments" | "inputsOf" | "stateOf" | "outputsOf" | "preview" | "newId"
> {
  /** Whether a state says which webhooks it is about. If not, nothing tells whether they are gone. */
  isIdentified(state: State): boolean;
  /** Adds to a fleet what the list that was just read shows besides states. @param olds As in a stack. */
  describe(plugin: PluginProcess, fleet: FleetState, olds: State | null): Promise<State>;
  /** Returns the inputs that declare a fleet as it is; `null` if its webhook is gone. */
  inputsFor(state: State): Properties | null;
  /** Returns the inputs whose changes replace the resource. */
  replaces(olds: State, news: PlannedInputs): readonly string[];
  /** Takes over the existing webhooks that an import ID names. */
  adopt(plugin: PluginProcess, id: string): Promise<State>;
}

/**
 * Creates a resource of webhooks. Each of its calls reads the list once.
 *
 * @param previewCheck All webhook resources of a process share it.
 */
export function fleetResource<State extends FleetState>(
  plugin: PluginProcess,
  previewCheck: PreviewCheck,
  form: FleetForm<State>,
): Resource<PlannedInputs, State> {
  const found = (state: State): Found<State> | null => {
    const inputs = form.inputsFor(state);
    return inputs && { state, inputs };
  };
  return {
    ...form,
    canDrift: true,

    check: (news, olds, urn) => checkFleet(plugin, previewCheck, news, olds, urn),

    plan(olds, news, { moves }) {
      const replaces = form.replaces(olds, news);
      // A replacement deletes the old resource, with the old stateOnDestroy.
      const next = replaces.length > 0 ? { ...news, stateOnDestroy: olds.stateOnDestroy } : news;
      return { ...planFleet(plugin, olds, next, moves), replaces };
    },

    async apply(olds, news) {
      const before = olds ?? fleetStateOf({});
      const { state, failure, mayHaveChanged } = await converge(plugin, fleetInputs(news), before);
      // A creation that has changed nothing leaves nothing. Otherwise, "restore" needs the initial states.
      if (failure && olds === null && !mayHaveChanged) throw failure;
      return { state: await form.describe(plugin, state, olds), failure };
    },

    async read(olds) {
      if (!form.isIdentified(olds)) return { state: olds, inputs: null };
      return found(await form.describe(plugin, await readFleet(plugin, olds), olds));
    },

    async remove(state) {
      if (state.stateOnDestroy === "leave" || idsOf(state.initialStates).length === 0) return;
      // All webhooks are released.
      const { failure } = await converge(
        plugin,
        { ...fleetInputs(state), states: {}, others: "leave" },
        state,
      );
      if (failure) throw failure;
    },

    async adopt(id) {
      const state = await form.adopt(plugin, id);
      return { state, inputs: form.inputsFor(state) };
    },
  };
}

/** Returns what a refresh finds. Warns about webhooks that are gone, in other states, or in unknown ones. */
async function readFleet(plugin: PluginProcess, olds: FleetState): Promise<FleetState> {
  const { others, states, otherStates, initialStates } = olds;
  if (!plugin.readsWebhooks) {
    plugin.warn({ kind: "listNotRead" });
    return olds;
  }
  const { webhooks } = await plugin.open();
  const ids = idsOf(initialStates);
  const snapshot = await webhooks.lookUp(ids);
  const missing = ids.filter((id) => !snapshot.get(id));
  if (missing.length > 0 && !snapshot.provesAbsence) throw snapshot.absenceError(missing);
  const listed = isState(others) ? snapshot.all() : ids.flatMap((id) => snapshot.get(id) ?? []);
  const lost = lostStates(plugin, snapshot, listed, initialStates);
  const isLost = ({ webhookId }: WebhookReading): boolean => lost.includes(webhookId);
  warnIfUnknown(
    plugin,
    listed.filter((webhook) => !isLost(webhook)),
  );
  const known = { ...otherStates, ...states };
  const observed = { ...statesOf(listed, known), ...statesOf(listed.filter(isLost)) };
  const named = pick(observed, idsOf(states));
  const unnamed = pick(
    observed,
    idsOf(observed).filter((id) => !(id in states)),
  );
  const dropped = idsOf(known).filter((id) => !(id in observed));
  if (dropped.length > 0) plugin.warn({ kind: "webhooksGone", webhookIds: dropped });
  warnAboutDrift(plugin, snapshot, states, named);
  if (isState(others)) for (const notice of othersNotices(others, unnamed)) plugin.warn(notice);
  return {
    ...fleetInputs(olds),
    states: named,
    otherStates: unnamed,
    // Also of missing webhooks: the list may be wrong this once, and nothing else knows these states.
    initialStates: { ...statesOf(listed), ...initialStates },
  };
}

/** Warns about webhooks that someone else has changed, by what people know them. */
function warnAboutDrift(
  plugin: PluginProcess,
  snapshot: WebhookSnapshot,
  states: StateMap,
  observed: StateMap,
): void {
  for (const state of STATES) {
    const webhookIds = idsOf(observed).filter(
      (id) => observed[id] === state && isState(states[id]) && states[id] !== state,
    );
    const labels = shownLabels(plugin, snapshot, webhookIds);
    if (webhookIds.length > 0) plugin.warn({ kind: "drifted", state, webhookIds, labels });
  }
}

/**
 * Returns the webhooks whose states the list once showed and no longer does. If it shows those of other
 * webhooks, a change probably helps, so this counts as a difference. If it shows none, the service may use
 * other words, and the same difference would be found forever.
 *
 * @throws {ResourceError} in the second case.
 */
function lostStates(
  plugin: PluginProcess,
  snapshot: WebhookSnapshot,
  listed: readonly WebhookReading[],
  initialStates: StateMap,
): readonly number[] {
  const lost = unknownStates(listed.filter(({ webhookId }) => isState(initialStates[webhookId])));
  if (lost === null) return [];
  if (!snapshot.showsStates) throw new ResourceError(lost);
  plugin.warn({ ...lost, kind: "stateLost" });
  return lost.webhookIds;
}
