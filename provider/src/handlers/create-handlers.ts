import { apiKeyHandlers } from "./api-key.js";
import type { ResourceHandlers } from "./contract.js";
import { guardOwnership } from "./ownership.js";
import type { PluginProcess } from "./process.js";
import { webhookStateHandlers } from "./webhook-state.js";
import { webhookStatesHandlers } from "./webhook-states.js";

/** The handlers of all resources. */
export interface PartnerHandlers {
  readonly partnerApiKey: ResourceHandlers;
  readonly partnerWebhookState: ResourceHandlers;
  readonly partnerWebhookStates: ResourceHandlers;
}

/** Creates the handlers of one plugin process, whatever host calls them. */
export function createHandlers(plugin: PluginProcess): PartnerHandlers {
  const fleet = webhookStatesHandlers(plugin);
  return {
    partnerApiKey: guardOwnership(plugin, apiKeyHandlers(plugin)),
    partnerWebhookState: guardOwnership(plugin, webhookStateHandlers(plugin, fleet)),
    partnerWebhookStates: guardOwnership(plugin, fleet),
  };
}
