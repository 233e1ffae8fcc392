import type { JsonObject } from "../bodies/json.js";
import type { WebhookState } from "../partner-api/operations.js";
import type { PluginProcess } from "../plugin/plugin-process.js";
import { withoutSpecialValues } from "../plugin/properties.js";
import { fleetResource } from "./fleet.js";
import { fleetForm, webhookForm } from "./webhook-forms.js";
import { WebhookRegistry } from "./webhook-registry.js";

/** A webhook as `getPartnerWebhooks` returns it. */
export interface ListedWebhook {
  readonly webhookId: number;
  /** `null` if it is not recognized. */
  readonly state: WebhookState | null;
  /** The record as the service sent it, without what the engine would interpret. It may contain secrets. */
  readonly record: JsonObject;
}

/** Creates the webhook resources and list of a process. They share one registry. */
export function createWebhooks(plugin: PluginProcess) {
  const registry = new WebhookRegistry(plugin);
  const context = { plugin, registry };
  return {
    webhookState: fleetResource(context, webhookForm(context)),
    webhookStates: fleetResource(context, fleetForm(context)),
    /** Lists all webhooks of the account. @throws {PartnerError} if the list is unreadable or incomplete. */
    list: async (): Promise<readonly ListedWebhook[]> => {
      const list = await registry.lookUp([]);
      list.requireComplete("getPartnerWebhooks");
      return Array.from(list.webhooks.values(), ({ webhookId, record }) => ({
        webhookId,
        state: list.stateOf(webhookId),
        record: withoutSpecialValues(record) as JsonObject,
      }));
    },
  };
}
