/** Resources as one writes them by hand after a tutorial: a request for each operation, and for each thing that is read. */
import pulumi from "@pulumi/pulumi";

const webhookProvider: pulumi.dynamic.ResourceProvider = {
  async create(inputs: { webhookId: number; state: "active" | "disabled" }) {
    const { request } = await import("undici");
    const action = inputs.state === "active" ? "active" : "disable";
    const { statusCode, body } = await request(
      `${process.env["PARTNERS_BASE_URL"] ?? ""}/api/v1/partners/webhooks/${inputs.webhookId}/${action}`,
      {
        method: "PATCH",
        headers: { authorization: `Bearer ${process.env["PARTNERS_ACCESS_TOKEN"] ?? ""}` },
      },
    );
    await body.dump();
    if (statusCode !== 200) throw new Error(`status ${statusCode}`);
    return { id: String(inputs.webhookId), outs: inputs };
  },
  async read(id: string, props: { webhookId: number }) {
    const { request } = await import("undici");
    const { body } = await request(`${process.env["PARTNERS_BASE_URL"] ?? ""}/api/v1/partners/webhooks`, {
      headers: { authorization: `Bearer ${process.env["PARTNERS_ACCESS_TOKEN"] ?? ""}` },
    });
    const webhooks = (await body.json()) as { webhookId: number; state: string }[];
    const webhook = webhooks.find(({ webhookId }) => webhookId === props.webhookId);
    return webhook ? { id, props: { ...props, state: webhook.state } } : { id: "", props: {} };
  },
  async update(_id: string, _olds: object, news: { webhookId: number; state: "active" | "disabled" }) {
    const { request } = await import("undici");
    const action = news.state === "active" ? "active" : "disable";
    const { statusCode, body } = await request(
      `${process.env["PARTNERS_BASE_URL"] ?? ""}/api/v1/partners/webhooks/${news.webhookId}/${action}`,
      {
        method: "PATCH",
        headers: { authorization: `Bearer ${process.env["PARTNERS_ACCESS_TOKEN"] ?? ""}` },
      },
    );
    await body.dump();
    if (statusCode !== 200) throw new Error(`status ${statusCode}`);
    return { outs: news };
  },
};

const keyProvider: pulumi.dynamic.ResourceProvider = {
  async create() {
    const { request } = await import("undici");
    const { statusCode, body } = await request(
      `${process.env["PARTNERS_BASE_URL"] ?? ""}/api/v1/partners/api-key`,
      {
        method: "POST",
        headers: { authorization: `Bearer ${process.env["PARTNERS_ACCESS_TOKEN"] ?? ""}` },
      },
    );
    if (statusCode !== 201) throw new Error(`status ${statusCode}`);
    const { apiKey } = (await body.json()) as { apiKey: string };
    return { id: apiKey.slice(0, 12), outs: { apiKey } };
  },
  async delete(_id: string, props: { apiKey: string }) {
    const { request } = await import("undici");
    const { statusCode, body } = await request(
      `${process.env["PARTNERS_BASE_URL"] ?? ""}/api/v1/partners/api-key/${encodeURIComponent(props.apiKey)}`,
      {
        method: "DELETE",
        headers: { authorization: `Bearer ${process.env["PARTNERS_ACCESS_TOKEN"] ?? ""}` },
      },
    );
    await body.dump();
    if (statusCode !== 200) throw new Error(`status ${statusCode}`);
  },
};

/** The state of a webhook, by hand. */
export class TutorialWebhook extends pulumi.dynamic.Resource {
  constructor(name: string, args: { webhookId: number; state: "active" | "disabled" }) {
    super(webhookProvider, name, args);
  }
}

/** A key, by hand. */
export class TutorialKey extends pulumi.dynamic.Resource {
  constructor(name: string) {
    super(keyProvider, name, { apiKey: undefined }, { additionalSecretOutputs: ["apiKey"] });
  }
}
