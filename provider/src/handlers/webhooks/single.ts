import { isWebhookId } from "../../api/operations.js";
import {
  PartialFailure,
  UNKNOWN,
  unknownArguments,
  type Properties,
  type ResourceHandlers,
} from "../contract.js";
import { ResourceError } from "../problems.js";
import type { PluginProcess } from "../plugin-process.js";
import { fleetOf, unknownStates } from "./fleet-model.js";
import { stateOnDestroyProblems, VALID_STATES } from "./fleet.js";

/**
 * Creates the handlers of `PartnerWebhookState`, which is a fleet of one webhook: they convert what they pass to the fleet's
 * handlers and what these return.
 *
 * @param fleet The handlers of `PartnerWebhookStates`.
 */
export function webhookStateHandlers(plugin: PluginProcess, fleet: ResourceHandlers): ResourceHandlers {
  return {
    async check(olds, news, urn) {
      const { webhookId, state, stateOnDestroy } = news;
      const inputs = { webhookId, state, stateOnDestroy: stateOnDestroy ?? "leave", account: plugin.account };
      const invalid = inputProblems(news);
      if (invalid.length > 0) return { inputs, problems: invalid };
      const { problems } = await fleet.check(fleetInputs(olds), fleetInputs(inputs), urn);
      return { inputs, problems };
    },

    diff(olds, news) {
      const replaces = ["webhookId", "account"].filter((name) => olds[name] !== news[name]);
      // A replacement deletes the old resource, with the old stateOnDestroy.
      const next = replaces.length > 0 ? { ...news, stateOnDestroy: olds["stateOnDestroy"] } : news;
      return { changes: fleet.diff(fleetOutputs(olds), fleetInputs(next)).changes, replaces };
    },

    preview: (olds, news) => ({
      ...inputsOf(news),
      initialState: olds === null ? UNKNOWN : olds["initialState"],
    }),

    async create(news, urn) {
      const id = String(news["webhookId"]);
      try {
        const { outputs } = await fleet.create(fleetInputs(news), urn);
        return { id, outputs: outputsOf(outputs, news) };
      } catch (error) {
        throw failureOfOne(error, id, news);
      }
    },

    async read(olds) {
      const found = await fleet.read(fleetOutputs(olds));
      const outputs = { ...olds, ...outputsOf(found?.outputs ?? {}, olds) };
      return outputs.state === undefined ? null : { outputs, inputs: inputsOf(outputs) };
    },

    async update(id, olds, news, urn) {
      try {
        return outputsOf(await fleet.update(id, fleetOutputs(olds), fleetInputs(news), urn), news);
      } catch (error) {
        throw failureOfOne(error, id, news);
      }
    },

    delete: (olds) => fleet.delete(fleetOutputs(olds)),

    async adopt(id) {
      if (!isWebhookId(id))
        throw new ResourceError({
          kind: "wrongImportId",
          text: "its ID: a positive whole number such as 101",
        });
      const webhookId = Number(id);
      const { webhooks } = await plugin.open();
      const snapshot = await webhooks.lookUp([webhookId]);
      const webhook = snapshot.get(webhookId);
      if (!webhook) throw snapshot.absenceError([webhookId]);
      const unknown = unknownStates([webhook]);
      if (unknown) throw new ResourceError(unknown);
      const { state } = webhook;
      const inputs = { webhookId, state, stateOnDestroy: "leave", account: plugin.account };
      return { id, inputs, outputs: { ...inputs, initialState: state } };
    },
  };
}

/** Returns the inputs of the equivalent fleet. */
function fleetInputs({ webhookId, state, stateOnDestroy, account }: Properties): Properties {
  const states = webhookId === UNKNOWN ? UNKNOWN : { [String(webhookId)]: state };
  return { states, others: "leave", stateOnDestroy, account };
}

/** Returns the outputs of the equivalent fleet. */
function fleetOutputs(olds: Properties): Properties {
  const initialStates = { [String(olds["webhookId"])]: olds["initialState"] };
  return { ...fleetInputs(olds), otherStates: {}, initialStates };
}

/** Returns the outputs of the one webhook of a fleet. `state` is `undefined` if it is gone. */
function outputsOf(fleet: Properties, { webhookId, stateOnDestroy, account }: Properties) {
  const { states, initialStates } = fleetOf(fleet);
  const id = String(webhookId);
  return { webhookId, state: states[id], stateOnDestroy, account, initialState: initialStates[id] };
}

/** Converts the failure of a fleet with one webhook. */
function failureOfOne(error: unknown, id: string, news: Properties): unknown {
  if (!(error instanceof PartialFailure)) return error;
  const outputs = outputsOf(error.properties, news);
  return new PartialFailure(id, { ...outputs, state: outputs.state ?? null }, error.reason);
}

function inputsOf({ webhookId, state, stateOnDestroy, account }: Properties): Properties {
  return { webhookId, state, stateOnDestroy, account };
}

/** Returns a sentence for each invalid input. Values are not repeated, because they could be secrets. */
function inputProblems(news: Properties): string[] {
  const { webhookId, state, stateOnDestroy } = news;
  const problems = unknownArguments("PartnerWebhookState", news, ["webhookId", "state", "stateOnDestroy"]);
  const isValidId = typeof webhookId === "number" && isWebhookId(String(webhookId));
  if (webhookId !== UNKNOWN && !isValidId)
    problems.push("webhookId must be a positive whole number such as 7, without quotes.");
  if (!VALID_STATES.includes(state)) problems.push(`state must be "active" or "disabled".`);
  return [...problems, ...stateOnDestroyProblems(stateOnDestroy)];
}
