import * as pulumi from "@pulumi/pulumi";
import * as partners from "pulumi-partners";
import { expect, it } from "vitest";

import {
  countRequests,
  Native,
  NativeProvider,
  sandboxFor,
  sandboxStack,
  UNCHANGED,
  type SandboxOptions,
} from "./support.ts";

const SECRET = "whsec_of_every_record";
const urlOf = (webhookId: number): string => `https://hooks.example.com/${webhookId}`;
/** Adds a URL, a secret and a null to each record. */
const shape: SandboxOptions["shape"] = {
  apiKey: ({ key }) => ({ apiKey: key }),
  webhooks: (list) =>
    list.map((webhook) => {
      return { ...webhook, url: urlOf(webhook.webhookId), signingSecret: SECRET, owner: null };
    }),
};

it("get reads what another stack manages, without changing or declaring it", async () => {
  const env = { CHECKOUT_KEY: "pk_live_0123456789abcdef_of_another_stack" };
  const { sandbox, stack } = await sandboxStack(
    () => {
      const webhook = partners.PartnerWebhookState.get("orders-of-another", "101");
      const key = partners.PartnerApiKey.get("key-of-another", "env:CHECKOUT_KEY");
      new partners.PartnerWebhookState("orders", { webhookId: 101, state: "active" });
      return Promise.resolve({ state: webhook.state, apiKey: key.apiKey, hint: key.hint });
    },
    {},
    { env },
  );
  expect(await stack.up()).toMatchObject({ ok: true });
  expect(await stack.outputs()).toEqual({ state: "active", apiKey: env.CHECKOUT_KEY, hint: "tack" });
  expect(await stack.stateFile()).not.toContain(env.CHECKOUT_KEY);
  expect(await stack.preview(UNCHANGED)).toMatchObject({ ok: true });
  expect(await stack.destroy()).toMatchObject({ ok: true });
  expect(Object.keys(countRequests(sandbox))).toEqual(["GET"]);
});

it("the list is known in a preview, shares its GET with the resources, and stays secret in the state", async () => {
  let listed: partners.PartnerWebhook[] = [];
  const eu = await sandboxFor({ webhooks: [{ webhookId: 7, state: "active" }] });
  const { sandbox, stack, run } = await sandboxStack(
    async () => {
      listed = (await partners.getPartnerWebhooks()).webhooks;
      for (const { webhookId } of listed)
        new partners.PartnerWebhookState(`webhook-${webhookId}`, { webhookId, state: "active" });
      const provider = new partners.Provider("eu", { baseUrl: eu.url, accessToken: eu.accessToken });
      const parent = new pulumi.ComponentResource("test:Region", "region", {}, { provider });
      const [ofEu] = (await partners.getPartnerWebhooks({ parent })).webhooks;
      const { webhookId: foundId } = await partners.getPartnerWebhook({ url: urlOf(102) });
      return { foundId, euId: ofEu?.webhookId, all: partners.getPartnerWebhooksOutput().webhooks };
    },
    { shape },
  );
  const preview = await stack.preview();
  expect(preview).toMatchObject({ ok: true });
  expect(preview.stdout).toContain("webhook-103 create");
  expect(listed.map(({ webhookId, state }) => [webhookId, state])).toEqual([
    [101, "active"],
    [102, "active"],
    [103, "disabled"],
  ]);
  expect(listed[0]?.record).toMatchObject({ webhookId: 101, signingSecret: SECRET, owner: null });
  expect([countRequests(sandbox), countRequests(eu)]).toEqual([{ GET: 1 }, { GET: 1 }]);

  const up = await stack.up();
  expect(up).toMatchObject({ ok: true });
  expect(countRequests(sandbox)).toEqual({ GET: 1, PATCH: 1 });
  expect(await stack.outputs()).toMatchObject({ foundId: 102, euId: 7, all: [{ webhookId: 101 }, {}, {}] });
  for (const text of [await stack.stateFile(), preview.stdout, preview.eventLog, up.stdout, up.eventLog])
    expect(text).not.toContain(SECRET);

  // A refresh does not report a new webhook as drift; the next `up` manages it.
  sandbox.addWebhook(104, "active");
  expect(await run("refresh", ...UNCHANGED.flags)).toMatchObject({ error: "", requests: { GET: 1 } });
  expect(await run("up")).toMatchObject({ error: "", changes: { create: 1 }, requests: { GET: 1 } });
});

it("settings that are unknown in a preview require getPartnerWebhooksOutput", async () => {
  const later = (): pulumi.InvokeOptions => {
    const key = new partners.PartnerApiKey("checkout"); // Its outputs are unknown in a preview.
    const baseUrl = pulumi.unsecret(key.apiKey.apply(() => sandbox.url));
    const { accessToken } = sandbox;
    return { provider: new partners.Provider("later", { baseUrl, accessToken }) };
  };
  let program = async (): Promise<unknown> => ({ list: await partners.getPartnerWebhooks(later()) });
  const { sandbox, stack } = await sandboxStack(() => program());
  const unknown = await stack.preview();
  expect(unknown.ok).toBe(false);
  expect(unknown.stdout).toContain("getPartnerWebhooksOutput");
  program = () => {
    const { webhooks } = partners.getPartnerWebhooksOutput(later());
    return Promise.resolve({ count: webhooks.length });
  };
  expect(await stack.up()).toMatchObject({ ok: true });
  expect(await stack.outputs()).toEqual({ count: 3 });
});

it("components of two types may each have a Provider of the same name", async () => {
  const { sandbox, run } = await sandboxStack(async () => {
    for (const type of ["test:Shop", "test:Blog"]) {
      const parent = new pulumi.ComponentResource(type, type);
      const settings = { baseUrl: sandbox.url, accessToken: sandbox.accessToken, account: type };
      const provider = new partners.Provider("eu", settings, { parent });
      expect((await partners.getPartnerWebhooks({ provider })).webhooks).toHaveLength(3);
    }
  });
  expect(await run("preview")).toMatchObject({ error: "", requests: { GET: 2 } });
});

it("a list, and a webhook in it, whose provider is not known yet are unknown in a preview, together with the setting", async () => {
  const declare = () => {
    const key = new Native("PartnerApiKey", "checkout", {});
    const baseUrl = pulumi.unsecret(key.apiKey.apply(() => sandbox.url));
    const provider = new NativeProvider("later", { baseUrl, accessToken: sandbox.accessToken });
    // As a generated SDK does it. The engine answers an empty object while the provider is not configured.
    const list = pulumi.runtime.invokeOutput<{ webhooks: object[] }>(
      "partners:index:getPartnerWebhooks",
      {},
      { provider },
    );
    const count = pulumi.all([list, baseUrl]).apply(([{ webhooks }]) => webhooks.length);
    const found = pulumi.runtime.invokeOutput<{ webhookId: number }>(
      "partners:index:getPartnerWebhook",
      { url: urlOf(102) },
      { provider },
    );
    const foundId = pulumi.all([found, baseUrl]).apply(([{ webhookId }]) => webhookId);
    return Promise.resolve({ count: pulumi.unsecret(count), foundId: pulumi.unsecret(foundId) });
  };
  const { sandbox, stack, run, results } = await sandboxStack(declare, { shape });
  expect(await run("preview")).toMatchObject({ error: "" });
  expect(results[0]?.stdout).toMatch(/count *: \[unknown\]\s+foundId *: \[unknown\]/);
  expect(await run("up")).toMatchObject({ error: "" });
  expect(await stack.outputs()).toEqual({ count: 3, foundId: 102 });
});
