import * as pulumi from "@pulumi/pulumi";
import * as partners from "pulumi-partners";

// pulumi config set --secret existingApiKey; after the first `pulumi up`, it can be removed again.
const existingApiKey = new pulumi.Config().getSecret("existingApiKey");

const checkout = new partners.PartnerApiKey("checkout", { ...(existingApiKey && { existingApiKey }) });

// A webhook always exists already: the provider makes none.
new partners.PartnerWebhookState("orders", { webhookId: 101, state: "active" });

export const apiKey = checkout.apiKey;
