import * as partners from "pulumi-partners";

import type { Kind } from "../case.ts";

/** What {@link ours} declares. */
export function declare(kind: Kind, count: number): void {
  for (let index = 1; index <= count; index += 1) {
    if (kind === "keys") new partners.PartnerApiKey(`key-${index}`);
    else new partners.PartnerWebhookState(`webhook-${index}`, { webhookId: index, state: "active" });
  }
}
