const partners = require("pulumi-partners");

exports.declare = function (kind, count) {
  for (let index = 1; index <= count; index += 1) {
    if (kind === "keys") new partners.PartnerApiKey(`key-${index}`);
    else new partners.PartnerWebhookState(`webhook-${index}`, { webhookId: index, state: "active" });
  }
};
