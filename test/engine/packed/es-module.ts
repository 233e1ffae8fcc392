import { PartnerApiKey, PartnerWebhookState } from "pulumi-partners";

const key = new PartnerApiKey("checkout");
const webhook = new PartnerWebhookState("orders", { webhookId: 103, state: "active" });

export const fingerprint = key.fingerprint;
export const state = webhook.state;
export const node = process.version;
export const file = import.meta.filename; // An ES module has it, CommonJS has not.
