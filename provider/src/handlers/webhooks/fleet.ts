import { isWebhookId, STATES } from "../../api/operations.js";
import { redactText } from "../../api/redact.js";
import { isObject } from "../../json.js";
import { PARTNER_WEBHOOK_STATES } from "../../registration.js";
import {
  PartialFailure,
  UNKNOWN,
  unknownArguments,
  type InputProblem,
  type Properties,
  type ResourceHandlers,
} from "../contract.js";
import { ResourceError } from "../problems.js";
import type { PluginProcess } from "../plugin-process.js";
import { warnIfUnknown } from "./converge.js";
import { fleetInputs, fleetOutputs, plannedInputs, statesOf } from "./fleet-model.js";
import type { FleetOperations } from "./fleet-operations.js";

/** The valid values of a state, including the placeholder in a preview. */
export const VALID_STATES: readonly unknown[] = [...STATES, UNKNOWN];

/**
 * Returns a sentence if `stateOnDestroy` is invalid. The value is not repeated, because it could be a secret.
 */
export function stateOnDestroyProblems(value: unknown): string[] {
  if (value == null || value === "leave" || value === "restore" || VALID_STATES.includes(value)) return [];
  return [`stateOnDestroy must be "leave" (the default), "restore", "active" or "disabled".`];
}

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
      const problems: InputProblem[] = [
        ...unknownArguments("PartnerWebhookStates", news, PARTNER_WEBHOOK_STATES.inputs),
        ...inputProblems(inputs),
      ];
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
        throw new ResourceError({ kind: "wrongImportId", text: `its account: ${JSON.stringify(account)}` });
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

/**
 * Returns a sentence for each invalid input, ten at most. Names webhooks, but repeats no value, because it
 * could be a secret.
 */
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
