const { dynamic } = require("@pulumi/pulumi");

/** What is left is the engine, the SDK and the serialized handlers. */
const nothing = {
  check: async (_olds, news) => ({ inputs: news }),
  diff: async () => ({ changes: false }),
  create: async (inputs) => ({ id: String(inputs.webhookId ?? "key"), outs: inputs }),
  read: async (id, props) => ({ id, props }),
  update: async (_id, _olds, news) => ({ outs: news }),
  delete: async () => {},
};

exports.keys = (indexes) =>
  indexes.map((index) => new dynamic.Resource(nothing, `key-${index}`, { apiKey: undefined }));
exports.webhooks = (indexes) =>
  indexes.map(
    (index) => new dynamic.Resource(nothing, `webhook-${index}`, { webhookId: index, state: "active" }),
  );
