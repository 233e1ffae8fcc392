import * as partners from "pulumi-partners";

export const apiKey = new partners.PartnerApiKey("checkout").apiKey;

// The old shop has the webhooks below 100: they are disabled, all others are active.
for (const { webhookId } of await partners.getPartnerWebhooks()) {
  const state = webhookId < 100 ? "disabled" : "active";
  new partners.PartnerWebhookState(`webhook-${webhookId}`, { webhookId, state });
}
