import * as partners from "pulumi-partners";

const key = new partners.PartnerApiKey("checkout");
const webhook = new partners.PartnerWebhookState("orders", { webhookId: 103, state: "active" });

export const fingerprint = key.fingerprint;
export const state = webhook.state;
export const node = process.version;
export const file = __filename; // CommonJS has it, an ES module has not.
