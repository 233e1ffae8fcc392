const { PartnerApiKey, PartnerWebhookState } = require("pulumi-partners");

exports.keys = (index) => new PartnerApiKey(`key-${index}`);
exports.webhooks = (index) =>
  new PartnerWebhookState(`webhook-${index}`, { webhookId: index, state: "active" });
