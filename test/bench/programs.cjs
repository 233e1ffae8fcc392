/* global fetch */
/** The programs to compare. Each declares active webhooks with the given IDs. */
const { CustomResource, dynamic } = require("@pulumi/pulumi");

/** As in an SDK that Pulumi generates. */
exports.native = (ids) => {
  class PartnerWebhookState extends CustomResource {
    constructor(webhookId) {
      const args = { webhookId, state: "active" };
      super("partners:index:PartnerWebhookState", `webhook-${webhookId}`, args);
    }
  }
  for (const id of ids) new PartnerWebhookState(id);
};

exports.dynamic = (ids) => {
  const { PartnerWebhookState } = require("pulumi-partners");
  for (const id of ids) new PartnerWebhookState(`webhook-${id}`, { webhookId: id, state: "active" });
};

exports.fleet = (ids) => {
  const { PartnerWebhookStates } = require("pulumi-partners");
  new PartnerWebhookStates("fleet", { states: Object.fromEntries(ids.map((id) => [id, "active"])) });
};

/** Costs only the engine, the SDK and the serialized handlers. */
exports.floor = (ids) => {
  const handlers = {
    check: async (_olds, news) => ({ inputs: news }),
    diff: async () => ({ changes: false }),
    create: async (inputs) => ({ id: String(inputs.webhookId), outs: inputs }),
    read: async (id, props) => ({ id, props }),
    update: async (_id, _olds, news) => ({ outs: news }),
    delete: async () => {},
  };
  for (const id of ids) new dynamic.Resource(handlers, `webhook-${id}`, { webhookId: id, state: "active" });
};

/** Written by hand, as in tutorials: one request per operation and per read. */
exports.tutorial = (ids) => {
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

  const handlers = {
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
  for (const id of ids) new dynamic.Resource(handlers, `webhook-${id}`, { webhookId: id, state: "active" });
};
