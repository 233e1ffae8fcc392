import * as pulumi from "@pulumi/pulumi";
import * as partners from "pulumi-partners";
import { expect, it } from "vitest";

import { countRequests, Native, NativeProvider, sandboxStack } from "./support.ts";

const DYNAMIC = "pulumi-nodejs:dynamic/partners:";
const NATIVE = "partners:index:";

it("with an alias, a stack moves to the native plugin and back without a request, also with a Provider", async () => {
  const orders = { webhookId: 101, state: "disabled", stateOnDestroy: "restore" } as const;
  let isNative = false;
  const { sandbox, stack, run } = await sandboxStack(() => {
    const settings = { baseUrl: sandbox.url, accessToken: sandbox.accessToken };
    const [Own, from] = isNative ? [NativeProvider, DYNAMIC] : [partners.Provider, NATIVE];
    const provider = new Own("eu", settings);
    const aliased = (type: string) => ({ aliases: [{ type: from + type }] });
    if (!isNative) {
      new partners.PartnerWebhookState("orders", orders, aliased("PartnerWebhookState"));
      new partners.PartnerApiKey("eu-key", {}, { ...aliased("PartnerApiKey"), provider });
      const { apiKey } = new partners.PartnerApiKey("checkout", {}, aliased("PartnerApiKey"));
      return Promise.resolve({ apiKey });
    }
    new Native("PartnerWebhookState", "orders", orders, aliased("PartnerWebhookState"));
    new Native("PartnerApiKey", "eu-key", {}, { ...aliased("PartnerApiKey"), provider });
    const key = new Native("PartnerApiKey", "checkout", {}, aliased("PartnerApiKey"));
    return Promise.resolve({ apiKey: pulumi.secret(key.apiKey) });
  });
  expect((await stack.up()).error).toBe("");
  const { apiKey } = await stack.outputs();
  countRequests(sandbox);

  for (isNative of [true, false]) {
    // Only the Provider is another one.
    expect(await stack.up()).toMatchObject({ error: "", changes: { create: 1, delete: 1, same: 4 } });
    expect(await stack.outputs()).toEqual({ apiKey });
    expect(await stack.stateFile()).not.toContain(isNative ? DYNAMIC : NATIVE);
  }
  expect(countRequests(sandbox)).toEqual({});
  const { error, requests } = await run("destroy");
  expect([error, requests]).toEqual(["", { DELETE: 2, GET: 1, PATCH: 1 }]);
  expect(sandbox.webhooks.get(101)).toBe("active");
});
