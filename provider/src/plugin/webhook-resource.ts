import type { WebhookState } from "../api/operations.js";
import type { Properties } from "./boundary.js";

/** The inputs of a webhook as they stand in state: those that a program gives, completed. */
export function completeInputs(news: Properties, account: string): Properties {
  const { webhookId, state, stateOnDestroy } = news;
  return { webhookId, state, stateOnDestroy: stateOnDestroy ?? "leave", account };
}

/** Those of some properties that are inputs, and so outputs as well. */
export function sharedOutputs({ webhookId, state, stateOnDestroy, account }: Properties): Properties {
  return { webhookId, state, stateOnDestroy, account };
}

/**
 * What is new in state when a webhook begins to be managed, by `create` or by an import.
 *
 * @param inputs From {@link completeInputs}.
 * @param initialState The state in which it was found; `null` if the list did not tell.
 */
export function newWebhook(
  inputs: Properties,
  initialState: WebhookState | null,
): { id: string; outs: Properties } {
  return { id: String(inputs["webhookId"]), outs: { ...sharedOutputs(inputs), initialState } };
}
