import { isWebhookId } from "../api/operations.js";
import { PARTNER_WEBHOOK_STATE } from "../registration.js";
import type { PluginProcess } from "../shared/plugin-process.js";
import { ResourceError, type InputProblem } from "../shared/problems.js";
import { UNKNOWN, unknownArguments, type Properties } from "../shared/properties.js";
import type { FleetForm } from "./fleet.js";
import {
  fleetStateOf,
  idsOf,
  mayBeState,
  plannedInputs,
  stateOnDestroyProblems,
  unknownStates,
  type FleetState,
} from "./fleet-model.js";
import { shownWebhook } from "./shown-webhook.js";

/**
 * A fleet of one webhook, with what people know the webhook by: `null` if the list does not show it,
 * `undefined` if the state was written before there were these outputs.
 */
export type WebhookFleet = FleetState & Readonly<Record<"url" | "name", string | null | undefined>>;

/** `PartnerWebhookState`: a fleet of one webhook. */
export const webhookForm: FleetForm<WebhookFleet> = {
  readArguments: (args) => ({
    inputs: { ...inputsIn(args), stateOnDestroy: args["stateOnDestroy"] ?? "leave" },
    problems: argumentProblems(args),
  }),

  inputsOf: (inputs) => plannedInputs(fleetOf(inputs)),

  stateOf: (outputs) => ({
    ...fleetStateOf(fleetOf(outputs)),
    url: textOrNull(outputs["url"]),
    name: textOrNull(outputs["name"]),
  }),

  outputsOf(fleet) {
    const { states, stateOnDestroy, initialStates, url, name } = fleet;
    const webhookId = idOf(fleet);
    const id = String(webhookId);
    return {
      ...{ webhookId, state: states[id] ?? null, stateOnDestroy, initialState: initialStates[id] ?? null },
      ...{ url, name },
    };
  },

  preview: (olds, news) => ({
    ...inputsIn(news),
    initialState: olds === null ? UNKNOWN : webhookForm.outputsOf(olds)["initialState"],
    url: olds?.url === undefined ? UNKNOWN : olds.url,
    name: olds?.name === undefined ? UNKNOWN : olds.name,
  }),

  newId: ({ states }) => (states === UNKNOWN ? "" : Object.keys(states).join()),

  isIdentified: (fleet) => idOf(fleet) !== null,

  async describe(plugin, fleet, olds) {
    const { webhooks } = await plugin.open();
    const seen = webhooks.lastSeen(Number(idOf(fleet)));
    const { url = null, name = null } = (seen ? shownWebhook(plugin, seen) : olds) ?? {};
    return { ...fleet, url, name };
  },

  inputsFor(fleet) {
    const isGone = idsOf(fleet.states).length === 0;
    return isGone ? null : inputsIn(webhookForm.outputsOf(fleet));
  },

  replaces: (olds, { states }) => (states !== UNKNOWN && String(idOf(olds)) in states ? [] : ["webhookId"]),

  adopt,
};

function argumentProblems(args: Properties): InputProblem[] {
  const { webhookId, state, stateOnDestroy } = args;
  const problems = unknownArguments("PartnerWebhookState", args, PARTNER_WEBHOOK_STATE.inputs);
  const isValidId = typeof webhookId === "number" && isWebhookId(String(webhookId));
  if (webhookId !== UNKNOWN && !isValidId) problems.push({ kind: "invalidArgument", argument: "webhookId" });
  if (!mayBeState(state)) problems.push({ kind: "invalidArgument", argument: "state" });
  return [...problems, ...stateOnDestroyProblems(stateOnDestroy)];
}

async function adopt(plugin: PluginProcess, id: string): Promise<WebhookFleet> {
  if (!isWebhookId(id)) throw new ResourceError({ kind: "wrongImportId", expected: { kind: "webhookId" } });
  if (!plugin.readsWebhooks) throw new ResourceError({ kind: "listNotRead", need: "import" });
  const webhookId = Number(id);
  const { webhooks } = await plugin.open();
  const snapshot = await webhooks.lookUp([webhookId]);
  const webhook = snapshot.get(webhookId);
  if (!webhook) throw snapshot.absenceError([webhookId]);
  const unknown = unknownStates([webhook]);
  if (unknown) throw new ResourceError(unknown);
  const { state } = webhook;
  const fleet = fleetStateOf(fleetOf({ webhookId, state, initialState: state, account: plugin.account }));
  return webhookForm.describe(plugin, fleet, null);
}

/** Returns the properties of the equivalent fleet, which may be inputs or outputs. */
function fleetOf({ webhookId, state, initialState, stateOnDestroy, account }: Properties): Properties {
  const id = String(webhookId);
  const states = webhookId === UNKNOWN ? UNKNOWN : { [id]: state };
  return { states, others: "leave", stateOnDestroy, account, initialStates: { [id]: initialState } };
}

/** Returns the ID of the webhook of a fleet, which may be gone; `null` if the state does not have it. */
function idOf({ states, initialStates }: FleetState): number | null {
  return idsOf({ ...states, ...initialStates })[0] ?? null;
}

function inputsIn({ webhookId, state, stateOnDestroy }: Properties): Properties {
  return { webhookId, state, stateOnDestroy };
}

function textOrNull(value: unknown): string | null | undefined {
  if (value === undefined) return undefined;
  return typeof value === "string" ? value : null;
}
