const pulumi = require("@pulumi/pulumi");

/** Handlers that do nothing: what is left is the engine, the SDK and the serialization of the handlers. */
const nothing = {
  async check(_olds, news) {
    return { inputs: news };
  },
  async diff() {
    return { changes: false };
  },
  async create(inputs) {
    return { id: String(inputs.webhookId ?? "key"), outs: inputs };
  },
  async read(id, props) {
    return { id, props };
  },
  async update(_id, _olds, news) {
    return { outs: news };
  },
  async delete() {},
};

class Nothing extends pulumi.dynamic.Resource {
  constructor(name, args) {
    super(nothing, name, args);
  }
}

exports.declare = function (kind, count) {
  for (let index = 1; index <= count; index += 1) {
    if (kind === "keys") new Nothing(`key-${index}`, { apiKey: undefined });
    else new Nothing(`webhook-${index}`, { webhookId: index, state: "active" });
  }
};
