import type { AccountSession } from "../account/account-session.js";
import { UNKNOWN, type Properties } from "../adapter/properties.js";
import { isObject } from "../bodies/json.js";
import { isState, isWebhookId, type WebhookState } from "../partner-api/operations.js";
import { PARTNER_WEBHOOK_STATE, PARTNER_WEBHOOK_STATES } from "../registration.js";
import { AccountWebhooks } from "./account-webhooks.js";
import { Declarations } from "./declarations.js";
import { fleetInputsOf, fleetStateOf, idsOf, managedIds, type FleetState } from "./fleet-state.js";
import {
  importNeedsState,
  importOfFleet,
  invalidArgument,
  invalidState,
  invalidWebhookId,
  noSuchWebhook,
} from "./webhook-messages.js";
import { webhookResource, type FleetForm, type WebhookContext } from "./webhook-resource.js";

/** Creates the webhook resources of a process, and the function that lists all webhooks. */
export function createWebhooks(session: AccountSession) {
  const webhooks = new AccountWebhooks(session);
  const context = { session, declarations: new Declarations(), webhooks };
  return {
    webhookState: webhookResource(context, singleForm(context)),
    webhookStates: webhookResource(context, fleetForm(context)),
    list: () => webhooks.listAll(),
  };
}

/** `PartnerWebhookState`: a fleet of one webhook. */
function singleForm({ session, webhooks }: WebhookContext): FleetForm {
  return {
    registration: PARTNER_WEBHOOK_STATE,
    readArguments({ webhookId, state, stateOnDestroy }) {
      const inputs = { webhookId, state, stateOnDestroy: stateOnDestroy ?? "leave" };
      return { inputs, problems: problemsOf(inputs) };
    },

    inputsOf: (inputs) => fleetInputsOf(asFleet(inputs)),
    stateOf: (outputs) => fleetStateOf(asFleet(outputs)),

    outputsOf(fleet) {
      const webhookId = webhookOf(fleet);
      const { states, stateOnDestroy, initialStates } = fleet;
      const initialState = stateIn(initialStates, webhookId);
      return { webhookId, state: stateIn(states, webhookId), stateOnDestroy, initialState };
    },

    preview: (olds, { webhookId, state, stateOnDestroy }) => {
      const initialState = olds === null ? UNKNOWN : stateIn(olds.initialStates, webhookOf(olds));
      return { webhookId, state, stateOnDestroy, initialState };
    },

    newId: ({ states }) => String(idsOf(states ?? {})[0] ?? ""),

    declarationOf(fleet) {
      const [webhookId] = idsOf(fleet.states);
      if (webhookId === undefined) return null;
      return { webhookId, state: fleet.states[webhookId], stateOnDestroy: fleet.stateOnDestroy };
    },

    // An ID that is not known yet counts as another one.
    replaces: (olds, { states }) =>
      states !== null && String(webhookOf(olds)) in states ? [] : ["webhookId"],

    async adopt(id, isExistenceCheck) {
      if (!isWebhookId(id)) throw invalidWebhookId(id);
      const webhookId = Number(id);
      const list = await webhooks.lookUp([webhookId]);
      if (list.isGone(webhookId)) {
        if (isExistenceCheck) return null;
        throw noSuchWebhook([webhookId], list.ids());
      }
      if (!list.webhooks.has(webhookId)) list.requireComplete("import");
      const state = list.stateOf(webhookId);
      if (state === null) throw importNeedsState(list.stateFields(), session.settings);
      const inputs = { webhookId, state, stateOnDestroy: "leave" };
      return { inputs, state: fleetStateOf(asFleet({ ...inputs, initialState: state })) };
    },
  };
}

/** `PartnerWebhookStates`: a fleet as it is. */
function fleetForm({ session }: WebhookContext): FleetForm {
  return {
    registration: PARTNER_WEBHOOK_STATES,
    readArguments({ states, others, stateOnDestroy }) {
      const inputs = { states, others: others ?? "leave", stateOnDestroy: stateOnDestroy ?? "leave" };
      return { inputs, problems: [...problemsOf(inputs), ...stateProblems(states)] };
    },

    inputsOf: fleetInputsOf,
    stateOf: fleetStateOf,
    outputsOf: (fleet) => ({ ...fleet }),

    // Only the update finds out which other webhooks there are.
    preview: (_olds, { states, others, stateOnDestroy }) => ({
      states,
      others,
      stateOnDestroy,
      otherStates: UNKNOWN,
      initialStates: UNKNOWN,
    }),

    newId: () => session.settings.account,
    declarationOf: ({ states, others, stateOnDestroy }) => ({ states, others, stateOnDestroy }),
    replaces: () => [],
    adopt: () => Promise.reject(importOfFleet()),
  };
}

/** Converts inputs or outputs of a single webhook to those of a fleet. */
function asFleet({ webhookId, state, stateOnDestroy, initialState }: Properties): Properties {
  const id = String(webhookId); // "undefined" is no ID, so it is left out as invalid.
  const states = webhookId === UNKNOWN ? UNKNOWN : { [id]: state };
  return { states, others: "leave", stateOnDestroy, initialStates: { [id]: initialState } };
}

/** Returns the webhook of a fleet of one; `null` if the state does not say which. */
function webhookOf(fleet: FleetState): number | null {
  return managedIds(fleet)[0] ?? null;
}

function stateIn(states: FleetState["states"], webhookId: number | null): WebhookState | null {
  return webhookId === null ? null : (states[webhookId] ?? null);
}

/** Whether an argument is valid, after defaults. */
const VALID = {
  webhookId: (value: unknown) => typeof value === "number" && isWebhookId(String(value)),
  state: isState,
  states: isObject,
  others: (value: unknown) => isState(value) || value === "leave",
  stateOnDestroy: (value: unknown) => isState(value) || value === "leave" || value === "restore",
};

function problemsOf(inputs: Properties): string[] {
  const names = (Object.keys(VALID) as (keyof typeof VALID)[]).filter((name) => name in inputs);
  const invalid = names.filter((name) => inputs[name] !== UNKNOWN && !VALID[name](inputs[name]));
  return invalid.map((name) => invalidArgument(name, inputs[name]));
}

/** Reports only the first problem: a program may compute all states the same wrong way. */
function stateProblems(states: unknown): string[] {
  const isValid = (state: unknown): boolean => isState(state) || state === UNKNOWN;
  const entries = Object.entries(isObject(states) ? states : {});
  const wrong = entries.find(([id, state]) => !isWebhookId(id) || !isValid(state))?.[0];
  return wrong === undefined ? [] : [invalidState(wrong, isWebhookId(wrong))];
}
