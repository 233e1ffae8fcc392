import type { JsonObject } from "../bodies/json.js";
import type { WebhookState } from "../partner-api/operations.js";
import type { AccountSession } from "../plugin/account-session.js";
import { withoutSpecialValues } from "../plugin/properties.js";
import { Declarations } from "./declarations.js";
import { fleetResource } from "./fleet.js";
import { fleetForm, webhookForm } from "./webhook-forms.js";
import { WebhookLists } from "./webhook-list.js";

/** A webhook as `getPartnerWebhooks` returns it. */
export interface ListedWebhook {
  readonly webhookId: number;
  /** `null` if it is not recognized. */
  readonly state: WebhookState | null;
  /** The record as the service sent it, without what the engine would interpret. It may contain secrets. */
  readonly record: JsonObject;
}

/** Creates the webhook resources and list of a process. */
export function createWebhooks(session: AccountSession) {
  const lists = new WebhookLists(session);
  const context = { session, declarations: new Declarations(), lists };
  return {
    webhookState: fleetResource(context, webhookForm(context)),
    webhookStates: fleetResource(context, fleetForm(context)),
    /** Lists all webhooks of the account. @throws {PartnerError} if the list is unreadable or incomplete. */
    list: async (): Promise<readonly ListedWebhook[]> => {
      const list = await lists.lookUp([]);
      list.requireComplete("all");
      return Array.from(list.webhooks.values(), ({ webhookId, record }) => ({
        webhookId,
        state: list.stateOf(webhookId),
        record: withoutSpecialValues(record) as JsonObject,
      }));
    },
  };
}
