import { isState, isWebhookId, type WebhookState } from "../api/operations.js";
import { isObject } from "../json.js";
import type { OtherWebhooks, StateOnDestroy } from "../registration.js";
import type { WebhookReading } from "../responses/webhook-list-reader.js";
import { UNKNOWN, type Properties } from "../shared/properties.js";
import type { InputProblem, StateUnknown } from "../shared/problems.js";

/** States by webhook ID; `null` if the state is not known. */
export type StateMap = Readonly<Record<string, WebhookState | null>>;

/** The inputs of a fleet. */
export type FleetInputs = Readonly<{
  /** The webhooks that the program names. */
  states: StateMap;
  /** The state of all webhooks that the program does not name. Unless it is `leave`, it covers them. */
  others: OtherWebhooks;
  stateOnDestroy: StateOnDestroy;
  /** The name of the account, which is also the ID of the resource. */
  account: string;
}>;

/** What the stack stores of a fleet. */
export type FleetState = FleetInputs &
  Readonly<{
    /**
     * Managed webhooks that the program does not name: covered by `others`, or not yet in their final states.
     */
    otherStates: StateMap;
    /** The state in which each managed webhook was first found, even if it is missing from the list. */
    initialStates: StateMap;
  }>;

/** The inputs of a fleet in a preview, where values may not be known yet. */
export type PlannedInputs = Readonly<{
  states: Readonly<Record<string, WebhookState | typeof UNKNOWN | null>> | typeof UNKNOWN;
  others: OtherWebhooks | typeof UNKNOWN;
  stateOnDestroy: StateOnDestroy | typeof UNKNOWN;
  account: string;
}>;

/** Returns the problems with the argument `stateOnDestroy`. */
export function stateOnDestroyProblems(value: unknown): InputProblem[] {
  if (value == null || value === "leave" || value === "restore" || mayBeState(value)) return [];
  return [{ kind: "invalidArgument", argument: "stateOnDestroy" }];
}

/** Whether an argument is a state, or may turn out to be one. */
export function mayBeState(value: unknown): boolean {
  return isState(value) || value === UNKNOWN;
}

/** Reads the inputs of a fleet. Ignores what is invalid: another program may have written it. */
export function fleetInputs({ states, others, stateOnDestroy, account }: Properties): FleetInputs {
  return {
    states: stateMapOf(states),
    others: isState(others) ? others : "leave",
    stateOnDestroy: isState(stateOnDestroy) || stateOnDestroy === "restore" ? stateOnDestroy : "leave",
    account: typeof account === "string" ? account : "",
  };
}

/** Reads the outputs of a fleet, as {@link fleetInputs} does. */
export function fleetStateOf(outputs: Properties): FleetState {
  return {
    ...fleetInputs(outputs),
    otherStates: stateMapOf(outputs["otherStates"]),
    initialStates: stateMapOf(outputs["initialStates"]),
  };
}

/** Reads the inputs of a fleet in a preview, as {@link fleetInputs} does. */
export function plannedInputs(inputs: Properties): PlannedInputs {
  const { states, others, stateOnDestroy } = inputs;
  const known = fleetInputs(inputs);
  const plannedState = ([id, state]: [string, unknown]) =>
    [id, state === UNKNOWN ? state : (known.states[id] ?? null)] as const;
  const named = Object.entries(isObject(states) ? states : {}).filter(([id]) => isWebhookId(id));
  return {
    states: states === UNKNOWN ? states : Object.fromEntries(named.map(plannedState)),
    others: others === UNKNOWN ? others : known.others,
    stateOnDestroy: stateOnDestroy === UNKNOWN ? stateOnDestroy : known.stateOnDestroy,
    account: known.account,
  };
}

function stateMapOf(value: unknown): StateMap {
  const entries = Object.entries(isObject(value) ? value : {}).filter(([id]) => isWebhookId(id));
  return Object.fromEntries(entries.map(([id, state]) => [id, isState(state) ? state : null]));
}

/**
 * Returns the webhooks that leave a fleet: those that it manages and no longer declares. Whether one is
 * released depends on the other resources of the run.
 */
export function leavingWebhooks(
  olds: FleetState,
  { states, others }: { readonly states: object; readonly others: OtherWebhooks },
): number[] {
  return isState(others) ? [] : idsOf(olds.initialStates).filter((id) => !(id in states));
}

/** Returns the webhook IDs in a {@link StateMap} or a similar object. */
export function idsOf(states: object): number[] {
  return Object.keys(states).map(Number);
}

/** Returns the states of some webhooks. */
export function pick(states: StateMap, webhookIds: readonly number[]): StateMap {
  return Object.fromEntries(webhookIds.flatMap((id) => (id in states ? [[id, states[id] ?? null]] : [])));
}

/** Returns the states of listed webhooks. @param known The states to use where the list shows none. */
export function statesOf(webhooks: readonly WebhookReading[], known: StateMap = {}): StateMap {
  return Object.fromEntries(
    webhooks.map(({ webhookId, state }) => [webhookId, state ?? known[webhookId] ?? null]),
  );
}

/** Returns the webhooks whose state the list does not show, as a problem; `null` if there are none. */
export function unknownStates(webhooks: readonly WebhookReading[]): StateUnknown | null {
  const unknown = webhooks.filter(({ state }) => state === null);
  const webhookIds = unknown.map(({ webhookId }) => webhookId);
  const setting = unknown[0]?.missing ?? null;
  return setting && { kind: "stateUnknown", webhookIds, setting };
}
