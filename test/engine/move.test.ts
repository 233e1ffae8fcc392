import * as pulumi from "@pulumi/pulumi";
import * as partners from "pulumi-partners";
import { expect, it } from "vitest";

import { countRequests, Native, NativeProvider, sandboxStack, UNCHANGED } from "./support.ts";

const DYNAMIC = "pulumi-nodejs:dynamic/partners:";
const aliased = (type: string) => ({ aliases: [{ type: DYNAMIC + type }] });

it("with an alias, a stack moves to the native plugin and back without a request", async () => {
  const orders = { webhookId: 101, state: "disabled", stateOnDestroy: "restore" } as const;
  const { sandbox, stack } = await sandboxStack(() => {
    new partners.PartnerWebhookState("orders", orders);
    return Promise.resolve({ apiKey: new partners.PartnerApiKey("checkout").apiKey });
  });
  expect((await stack.up()).error).toBe("");
  const { apiKey } = await stack.outputs();
  countRequests(sandbox);

  stack.setProgram(() => {
    new Native("PartnerWebhookState", "orders", orders, aliased("PartnerWebhookState"));
    const key = new Native("PartnerApiKey", "checkout", {}, aliased("PartnerApiKey"));
    return Promise.resolve({ apiKey: pulumi.secret(key.apiKey) });
  });
  expect(await stack.preview(UNCHANGED)).toMatchObject({ ok: true });
  expect(await stack.up(UNCHANGED)).toMatchObject({ ok: true, changes: { same: 3 } });
  expect(await stack.outputs()).toEqual({ apiKey });
  expect(countRequests(sandbox)).toEqual({});
  expect(await stack.stateFile()).not.toContain(DYNAMIC);

  stack.setProgram(() => {
    const aliases = (type: string) => ({ aliases: [{ type: `partners:index:${type}` }] });
    new partners.PartnerWebhookState("orders", orders, aliases("PartnerWebhookState"));
    return Promise.resolve({
      apiKey: new partners.PartnerApiKey("checkout", {}, aliases("PartnerApiKey")).apiKey,
    });
  });
  const back = await stack.up();
  expect([back.ok, back.error, back.changes]).toEqual([true, "", { same: 3 }]);
  expect(countRequests(sandbox)).toEqual({});
  expect((await stack.destroy()).error).toBe("");
  expect(countRequests(sandbox)).toEqual({ DELETE: 1, GET: 1, PATCH: 1 });
  expect(sandbox.webhooks.get(101)).toBe("active");
});

it("with a Provider, a move replaces only the Provider", async () => {
  const declared = { native: false };
  const { sandbox, stack } = await sandboxStack(() => {
    const settings = { baseUrl: sandbox.url, accessToken: sandbox.accessToken };
    if (!declared.native) {
      const provider = new partners.Provider("eu", settings);
      new partners.PartnerApiKey("checkout", {}, { provider });
    } else {
      const provider = new NativeProvider("eu", settings);
      const aliases = [{ type: `${DYNAMIC}PartnerApiKey` }];
      new Native("PartnerApiKey", "checkout", {}, { aliases, provider });
    }
    return Promise.resolve();
  });
  expect((await stack.up()).error).toBe("");
  countRequests(sandbox);
  declared.native = true;
  expect(await stack.up()).toMatchObject({ error: "", changes: { create: 1, delete: 1, same: 2 } });
  expect(countRequests(sandbox)).toEqual({});
  expect((await stack.destroy()).error).toBe("");
  expect(sandbox.apiKeys).toEqual([]);
});
