import * as pulumi from "@pulumi/pulumi";
import * as partners from "pulumi-partners";
import { startSandbox, type Webhook } from "../support/sandbox.ts";
import { expect, it, onTestFinished } from "vitest";

import { countRequests, sandboxStack } from "./support.ts";

const SECRET = "whsec_of_every_record";
/** Records with a secret in them, and a null. */
const shape = {
  apiKey: ({ key }: { key: string }) => ({ apiKey: key }),
  webhooks: (list: readonly Webhook[]) =>
    list.map((webhook) => ({ ...webhook, signingSecret: SECRET, owner: null })),
};

it("the list is known at preview, shares the one GET, and keeps the records secret in the state", async () => {
  let listed: partners.PartnerWebhook[] = [];
  const { sandbox, stack } = await sandboxStack(
    async () => {
      listed = await partners.getPartnerWebhooks();
      for (const { webhookId } of listed) {
        new partners.PartnerWebhookState(`webhook-${webhookId}`, { webhookId, state: "active" });
      }
      const all = partners.getPartnerWebhooksOutput();
      return { all, ids: pulumi.unsecret(all.apply((list) => list.map(({ webhookId }) => webhookId))) };
    },
    { shape },
  );

  const preview = await stack.preview();
  expect(preview).toMatchObject({ ok: true, changes: { create: 4 } });
  expect(preview.stdout).toContain("webhook-103 create");
  expect(countRequests(sandbox)).toEqual({ GET: 1 });
  expect(listed.map(({ webhookId, state }) => [webhookId, state])).toEqual([
    [101, "active"],
    [102, "active"],
    [103, "disabled"],
  ]);
  expect(listed[0]?.record).toMatchObject({ webhookId: 101, signingSecret: SECRET, owner: null });

  const up = await stack.up();
  expect(up).toMatchObject({ ok: true, changes: { create: 4 } });
  expect(countRequests(sandbox)).toEqual({ GET: 1, PATCH: 1 });
  expect(await stack.outputs()).toMatchObject({ ids: [101, 102, 103], all: [{ webhookId: 101 }, {}, {}] });
  for (const text of [await stack.stateFile(), preview.stdout, preview.eventLog, up.stdout, up.eventLog])
    expect(text).not.toContain(SECRET);

  // A new list is no change of the stack: neither for an update, nor for a refresh.
  expect(await stack.preview({ flags: ["--expect-no-changes"] })).toMatchObject({ ok: true });
  expect(listed[2]?.state).toBe("active");
  expect(countRequests(sandbox)).toEqual({ GET: 1 });
  sandbox.addWebhook(104, "active");
  expect(await stack.refresh({ flags: ["--expect-no-changes"] })).toMatchObject({ ok: true });
  expect(countRequests(sandbox)).toEqual({ GET: 1 });
  expect(await stack.up()).toMatchObject({ ok: true, changes: { create: 1, same: 4 } });
  expect(countRequests(sandbox)).toEqual({ GET: 1 });

  const destroy = await stack.destroy();
  expect(destroy).toMatchObject({ ok: true, changes: { delete: 5 } });
  expect(countRequests(sandbox)).toEqual({});
});

it("each provider is asked for its own account, also the one that a component hands down", async () => {
  const eu = await startSandbox({ webhooks: [{ webhookId: 7, state: "active" }] });
  onTestFinished(() => eu.close());
  const { sandbox, stack } = await sandboxStack(async () => {
    const accessToken = pulumi.secret(eu.accessToken);
    const provider = new partners.Provider("eu", { baseUrl: eu.url, accessToken });
    const parent = new pulumi.ComponentResource("test:Region", "region", {}, { provider });
    const ids = (list: partners.PartnerWebhook[]): number[] => list.map(({ webhookId }) => webhookId);
    return {
      byProvider: ids(await partners.getPartnerWebhooks({ provider })),
      byParent: ids(await partners.getPartnerWebhooks({ parent })),
      byDefault: ids(await partners.getPartnerWebhooks()),
    };
  });
  expect(await stack.up()).toMatchObject({ ok: true });
  expect(await stack.outputs()).toEqual({ byProvider: [7], byParent: [7], byDefault: [101, 102, 103] });
  expect([countRequests(eu), countRequests(sandbox)]).toEqual([{ GET: 1 }, { GET: 1 }]);
});

it("a list that cannot be had, or is not all, fails the preview and says why", async () => {
  const { sandbox, stack } = await sandboxStack(
    async () => {
      await partners.getPartnerWebhooks();
    },
    { shape: { ...shape, webhooks: (list) => ({ data: list, hasMore: true }) } },
  );
  const more = await stack.preview();
  expect(more.ok).toBe(false);
  expect(more.stdout).toContain("the list shows signs of further pages");
  sandbox.inject({ kind: "status", status: 401, times: Infinity });
  const rejected = await stack.preview();
  expect(rejected.ok).toBe(false);
  expect(rejected.stdout).toContain("401");
  expect(rejected.stdout).not.toContain("at Object.");
});

it("settings that are not known yet are told of, and the output form waits for them", async () => {
  let form: "plain" | "output" = "plain";
  const { sandbox, stack } = await sandboxStack(async () => {
    const key = new partners.PartnerApiKey("checkout"); // Its outputs are unknown in a preview.
    const baseUrl = pulumi.unsecret(key.apiKey.apply(() => sandbox.url));
    const provider = new partners.Provider("later", { baseUrl, accessToken: sandbox.accessToken });
    if (form === "plain") return { list: await partners.getPartnerWebhooks({ provider }) };
    return { count: partners.getPartnerWebhooksOutput({ provider }).apply((list) => list.length) };
  });
  const preview = await stack.preview();
  expect(preview.ok).toBe(false);
  expect(preview.stdout).toContain("the settings of the provider are not known yet");
  form = "output";
  expect(await stack.preview()).toMatchObject({ ok: true });
  expect(await stack.up()).toMatchObject({ ok: true });
  expect(await stack.outputs()).toEqual({ count: 3 });
});
