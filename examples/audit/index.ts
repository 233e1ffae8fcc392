import * as pulumi from "@pulumi/pulumi";
import * as partners from "pulumi-partners";

const declared = { orders: 101, refunds: 103 };

for (const [name, webhookId] of Object.entries(declared)) {
  new partners.PartnerWebhookState(name, { webhookId, state: "active" });
}

// Warn about webhooks that exist but are not declared, and list them in the outputs.
const known = new Set(Object.values(declared));
const { webhooks } = await partners.getPartnerWebhooks();
const unmanaged = webhooks.filter(({ webhookId }) => !known.has(webhookId));
for (const { webhookId, state } of unmanaged) {
  await pulumi.log.warn(`webhook ${webhookId} (${state ?? "state unknown"}) is not declared`);
}

export const undeclared = unmanaged.map(({ webhookId }) => webhookId);
