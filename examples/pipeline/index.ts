import * as partners from "pulumi-partners";

// The nightly run rotates the key after 90 days. The old key stays valid for 7 more days, so there is time to
// fix failing runs.
const checkout = new partners.PartnerApiKey("checkout", { rotation: { afterDays: 90, overlapDays: 7 } });

new partners.PartnerWebhookState("orders", { webhookId: 101, state: "active" });
new partners.PartnerWebhookState("refunds", { webhookId: 103, state: "disabled" });

export const apiKey = checkout.apiKey;
export const previousApiKey = checkout.previousApiKey;
