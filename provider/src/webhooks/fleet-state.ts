import { UNKNOWN, type Properties } from "../adapter/properties.js";
import { isObject } from "../bodies/json.js";
import { isState, isWebhookId, type WebhookState } from "../partner-api/operations.js";
import type { OtherWebhooks, StateOnDestroy } from "../registration.js";

type ById<Value> = Readonly<Record<string, Value>>;

/** States by webhook ID. */
export type KnownStates = ById<WebhookState>;

/** States by webhook ID; `null` if the state is not known. */
export type StateMap = ById<WebhookState | null>;

/** The inputs of a fleet of webhooks. `null`, also as a single state: not known yet in a preview. */
export interface FleetInputs {
  /** The webhooks that the program names. */
  readonly states: StateMap | null;
  /** The state of all webhooks that the program does not name. `leave`: the fleet does not cover them. */
  readonly others: OtherWebhooks | null;
  readonly stateOnDestroy: StateOnDestroy | null;
}

/** What the stack stores of a fleet. None of it is secret. */
export interface FleetState {
  /** The named webhooks, as last read or set; `null` if that is not known, or not sure after a failure. */
  readonly states: StateMap;
  readonly others: OtherWebhooks;
  readonly stateOnDestroy: StateOnDestroy;
  /** Webhooks that the program does not name: covered by `others`, or not yet in their final states. */
  readonly otherStates: StateMap;
  /**
   * The state in which this resource first found each webhook; after a replacement, the one that the replaced
   * resource had set. Kept for webhooks that are missing from the list: if it is wrong, `restore` needs them.
   */
  readonly initialStates: StateMap;
}

/** Reads checked inputs. Ignores what is invalid: another version of the program may have written it. */
export function fleetInputsOf({ states, others, stateOnDestroy }: Properties): FleetInputs {
  return {
    states: states === UNKNOWN ? null : stateMapOf(states),
    others: others === UNKNOWN ? null : othersOf(others),
    stateOnDestroy: stateOnDestroy === UNKNOWN ? null : stateOnDestroyOf(stateOnDestroy),
  };
}

/** Reads outputs in the same way. If they are empty, the fleet has no webhooks. */
export function fleetStateOf(outputs: Properties): FleetState {
  return {
    states: stateMapOf(outputs["states"]),
    others: othersOf(outputs["others"]),
    stateOnDestroy: stateOnDestroyOf(outputs["stateOnDestroy"]),
    otherStates: stateMapOf(outputs["otherStates"]),
    initialStates: stateMapOf(outputs["initialStates"]),
  };
}

/** Returns the states as the stack recorded them. */
export function recordedStates({ states, otherStates }: FleetState): StateMap {
  return { ...otherStates, ...states };
}

/** Returns the webhooks that a fleet manages, including those that are missing from the list. */
export function managedIds(fleet: FleetState): number[] {
  return idsOf({ ...fleet.initialStates, ...recordedStates(fleet) });
}

/** Returns the webhooks that a fleet manages and no longer declares; none if that is not known yet. */
export function droppedIds(olds: FleetState, { states, others }: FleetInputs): number[] {
  if (states === null || others !== "leave") return [];
  return managedIds(olds).filter((id) => !(id in states));
}

/** Returns the webhooks that `others` covers and that the stack recorded in another state. */
export function driftedIds(olds: FleetState, { states, others }: FleetInputs): number[] {
  if (states === null || !isState(others)) return [];
  const recorded = recordedStates(olds);
  return idsOf(recorded).filter((id) => !(id in states) && recorded[id] !== others);
}

/** Returns the webhook IDs that are the names of the members of an object. */
export function idsOf(states: object): number[] {
  return Object.keys(states).map(Number);
}

/** Returns the states of some webhooks. */
export function statesOf<State>(webhookIds: readonly number[], stateOf: (id: number) => State): ById<State> {
  return Object.fromEntries(webhookIds.map((id) => [id, stateOf(id)]));
}

/** Returns the members for some webhooks, if they exist. */
export function pick<State>(states: ById<State>, webhookIds: readonly number[]): ById<State> {
  const ids = new Set(webhookIds);
  return Object.fromEntries(Object.entries(states).filter(([id]) => ids.has(Number(id))));
}

/** Returns the members for all other webhooks. */
export function omit<State>(states: ById<State>, webhookIds: readonly number[]): ById<State> {
  const ids = new Set(webhookIds);
  return Object.fromEntries(Object.entries(states).filter(([id]) => !ids.has(Number(id))));
}

/** Returns the states that are known. */
export function knownStates(states: StateMap): KnownStates {
  const known = Object.entries(states).flatMap(([id, state]) => (state ? [[id, state] as const] : []));
  return Object.fromEntries(known);
}

function stateMapOf(value: unknown): StateMap {
  const entries = Object.entries(isObject(value) ? value : {}).filter(([id]) => isWebhookId(id));
  return Object.fromEntries(entries.map(([id, state]) => [id, isState(state) ? state : null]));
}

function othersOf(value: unknown): OtherWebhooks {
  return isState(value) ? value : "leave";
}

function stateOnDestroyOf(value: unknown): StateOnDestroy {
  return isState(value) || value === "restore" ? value : "leave";
}
