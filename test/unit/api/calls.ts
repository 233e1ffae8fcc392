import { OPERATIONS, type Operation } from "../../../provider/src/api/operations.js";
import type { PartnerClient } from "../../../provider/src/api/partner-client.js";

/** The names of all operations. */
export const operations = Object.keys(OPERATIONS) as Operation[];

/** The key that {@link call} deletes. */
export const KEY = "pk_live_0123456789abcdef";

/** Calls an operation by its name: for webhook 101, or {@link KEY}. */
export function call(client: PartnerClient, operation: Operation): Promise<unknown> {
  switch (operation) {
    case "deleteApiKey":
      return client.deleteApiKey(KEY);
    case "activateWebhook":
    case "disableWebhook":
      return client[operation](101);
    default:
      return client[operation]();
  }
}
