import { isWebhookId } from "../api/operations.js";
import { isObject } from "../json.js";
import { PARTNER_WEBHOOK_STATES } from "../registration.js";
import { ResourceError, type InputProblem } from "../shared/problems.js";
import { quotedName, UNKNOWN, unknownArguments, type Properties } from "../shared/properties.js";
import { warnIfUnknown } from "./converge.js";
import type { FleetForm } from "./fleet.js";
import {
  fleetStateOf,
  mayBeState,
  plannedInputs,
  stateOnDestroyProblems,
  statesOf,
  type FleetState,
} from "./fleet-model.js";

/** `PartnerWebhookStates`: a fleet as it is. */
export const fleetForm: FleetForm<FleetState> = {
  readArguments: (args) => ({
    inputs: {
      states: args["states"],
      others: args["others"] ?? "leave",
      stateOnDestroy: args["stateOnDestroy"] ?? "leave",
    },
    problems: argumentProblems(args),
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

/** The maximum number of problems with `states` and `others` to report. */
const MAX_PROBLEMS = 10;

function argumentProblems(args: Properties): InputProblem[] {
  const { states, others, stateOnDestroy } = args;
  const problems: InputProblem[] = [];
  if (states !== UNKNOWN && !isObject(states)) problems.push({ kind: "invalidArgument", argument: "states" });
  for (const [id, state] of Object.entries(isObject(states) ? states : {})) {
    if (!isWebhookId(id)) problems.push({ kind: "notAWebhookId", name: quotedName(id) });
    else if (!mayBeState(state)) problems.push({ kind: "notAState", webhookId: id });
  }
  if (others != null && others !== "leave" && !mayBeState(others))
    problems.push({ kind: "invalidArgument", argument: "others" });
  return [
    ...unknownArguments("PartnerWebhookStates", args, PARTNER_WEBHOOK_STATES.inputs),
    ...problems.slice(0, MAX_PROBLEMS),
    ...stateOnDestroyProblems(stateOnDestroy),
  ];
}

function inputsIn({ states, others, stateOnDestroy }: Properties): Properties {
  return { states, others, stateOnDestroy };
}
