import type { Properties } from "../../../provider/src/shared/properties.js";
import type { Fault, Sandbox, WebhookState } from "../../support/sandbox.ts";
import { sandboxFor } from "../api/support.ts";
import { checked, create, startRun } from "../shared/support.ts";

/** The webhooks of a new sandbox. */
export const FOUND = { 101: "active", 102: "active", 103: "disabled" };

/** Creates a fleet in a separate run. */
export async function created(service: Sandbox, args: Properties): Promise<Properties> {
  const { outputs } = await create(startRun(service).partnerWebhookStates, args);
  service.clearRequests();
  return outputs;
}

/** Runs the next `up`, and returns the outputs. */
export async function up(
  service: Sandbox,
  olds: Properties,
  args: Properties,
  run = startRun(service),
): Promise<Properties> {
  const { partnerWebhookStates: fleet } = run;
  service.clearRequests();
  const news = await checked(fleet, args, olds);
  return fleet.diff(olds, news).changes ? fleet.update("default", olds, news) : olds;
}

/** Refreshes a fleet in a separate run, and returns the outputs. */
export async function refreshed(service: Sandbox, olds: Properties): Promise<Properties> {
  return (await startRun(service).partnerWebhookStates.read(olds))?.outputs ?? {};
}

/** Deletes a fleet in a separate run. */
export function destroy(service: Sandbox, olds: Properties): Promise<void> {
  return startRun(service).partnerWebhookStates.delete(olds);
}

export function serverStates({ webhooks }: Sandbox): Record<string, WebhookState> {
  return Object.fromEntries(webhooks);
}

/** Returns the states of the webhooks 1 to `count`, all the same. */
export function all(count: number, state: WebhookState): Record<string, WebhookState> {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [index + 1, state]));
}

/** Starts a service with the webhooks 1 to `count`, all active. */
export function serviceWith(count: number, faults: Fault[] = []): Promise<Sandbox> {
  const webhooks = Object.entries(all(count, "active"));
  return sandboxFor({ webhooks: webhooks.map(([id, state]) => ({ webhookId: Number(id), state })), faults });
}
