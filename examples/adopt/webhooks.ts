import * as partners from "pulumi-partners";

new partners.PartnerWebhookState("webhook-101", { webhookId: 101, state: "active" });
new partners.PartnerWebhookState("webhook-102", { webhookId: 102, state: "disabled" });
new partners.PartnerWebhookState("webhook-103", { webhookId: 103, state: "active" });
