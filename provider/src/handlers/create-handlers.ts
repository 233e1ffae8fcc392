import type { WebhookReading } from "../responses/webhook-list-reader.js";
import { apiKeyHandlers } from "./api-key.js";
import { withoutSpecialValues, type Properties, type ResourceHandlers } from "./contract.js";
import { guardOwnership } from "./ownership.js";
import type { PluginProcess } from "./process.js";
import { webhookStateHandlers } from "./webhook-state.js";
import { webhookStatesHandlers } from "./webhook-states.js";

/** A webhook as programs see it. */
export type ListedWebhook = Pick<WebhookReading, "webhookId" | "state" | "record">;

/** The handlers of all resources and of the one function. */
export interface PartnerHandlers {
  readonly partnerApiKey: ResourceHandlers;
  readonly partnerWebhookState: ResourceHandlers;
  readonly partnerWebhookStates: ResourceHandlers;
  /** Lists all webhooks of the account. @throws {PartnerError} if the list cannot be read or has further pages. */
  readonly listWebhooks: () => Promise<ListedWebhook[]>;
}

/** Creates the handlers of one plugin process. Both hosts use them. */
export function createHandlers(plugin: PluginProcess): PartnerHandlers {
  const fleet = webhookStatesHandlers(plugin);
  return {
    partnerApiKey: guardOwnership(plugin, apiKeyHandlers(plugin)),
    partnerWebhookState: guardOwnership(plugin, webhookStateHandlers(plugin, fleet)),
    partnerWebhookStates: guardOwnership(plugin, fleet),
    async listWebhooks() {
      const { webhooks } = await plugin.open();
      const listed = (await webhooks.lookUp([])).all();
      return listed.map(({ webhookId, state, record }) => {
        return { webhookId, state, record: withoutSpecialValues(record) as Properties };
      });
    },
  };
}
