/* global fetch */
/** Resources written by hand, as tutorials do it: one request for each operation and each read. */
const { dynamic } = require("@pulumi/pulumi");

async function call(method, path) {
  const response = await fetch(`${process.env.PARTNERS_BASE_URL}/api/v1/partners/${path}`, {
    method,
    headers: { authorization: `Bearer ${process.env.PARTNERS_ACCESS_TOKEN}` },
  });
  if (!response.ok) throw new Error(`status ${response.status}`);
  return response.json();
}

async function setState({ webhookId, state }) {
  await call("PATCH", `webhooks/${webhookId}/${state === "active" ? "active" : "disable"}`);
}

const webhook = {
  async create(inputs) {
    await setState(inputs);
    return { id: String(inputs.webhookId), outs: inputs };
  },
  async read(id, props) {
    const list = await call("GET", "webhooks");
    const found = list.find(({ webhookId }) => webhookId === props.webhookId);
    return found ? { id, props: { ...props, state: found.state } } : { id: "", props: {} };
  },
  async update(_id, _olds, news) {
    await setState(news);
    return { outs: news };
  },
};

const key = {
  async create() {
    const { apiKey } = await call("POST", "api-key");
    return { id: apiKey.slice(0, 12), outs: { apiKey } };
  },
  async delete(_id, { apiKey }) {
    await call("DELETE", `api-key/${encodeURIComponent(apiKey)}`);
  },
};

const secret = { additionalSecretOutputs: ["apiKey"] };
exports.keys = (indexes) =>
  indexes.map((index) => new dynamic.Resource(key, `key-${index}`, { apiKey: undefined }, secret));
exports.webhooks = (indexes) =>
  indexes.map(
    (index) => new dynamic.Resource(webhook, `webhook-${index}`, { webhookId: index, state: "active" }),
  );
