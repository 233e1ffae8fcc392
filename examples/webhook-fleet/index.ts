import * as partners from "pulumi-partners";

// These webhooks are disabled. Every other one that exists is active.
const disabled = new Set([102]);

const webhooks = await partners.getPartnerWebhooks();
for (const { webhookId } of webhooks) {
  new partners.PartnerWebhookState(`webhook-${webhookId}`, {
    webhookId,
    state: disabled.has(webhookId) ? "disabled" : "active",
  });
}

export const managed = webhooks.length;
