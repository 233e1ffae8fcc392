import { isWebhookId, type WebhookState } from "../../api/operations.js";
import { isObject } from "../../json.js";
import type { WebhookReading } from "../../responses/webhook-list-reader.js";
import type { Properties } from "../contract.js";
import type { StateUnknown } from "../problems.js";

/** States by webhook ID; `null` if the state is not known. */
export type StateMap = Readonly<Record<string, WebhookState | null>>;

/** What happens to a webhook that is no longer managed. */
export type StateOnDestroy = "leave" | "restore" | WebhookState;

/** The inputs or the outputs of a fleet. */
export interface Fleet {
  /** The webhooks that the program names. */
  readonly states: StateMap;
  readonly others: "leave" | WebhookState;
  readonly stateOnDestroy: StateOnDestroy;
  /** The name of the account, which is also the ID of the resource. */
  readonly account: string;
  /** Managed webhooks that the program does not name: covered by `others`, or not yet in their final state. Only an output. */
  readonly otherStates: StateMap;
  /** The state in which each managed webhook was first found, even if it is missing from the list. Only an output. */
  readonly initialStates: StateMap;
}

/** Reads the inputs or the outputs of a fleet. Ignores what is invalid: another program may have written it. */
export function fleetOf({ others, stateOnDestroy, account, ...maps }: Properties): Fleet {
  return {
    states: stateMapOf(maps["states"]),
    others: isState(others) ? others : "leave",
    stateOnDestroy: isState(stateOnDestroy) || stateOnDestroy === "restore" ? stateOnDestroy : "leave",
    account: typeof account === "string" ? account : "",
    otherStates: stateMapOf(maps["otherStates"]),
    initialStates: stateMapOf(maps["initialStates"]),
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
