const { PartnerApiKey, PartnerWebhookState } = require("pulumi-partners");

const key = new PartnerApiKey("checkout");
const webhook = new PartnerWebhookState("orders", { webhookId: 103, state: "active" });

exports.fingerprint = key.fingerprint;
exports.state = webhook.state;
exports.node = process.version;
exports.file = __filename;
