import * as partners from "pulumi-partners";

export const apiKey = new partners.PartnerApiKey("checkout").apiKey;

// The old shop has the webhooks below 100: they are disabled, all others are active.
const { webhooks } = await partners.getPartnerWebhooks();
for (const { webhookId } of webhooks) {
  const state = webhookId < 100 ? "disabled" : "active";
  new partners.PartnerWebhookState(`webhook-${webhookId}`, { webhookId, state });
}
