const { CustomResource } = require("@pulumi/pulumi");

/** As in an SDK that Pulumi generates. */
class Resource extends CustomResource {}

exports.keys = (indexes) =>
  indexes.map((index) => new Resource("partners:index:PartnerApiKey", `key-${index}`, { apiKey: undefined }));
exports.webhooks = (indexes) =>
  indexes.map((index) => {
    const webhook = { webhookId: index, state: "active" };
    return new Resource("partners:index:PartnerWebhookState", `webhook-${index}`, webhook);
  });
