import { ResourceError } from "../shared/problems.js";
import { UNKNOWN, type Properties } from "../shared/properties.js";
import { warnIfUnknown } from "./converge.js";
import type { FleetForm } from "./fleet.js";
import { fleetStateOf, plannedInputs, statesOf, type FleetState } from "./fleet-model.js";
import { webhookStatesProblems } from "./webhook-inputs.js";

/** `PartnerWebhookStates`: a fleet as it is. */
export const fleetForm: FleetForm<FleetState> = {
  readArguments: (args) => ({
    inputs: {
      states: args["states"],
      others: args["others"] ?? "leave",
      stateOnDestroy: args["stateOnDestroy"] ?? "leave",
    },
    problems: webhookStatesProblems(args),
  }),

  inputsOf: plannedInputs,

  stateOf: fleetStateOf,

  outputsOf: (fleet) => fleet,

  // Only the update finds out which other webhooks there are.
  preview: (_olds, news) => ({ ...inputsIn(news), otherStates: UNKNOWN, initialStates: UNKNOWN }),

  newId: ({ account }) => account,

  isIdentified: () => true,

  describe: (_plugin, fleet) => Promise.resolve(fleet),

  inputsFor: inputsIn,

  replaces: () => [],

  async adopt(plugin, id) {
    const { account } = plugin;
    if (id !== account)
      throw new ResourceError({ kind: "wrongImportId", expected: { kind: "accountName", account } });
    if (!plugin.readsWebhooks) throw new ResourceError({ kind: "listNotRead", need: "import" });
    const { webhooks } = await plugin.open();
    const all = (await webhooks.list()).all();
    warnIfUnknown(plugin, all);
    const states = statesOf(all.filter(({ state }) => state !== null));
    return fleetStateOf({ states, initialStates: states, account });
  },
};

function inputsIn({ states, others, stateOnDestroy }: Properties): Properties {
  return { states, others, stateOnDestroy };
}
