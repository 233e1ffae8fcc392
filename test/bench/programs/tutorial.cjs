/** Resources as one writes them by hand after a tutorial: a request for each operation, and for each thing that is read. */
const pulumi = require("@pulumi/pulumi");

const webhookProvider = {
  async create(inputs) {
    const { request } = await import("undici");
    const action = inputs.state === "active" ? "active" : "disable";
    const { statusCode, body } = await request(
      `${process.env.PARTNERS_BASE_URL}/api/v1/partners/webhooks/${inputs.webhookId}/${action}`,
      { method: "PATCH", headers: { authorization: `Bearer ${process.env.PARTNERS_ACCESS_TOKEN}` } },
    );
    await body.dump();
    if (statusCode !== 200) throw new Error(`status ${statusCode}`);
    return { id: String(inputs.webhookId), outs: inputs };
  },
  async read(id, props) {
    const { request } = await import("undici");
    const { body } = await request(`${process.env.PARTNERS_BASE_URL}/api/v1/partners/webhooks`, {
      headers: { authorization: `Bearer ${process.env.PARTNERS_ACCESS_TOKEN}` },
    });
    const webhooks = await body.json();
    const webhook = webhooks.find(({ webhookId }) => webhookId === props.webhookId);
    return webhook ? { id, props: { ...props, state: webhook.state } } : { id: "", props: {} };
  },
  async update(_id, _olds, news) {
    const { request } = await import("undici");
    const action = news.state === "active" ? "active" : "disable";
    const { statusCode, body } = await request(
      `${process.env.PARTNERS_BASE_URL}/api/v1/partners/webhooks/${news.webhookId}/${action}`,
      { method: "PATCH", headers: { authorization: `Bearer ${process.env.PARTNERS_ACCESS_TOKEN}` } },
    );
    await body.dump();
    if (statusCode !== 200) throw new Error(`status ${statusCode}`);
    return { outs: news };
  },
};

const keyProvider = {
  async create() {
    const { request } = await import("undici");
    const { statusCode, body } = await request(`${process.env.PARTNERS_BASE_URL}/api/v1/partners/api-key`, {
      method: "POST",
      headers: { authorization: `Bearer ${process.env.PARTNERS_ACCESS_TOKEN}` },
    });
    if (statusCode !== 201) throw new Error(`status ${statusCode}`);
    const { apiKey } = await body.json();
    return { id: apiKey.slice(0, 12), outs: { apiKey } };
  },
  async delete(_id, props) {
    const { request } = await import("undici");
    const { statusCode, body } = await request(
      `${process.env.PARTNERS_BASE_URL}/api/v1/partners/api-key/${encodeURIComponent(props.apiKey)}`,
      { method: "DELETE", headers: { authorization: `Bearer ${process.env.PARTNERS_ACCESS_TOKEN}` } },
    );
    await body.dump();
    if (statusCode !== 200) throw new Error(`status ${statusCode}`);
  },
};

class TutorialWebhook extends pulumi.dynamic.Resource {
  constructor(name, args) {
    super(webhookProvider, name, args);
  }
}

class TutorialKey extends pulumi.dynamic.Resource {
  constructor(name) {
    super(keyProvider, name, { apiKey: undefined }, { additionalSecretOutputs: ["apiKey"] });
  }
}

exports.declare = function (kind, count) {
  for (let index = 1; index <= count; index += 1) {
    if (kind === "keys") new TutorialKey(`key-${index}`);
    else new TutorialWebhook(`webhook-${index}`, { webhookId: index, state: "active" });
  }
};
