import { apiKeyHandlers } from "./api-key.js";
import type { Properties, ResourceHandlers } from "./contract.js";
import { partnerWebhooksHandlers } from "./partner-webhooks.js";
import { ResourceError } from "./problems.js";
import type { PluginProcess } from "./process.js";
import { webhookStateHandlers } from "./webhook-state.js";
import { webhookStatesHandlers } from "./webhook-states.js";

/** The handlers of all resources. */
export interface PartnerHandlers {
  readonly partnerApiKey: ResourceHandlers;
  readonly partnerWebhookState: ResourceHandlers;
  readonly partnerWebhookStates: ResourceHandlers;
  readonly partnerWebhooks: ResourceHandlers;
}

/** Creates the handlers of one plugin process, whatever host calls them. */
export function createHandlers(plugin: PluginProcess): PartnerHandlers {
  return {
    partnerApiKey: guardAccount(plugin, apiKeyHandlers(plugin)),
    partnerWebhookState: guardAccount(plugin, webhookStateHandlers(plugin)),
    partnerWebhookStates: guardAccount(plugin, webhookStatesHandlers(plugin)),
    partnerWebhooks: partnerWebhooksHandlers(plugin),
  };
}

/**
 * Refuses to touch a resource of one account with the settings of another: a key would not be found there and be forgotten, and
 * a webhook of the same id would be changed.
 */
function guardAccount(plugin: PluginProcess, handlers: ResourceHandlers): ResourceHandlers {
  const assertOwn = ({ account: owner }: Properties): void => {
    const present = plugin.account;
    if (typeof owner !== "string" || owner === present) return;
    throw new ResourceError({ kind: "otherAccount", owner, present });
  };
  return {
    ...handlers,
    read: async (olds) => {
      assertOwn(olds);
      return handlers.read(olds);
    },
    update: async (id, olds, news) => {
      assertOwn(olds);
      return handlers.update(id, olds, news);
    },
    delete: async (olds) => {
      assertOwn(olds);
      return handlers.delete(olds);
    },
  };
}
