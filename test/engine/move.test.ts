import * as pulumi from "@pulumi/pulumi";
import * as partners from "pulumi-partners";
import { expect, it } from "vitest";

import { countRequests, Native, NativeProvider, sandboxFor, sandboxStack, UNCHANGED } from "./support.ts";

const DYNAMIC = "pulumi-nodejs:dynamic/partners:";
const NATIVE = "partners:index:";

/** Declares a resource in one form, with an alias for the other one. */
function declare(
  isNative: boolean,
  type: "PartnerApiKey" | "PartnerWebhookState" | "PartnerWebhookStates",
  name: string,
  args: object = {},
  provider?: pulumi.ProviderResource,
) {
  const opts = { aliases: [{ type: (isNative ? DYNAMIC : NATIVE) + type }], ...(provider && { provider }) };
  if (isNative) return new Native(type, name, { ...args }, opts);
  const Resource = partners[type] as new (...args: unknown[]) => partners.PartnerApiKey;
  return new Resource(name, args, opts);
}

it("with aliases, a stack moves to the native plugin and back without a request, and then works as before", async () => {
  const eu = await sandboxFor();
  let [isNative, trigger, withExtra] = [false, "1", true];
  const { sandbox, stack, run } = await sandboxStack(() => {
    const Own = isNative ? NativeProvider : partners.Provider;
    const [one, two] = ["eu", "eu-2"].map(
      (name) => new Own(name, { baseUrl: eu.url, accessToken: eu.accessToken, account: name }),
    );
    const inUse = { webhookId: 101, state: "disabled", stateOnDestroy: "restore" };
    declare(isNative, "PartnerWebhookState", "orders", inUse);
    declare(isNative, "PartnerWebhookState", "orders-eu", inUse, one);
    declare(isNative, "PartnerApiKey", "eu-key", {}, one);
    declare(isNative, "PartnerApiKey", "eu-key-2", {}, two);
    const states = { 102: "disabled", 103: "active" };
    declare(isNative, "PartnerWebhookStates", "fleet", { states, stateOnDestroy: "restore" });
    if (withExtra) {
      declare(isNative, "PartnerApiKey", "extra");
      const args = { webhookId: 103, state: "active", stateOnDestroy: "restore" };
      declare(isNative, "PartnerWebhookState", "extra-eu", args, one);
    }
    const rotation = { trigger, overlapDays: 7 };
    const { apiKey, previousApiKey } = declare(isNative, "PartnerApiKey", "checkout", { rotation });
    return Promise.resolve({ apiKey: pulumi.secret(apiKey), previousApiKey: pulumi.secret(previousApiKey) });
  });
  const found = [sandbox, eu].map(({ webhooks }) => [...webhooks]);
  const requests = () => [countRequests(sandbox), countRequests(eu)];

  expect(await run("up")).toMatchObject({ error: "" });
  trigger = "2";
  expect(await run("up")).toMatchObject({ error: "", requests: { POST: 1 } });
  countRequests(eu);
  const outputs = await stack.outputs();
  for (isNative of [true, false]) {
    // Each Provider is another one, and the move back stores `__provider` with each resource.
    const changes = { create: 2, delete: 2, ...(isNative ? { same: 9 } : { update: 6, same: 1 }) };
    expect(await stack.up()).toMatchObject({ error: "", changes });
    expect(requests()).toEqual([{}, {}]);
    expect(await stack.outputs()).toEqual(outputs);
    expect(await stack.stateFile()).not.toContain(isNative ? DYNAMIC : NATIVE);
    expect((await stack.refresh(UNCHANGED)).error).toBe("");
    expect(requests()).toEqual([{ GET: 1 }, { GET: 1 }]);

    if (!isNative) continue;
    withExtra = false;
    expect(await stack.up()).toMatchObject({ error: "", changes: { delete: 2, same: 9 } });
    expect(requests()).toEqual([{ DELETE: 1 }, { GET: 1, PATCH: 1 }]);
  }
  expect(await stack.destroy()).toMatchObject({ error: "", changes: { delete: 9 } });
  expect(requests()).toEqual([
    { DELETE: 2, GET: 1, PATCH: 3 },
    { DELETE: 2, GET: 1, PATCH: 1 },
  ]);
  expect([sandbox, eu].map(({ webhooks, apiKeys }) => [[...webhooks], apiKeys])).toEqual(
    found.map((states) => [states, []]),
  );
});

it("a key that a move back replaces can still be deleted after its deletion failed", async () => {
  let [isNative, trigger] = [true, "1"];
  const { sandbox, run } = await sandboxStack(() => {
    const settings = { baseUrl: sandbox.url, accessToken: sandbox.accessToken };
    const provider = new (isNative ? NativeProvider : partners.Provider)("eu", settings);
    declare(isNative, "PartnerApiKey", "checkout", { rotation: { trigger, overlapDays: 0 } });
    declare(isNative, "PartnerApiKey", "eu-key", { rotation: { trigger, overlapDays: 0 } }, provider);
    return Promise.resolve();
  });
  expect(await run("up")).toMatchObject({ error: "" });
  [isNative, trigger] = [false, "2"];
  sandbox.inject({ kind: "status", operation: "deleteApiKey", status: 403, times: 2 });
  const failed = await run("up");
  expect(failed).toMatchObject({ requests: { GET: 2, POST: 2, DELETE: 2 } });
  expect(failed.error).toContain("403");
  // The plugin deletes the old keys, and the dynamic host the new ones.
  expect(await run("destroy", "--refresh")).toMatchObject({ error: "", requests: { DELETE: 4 } });
  expect(sandbox.apiKeys).toEqual([]);
});
