import * as pulumi from "@pulumi/pulumi";
import * as partners from "pulumi-partners";
import { expect, it } from "vitest";

import { countRequests, replaceAnswers, sandboxFor, stackFor, UNCHANGED } from "./support.ts";

const SECRET = "whsec_of_every_record";

it("the list is known in a preview, shares its GET with the resources, and stays secret in the state", async () => {
  let listed: partners.PartnerWebhook[] = [];
  const eu = await sandboxFor({ 7: "active" });
  const { api, stack, run } = await stackFor(async () => {
    listed = (await partners.getPartnerWebhooks()).webhooks;
    for (const { webhookId } of listed)
      new partners.PartnerWebhookState(`webhook-${webhookId}`, { webhookId, state: "active" });
    const provider = new partners.Provider("eu", { baseUrl: eu.url, accessToken: eu.accessToken });
    const parent = new pulumi.ComponentResource("test:Region", "region", {}, { provider });
    const [ofEu] = (await partners.getPartnerWebhooks({ parent })).webhooks;
    return { euId: ofEu?.webhookId, all: partners.getPartnerWebhooksOutput().webhooks };
  });
  replaceAnswers(api, "listWebhooks", () => ({
    body: Array.from(api.webhooks, ([id, state]) => ({ id, state, signingSecret: SECRET, owner: null })),
  }));
  const preview = await run("preview");
  expect(preview).toMatchObject({ error: "", requests: { GET: 1 } });
  expect(preview.printed).toContain("webhook-103 create");
  expect(countRequests(eu)).toEqual({ GET: 1 });
  expect(listed.map(({ webhookId, state }) => [webhookId, state])).toEqual([...api.webhooks]);
  expect(listed[0]?.record).toEqual({ id: 101, state: "active", signingSecret: SECRET, owner: null });

  const up = await run("up");
  expect(up).toMatchObject({ error: "", requests: { GET: 1, PATCH: 1 } });
  expect(await stack.outputs()).toMatchObject({ euId: 7, all: [{ webhookId: 101 }, {}, {}] });
  for (const text of [await stack.stateFile(), preview.printed, up.printed])
    expect(text).not.toContain(SECRET);

  // A refresh does not report a new webhook as drift; the next `up` manages it.
  api.webhooks.set(104, "active");
  expect(await run("refresh", UNCHANGED)).toMatchObject({ error: "", requests: { GET: 1 } });
  expect(await run("up")).toMatchObject({ error: "", changes: { create: 1 }, requests: { GET: 1 } });
});

it("get reads what another stack manages, without changing or declaring it", async () => {
  const env = { CHECKOUT_KEY: "pk_live_0123456789abcdef_of_another_stack" };
  const { api, stack, run } = await stackFor(
    () => {
      const webhook = partners.PartnerWebhookState.get("orders-of-another", "101");
      const key = partners.PartnerApiKey.get("key-of-another", "env:CHECKOUT_KEY");
      new partners.PartnerWebhookState("orders", { webhookId: 101, state: "active" });
      return Promise.resolve({ state: webhook.state, apiKey: key.apiKey, hint: key.hint });
    },
    { env },
  );
  expect(await run("up")).toMatchObject({ error: "" });
  expect(await stack.outputs()).toEqual({ state: "active", apiKey: env.CHECKOUT_KEY, hint: "tack" });
  expect(await stack.stateFile()).not.toContain(env.CHECKOUT_KEY);
  expect(await run("preview", UNCHANGED)).toMatchObject({ error: "" });
  countRequests(api);
  expect(await run("destroy")).toMatchObject({ error: "", requests: {} });
});
