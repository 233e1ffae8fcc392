import type { JsonObject } from "../json.js";
import type { WebhookState } from "../partner-api/operations.js";
import type { PluginProcess } from "../plugin/plugin-process.js";
import { withoutSpecialValues } from "../plugin/properties.js";
import { fleetResource } from "./fleet.js";
import { fleetForm, webhookForm } from "./webhook-forms.js";
import { listIncomplete } from "./webhook-messages.js";
import { WebhookRegistry } from "./webhook-registry.js";

/** A webhook as `getPartnerWebhooks` returns it. */
export interface ListedWebhook {
  readonly webhookId: number;
  /** `null` if it is not recognized. */
  readonly state: WebhookState | null;
  /** The record as the service sent it, without what the engine would interpret. It may contain secrets. */
  readonly record: JsonObject;
}

/** Creates the webhook side of a process: two resources and a list. They share one registry. */
export function createWebhooks(plugin: PluginProcess) {
  const registry = new WebhookRegistry(plugin);
  const context = { plugin, registry };
  return {
    webhookState: fleetResource(context, webhookForm(context)),
    webhookStates: fleetResource(context, fleetForm(context)),
    /** Lists all webhooks of the account. @throws {PartnerError} if the list cannot be read, or goes on. */
    list: async (): Promise<readonly ListedWebhook[]> => {
      const found = await registry.lookUp([]);
      const { webhooks, moreSign } = found;
      if (moreSign !== null) throw listIncomplete("getPartnerWebhooks", moreSign, plugin.settingName);
      return Array.from(webhooks.values(), ({ webhookId, record }) => ({
        webhookId,
        state: found.stateOf(webhookId),
        record: withoutSpecialValues(record) as JsonObject,
      }));
    },
  };
}
