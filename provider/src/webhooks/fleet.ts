import { UNKNOWN, type Properties, type ResourceHandlers } from "../shared/properties.js";
import { PartialFailure } from "../shared/partial-failure.js";
import { ResourceError } from "../shared/problems.js";
import type { PluginProcess } from "../shared/plugin-process.js";
import { warnIfUnknown } from "./converge.js";
import { fleetInputs, fleetOutputs, plannedInputs, statesOf } from "./fleet-model.js";
import type { FleetOperations } from "./fleet-operations.js";
import { webhookStatesProblems } from "./webhook-inputs.js";

/** Creates the handlers of `PartnerWebhookStates`, which convert between {@link Properties} and a fleet. */
export function webhookStatesHandlers(plugin: PluginProcess, fleet: FleetOperations): ResourceHandlers {
  return {
    async check(olds, news, urn) {
      const inputs = {
        states: news["states"],
        others: news["others"] ?? "leave",
        stateOnDestroy: news["stateOnDestroy"] ?? "leave",
        account: plugin.account,
      };
      const problems = webhookStatesProblems(news);
      if (problems.length > 0) return { inputs, problems };

      const found = await fleet.preview.check(plannedInputs(olds), plannedInputs(inputs), urn);
      return { inputs, problems: found };
    },

    diff(olds, news) {
      const outputs = fleetOutputs(olds);
      const changes = fleet.preview.hasChanges(outputs, plannedInputs(news));
      return { changes, replaces: outputs.account === news["account"] ? [] : ["account"] };
    },

    // Only the update finds out which other webhooks there are.
    preview: (_olds, news) => ({ ...inputsOf(news), otherStates: UNKNOWN, initialStates: UNKNOWN }),

    async create(news, urn) {
      const inputs = fleetInputs(news);
      const { outputs, failure, mayHaveChanged } = await fleet.calls.converge(inputs, fleetOutputs({}), urn);
      const id = inputs.account;
      if (failure === null) return { id, outputs };
      // After a change, the initial states must be kept in the state for "restore".
      throw mayHaveChanged ? new PartialFailure(id, outputs, failure) : failure;
    },

    async read(olds) {
      const outputs = { ...olds, ...(await fleet.read(fleetOutputs(olds))) };
      return { outputs, inputs: inputsOf(outputs) };
    },

    async update(id, olds, news, urn) {
      const result = await fleet.calls.converge(fleetInputs(news), fleetOutputs(olds), urn);
      if (result.failure) throw new PartialFailure(id, result.outputs, result.failure);
      return result.outputs;
    },

    delete: (olds) => fleet.delete(fleetOutputs(olds)),

    async adopt(id) {
      const { account } = plugin;
      if (id !== account)
        throw new ResourceError({ kind: "wrongImportId", expected: { kind: "accountName", account } });
      if (!plugin.readsWebhooks) throw new ResourceError({ kind: "listNotRead", need: "import" });
      const { webhooks } = await plugin.open();
      const all = (await webhooks.list()).all();
      warnIfUnknown(plugin, all);
      const states = statesOf(all.filter(({ state }) => state !== null));
      const inputs = { states, others: "leave", stateOnDestroy: "leave", account };
      return { id, inputs, outputs: { ...inputs, otherStates: {}, initialStates: states } };
    },
  };
}

function inputsOf({ states, others, stateOnDestroy, account }: Properties): Properties {
  return { states, others, stateOnDestroy, account };
}
