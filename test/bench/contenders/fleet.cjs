const { PartnerWebhookStates } = require("pulumi-partners");

exports.webhooks = (indexes) =>
  new PartnerWebhookStates("fleet", {
    states: Object.fromEntries(indexes.map((index) => [index, "active"])),
  });
