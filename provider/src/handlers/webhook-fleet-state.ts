import { isWebhookId, type WebhookState } from "../api/operations.js";
import { isObject } from "../json.js";
import type { WebhookReading } from "../responses/webhook-list-reader.js";
import type { Properties } from "./contract.js";

/** States by webhook ID; `null` if the list has never shown the state. */
export type StateMap = Readonly<Record<string, WebhookState | null>>;

/** Desired states by webhook ID. */
export type WantedStates = Readonly<Record<string, WebhookState>>;

/** What happens to a webhook that is no longer managed. */
export type StateOnDestroy = "leave" | "restore" | WebhookState;

/** The inputs of a fleet, after `check` accepted them. */
export interface FleetInputs {
  readonly states: WantedStates;
  readonly others: "leave" | WebhookState;
  readonly stateOnDestroy: StateOnDestroy;
  /** The name of the account, which is also the ID of the resource. */
  readonly account: string;
}

/** The outputs of a fleet. */
export interface FleetState extends Omit<FleetInputs, "states"> {
  /** The webhooks that the program names. */
  readonly states: StateMap;
  /** Managed webhooks that the program does not name: covered by `others`, or not yet in their final state. */
  readonly otherStates: StateMap;
  /** The state in which each managed webhook was first found. Includes webhooks that are missing from the list. */
  readonly initialStates: StateMap;
}

/** Reads the outputs of a fleet from the state. Ignores what is invalid: another program may have written it. */
export function fleetStateOf(outputs: Properties): FleetState {
  const { states, otherStates, initialStates, ...rest } = outputs;
  return {
    ...settingsOf(rest),
    states: stateMapOf(states),
    otherStates: stateMapOf(otherStates),
    initialStates: stateMapOf(initialStates),
  };
}

/** Reads checked inputs. A state that is not known yet is left out. */
export function fleetInputsOf(inputs: Properties): FleetInputs {
  const states = Object.entries(stateMapOf(inputs["states"])).filter(([, state]) => state !== null);
  return { ...settingsOf(inputs), states: Object.fromEntries(states) as WantedStates };
}

function settingsOf({ others, stateOnDestroy, account }: Properties): Omit<FleetInputs, "states"> {
  return {
    others: isState(others) ? others : "leave",
    stateOnDestroy: isState(stateOnDestroy) || stateOnDestroy === "restore" ? stateOnDestroy : "leave",
    account: typeof account === "string" ? account : "",
  };
}

function stateMapOf(value: unknown): StateMap {
  const entries = Object.entries(isObject(value) ? value : {}).filter(([id]) => isWebhookId(id));
  return Object.fromEntries(entries.map(([id, state]) => [id, isState(state) ? state : null]));
}

/** Whether a value is a state. The placeholder in a preview is not. */
export function isState(value: unknown): value is WebhookState {
  return value === "active" || value === "disabled";
}

/** Returns the webhook IDs in a {@link StateMap} or a similar object. */
export function idsOf(states: object): number[] {
  return Object.keys(states).map(Number);
}

/** Returns the entries of some webhooks. */
export function pick<State>(
  states: Readonly<Record<string, State>>,
  webhookIds: readonly number[],
): Record<string, State> {
  return Object.fromEntries(webhookIds.flatMap((id) => (id in states ? [[id, states[id] as State]] : [])));
}

/** Returns the states of listed webhooks. @param known The states to use where the list shows none. */
export function statesOf(webhooks: readonly WebhookReading[], known: StateMap = {}): StateMap {
  return Object.fromEntries(
    webhooks.map(({ webhookId, state }) => [webhookId, state ?? known[webhookId] ?? null]),
  );
}
