import type { WebhookState } from "../api/operations.js";
import { ResourceError } from "../shared/problems.js";
import type { PluginProcess } from "../shared/plugin-process.js";
import { unknownStates } from "./fleet-model.js";
import { shownWebhook } from "./shown-webhook.js";

/** A webhook that can be imported. */
export interface ListedResource {
  /** The ID for an import. */
  readonly id: string;
  /** The name by which a person recognizes it; empty if its record has none. */
  readonly name: string;
}

/**
 * Lists the existing webhooks. Keys are not listed, because the Partner API cannot list them.
 *
 * @param state Only webhooks in this state. @default all
 * @throws {PartnerError} if the list cannot be read, has further pages, or does not show the state of a
 * webhook to filter.
 */
export async function listResources(plugin: PluginProcess, state?: WebhookState): Promise<ListedResource[]> {
  const { webhooks } = await plugin.open();
  const all = (await webhooks.list()).all();
  const unknown = state === undefined ? null : unknownStates(all);
  if (unknown) throw new ResourceError(unknown);
  return all
    .filter((webhook) => state === undefined || webhook.state === state)
    .map((webhook) => {
      const { url, name } = shownWebhook(plugin, webhook);
      return { id: String(webhook.webhookId), name: name ?? url ?? "" };
    });
}
