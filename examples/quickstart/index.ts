import * as partners from "pulumi-partners";

// A key for one of our services: created with the stack, deleted with it.
const checkout = new partners.PartnerApiKey("checkout");

// Webhooks that exist at the service, and the state that each is kept in.
const orders = new partners.PartnerWebhookState("orders", {
  webhookId: 101,
  state: "active",
  stateOnDestroy: "restore", // Give the webhook back as it was found.
});
new partners.PartnerWebhookState("refunds", { webhookId: 103, state: "disabled" });

export const apiKey = checkout.apiKey; // A secret: shown only with --show-secrets.
export const fingerprint = checkout.fingerprint;
export const ordersState = orders.state;
