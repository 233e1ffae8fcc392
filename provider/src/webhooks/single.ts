import { isWebhookId } from "../api/operations.js";
import { UNKNOWN, type Properties, type ResourceHandlers } from "../shared/properties.js";
import { PartialFailure } from "../shared/partial-failure.js";
import { ResourceError } from "../shared/problems.js";
import type { PluginProcess } from "../shared/plugin-process.js";
import {
  fleetInputs,
  fleetOutputs,
  plannedInputs,
  unknownStates,
  type FleetInputs,
  type FleetOutputs,
  type PlannedInputs,
} from "./fleet-model.js";
import type { FleetOperations } from "./fleet-operations.js";
import { shownWebhook } from "./shown-webhook.js";
import { webhookStateProblems } from "./webhook-inputs.js";

/** Creates the handlers of `PartnerWebhookState`, which is a fleet of one webhook. */
export function webhookStateHandlers(plugin: PluginProcess, fleet: FleetOperations): ResourceHandlers {
  /** Returns by what a webhook is known in the list that was just read, or else in the old outputs. */
  const knownBy = async ({ webhookId }: Properties, olds: Properties = {}): Promise<Properties> => {
    const { webhooks } = await plugin.open();
    const seen = webhooks.lastSeen(Number(webhookId));
    const { url = null, name = null } = seen ? shownWebhook(plugin, seen) : olds;
    return { url, name };
  };

  return {
    async check(olds, news, urn) {
      const { webhookId, state, stateOnDestroy } = news;
      const inputs = { webhookId, state, stateOnDestroy: stateOnDestroy ?? "leave", account: plugin.account };
      const invalid = webhookStateProblems(news);
      if (invalid.length > 0) return { inputs, problems: invalid };
      const problems = await fleet.preview.check(plannedFleet(olds), plannedFleet(inputs), urn);
      return { inputs, problems };
    },

    diff(olds, news) {
      const replaces = ["webhookId", "account"].filter((name) => olds[name] !== news[name]);
      // A replacement deletes the old resource, with the old stateOnDestroy.
      const next = replaces.length > 0 ? { ...news, stateOnDestroy: olds["stateOnDestroy"] } : news;
      return { changes: fleet.preview.hasChanges(oldFleet(olds), plannedFleet(next)), replaces };
    },

    preview: (olds, news) => ({
      ...inputsOf(news),
      initialState: olds === null ? UNKNOWN : olds["initialState"],
      // A state may have been written before there were these outputs.
      url: olds?.["url"] === undefined ? UNKNOWN : olds["url"],
      name: olds?.["name"] === undefined ? UNKNOWN : olds["name"],
    }),

    async create(news, urn) {
      const id = String(news["webhookId"]);
      const result = await fleet.calls.converge(newFleet(news), fleetOutputs({}), urn);
      const outputs = { ...outputsOf(result.outputs, news), ...(await knownBy(news)) };
      if (result.failure === null) return { id, outputs };
      // After a change, the initial state must be kept in the state for "restore".
      throw result.mayHaveChanged ? new PartialFailure(id, outputs, result.failure) : result.failure;
    },

    async read(olds) {
      // Nothing tells whether it is gone.
      if (!isWebhookId(String(olds["webhookId"]))) return { outputs: olds };
      const found = await fleet.read(oldFleet(olds));
      if (!(String(olds["webhookId"]) in found.states)) return null;
      const outputs = { ...olds, ...outputsOf(found, olds), ...(await knownBy(olds)) };
      return { outputs, inputs: inputsOf(outputs) };
    },

    async update(id, olds, news, urn) {
      const result = await fleet.calls.converge(newFleet(news), oldFleet(olds), urn);
      const outputs = { ...outputsOf(result.outputs, news), ...(await knownBy(news, olds)) };
      if (result.failure) throw new PartialFailure(id, outputs, result.failure);
      return outputs;
    },

    delete: (olds) => fleet.delete(oldFleet(olds)),

    async adopt(id) {
      if (!isWebhookId(id))
        throw new ResourceError({ kind: "wrongImportId", expected: { kind: "webhookId" } });
      if (!plugin.readsWebhooks) throw new ResourceError({ kind: "listNotRead", need: "import" });
      const webhookId = Number(id);
      const { webhooks } = await plugin.open();
      const snapshot = await webhooks.lookUp([webhookId]);
      const webhook = snapshot.get(webhookId);
      if (!webhook) throw snapshot.absenceError([webhookId]);
      const unknown = unknownStates([webhook]);
      if (unknown) throw new ResourceError(unknown);
      const { state } = webhook;
      const inputs = { webhookId, state, stateOnDestroy: "leave", account: plugin.account };
      return { id, inputs, outputs: { ...inputs, initialState: state, ...(await knownBy(inputs)) } };
    },
  };
}

/** Returns the properties of the equivalent fleet, which may be inputs or outputs. */
function fleetOf({ webhookId, state, initialState, stateOnDestroy, account }: Properties): Properties {
  const id = String(webhookId);
  const states = webhookId === UNKNOWN ? UNKNOWN : { [id]: state };
  return { states, others: "leave", stateOnDestroy, account, initialStates: { [id]: initialState } };
}

function plannedFleet(inputs: Properties): PlannedInputs {
  return plannedInputs(fleetOf(inputs));
}

function newFleet(inputs: Properties): FleetInputs {
  return fleetInputs(fleetOf(inputs));
}

function oldFleet(outputs: Properties): FleetOutputs {
  return fleetOutputs(fleetOf(outputs));
}

/** Returns the outputs of the one webhook of a fleet. */
function outputsOf(
  { states, initialStates }: Pick<FleetOutputs, "states" | "initialStates">,
  { webhookId, stateOnDestroy, account }: Properties,
) {
  const id = String(webhookId);
  const initialState = initialStates[id];
  return { webhookId, state: states[id] ?? null, stateOnDestroy, account, initialState };
}

function inputsOf({ webhookId, state, stateOnDestroy, account }: Properties): Properties {
  return { webhookId, state, stateOnDestroy, account };
}
