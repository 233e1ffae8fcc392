const { PartnerApiKey, PartnerWebhookState } = require("pulumi-partners");

exports.keys = (indexes) => indexes.map((index) => new PartnerApiKey(`key-${index}`));
exports.webhooks = (indexes) =>
  indexes.map((index) => new PartnerWebhookState(`webhook-${index}`, { webhookId: index, state: "active" }));
