import * as pulumi from "@pulumi/pulumi";
import * as partners from "pulumi-partners";
import { expect, it } from "vitest";

import { startPartnerApi } from "../support/partner-api-server.ts";
import {
  countRequests,
  declareKey,
  declareWebhook,
  HOSTS,
  NativeProvider,
  program,
  sandboxFor,
  stackFor,
  UNCHANGED,
  urnOf,
  type PartnerApiServer,
} from "./support.ts";

/** Counts the keys and active webhooks in an account. */
function held({ keys, webhooks }: PartnerApiServer): number {
  return keys.size + (webhooks.get(101) === "active" ? 1 : 0);
}

it("a resource that moves to another account is replaced: deleted in the old one, created in the new one", async () => {
  const webhooks = { 101: "disabled" } as const;
  const eu = await sandboxFor(webhooks);
  let declared = { name: "", account: "default" };
  const { api, stack, run } = await stackFor(
    program(() => {
      const { name, account } = declared;
      const { url: baseUrl, accessToken } = account === "eu" ? eu : api;
      const aliases = name === "europe" ? [{ name: "eu" }] : [];
      const provider = name && new partners.Provider(name, { baseUrl, accessToken, account }, { aliases });
      const opts = provider ? { provider } : {};
      const key = new partners.PartnerApiKey("checkout", {}, opts);
      const args = { webhookId: 101, state: "active", stateOnDestroy: "disabled" } as const;
      new partners.PartnerWebhookState("orders", args, opts);
      return { apiKey: key.apiKey, account: key.account };
    }),
    { webhooks },
  );
  expect(await run("up")).toMatchObject({ error: "" });
  expect([held(api), held(eu)]).toEqual([2, 0]);

  // Adding a provider for the same account changes nothing.
  declared = { name: "main", account: "default" };
  expect(await run("up")).toMatchObject({ error: "", requests: {} });

  declared = { name: "eu", account: "eu" };
  const moved = await run("up");
  expect(moved).toMatchObject({
    error: "",
    changes: { replace: 2 },
    requests: { GET: 1, DELETE: 1, PATCH: 1 },
  });
  expect(moved.printed).toContain("PartnerApiKey checkout replaced");
  expect([held(api), held(eu)]).toEqual([0, 2]);
  expect(await stack.outputs()).toEqual({ apiKey: [...eu.keys][0], account: "eu" });
  expect(countRequests(eu)).toEqual({ GET: 1, POST: 1, PATCH: 1 });

  // A provider that is renamed with an alias touches no resource.
  declared = { name: "europe", account: "eu" };
  expect((await run("up")).changes).not.toHaveProperty("replace");
  expect([countRequests(eu), await run("preview", UNCHANGED)]).toMatchObject([{}, { error: "" }]);
  // A destroy does not run the program.
  expect(await run("destroy")).toMatchObject({ error: "" });
  expect([held(api), held(eu)]).toEqual([0, 0]);
});

it.each(HOSTS)(
  "another address fails until previousBaseUrl says that it is the same account (%s)",
  async (host) => {
    const { api, stack, run } = await stackFor(
      program(() => {
        declareKey(host, "checkout");
        declareWebhook(host, "orders", { webhookId: 101, state: "active" });
      }),
      { env: { PARTNERS_BASE_URL: "" } },
    );
    await stack.configure({ baseUrl: api.url, accessToken: api.accessToken });
    expect(await run("up")).toMatchObject({ error: "" });
    // The account moves to another address, with its keys and webhooks.
    await using moved = await moveTo(api);
    await stack.configure({ baseUrl: moved.url });
    for (const operation of ["preview", "up"] as const) {
      const { error, printed } = await run(operation);
      expect(error + printed).toContain("partners:previousBaseUrl");
    }
    await stack.configure({ previousBaseUrl: api.url });
    const preview = await run("preview");
    expect(preview).toMatchObject({ error: "", changes: { update: 2 } });
    expect(await run("up")).toMatchObject({ error: "", changes: { update: 2 } });
    expect([moved.requests, api.requests]).toEqual([[], []]);
    await stack.pulumi("config", "rm", "partners:previousBaseUrl");
    expect(await run("preview", UNCHANGED)).toMatchObject({ error: "" });
    expect(await run("destroy", "--run-program")).toMatchObject({ error: "" });
    expect([api.keys.size, moved.requests.length]).toEqual([0, 1]);
  },
);

/** Starts a service at another address that has the same account. */
async function moveTo(api: PartnerApiServer) {
  const moved = await startPartnerApi({}, api.accessToken);
  Object.assign(moved.answers, api.answers);
  return { ...moved, [Symbol.asyncDispose]: () => moved.close() };
}

it("--replace with another address creates the key there, and does not delete the old one anywhere", async () => {
  const { api, stack, run } = await stackFor(
    program(() => {
      declareKey("native", "checkout");
    }),
    { env: { PARTNERS_BASE_URL: "" } },
  );
  await stack.configure({ baseUrl: api.url, accessToken: api.accessToken });
  expect(await run("up")).toMatchObject({ error: "" });
  const other = await sandboxFor();
  await stack.configure({ baseUrl: other.url });
  const { error } = await run("up", "--replace", urnOf("native", "PartnerApiKey", "checkout"));
  expect(error).toMatch(/belongs to http.*\[PARTNERS_RESOURCE\]/s);
  expect([api.keys.size, api.requests, other.keys.size]).toEqual([1, [], 1]);
  expect(countRequests(other)).toEqual({ GET: 1, POST: 1 });
});

it("refresh uses the settings of the last up, unless it is given --run-program", async () => {
  const { api, stack, run } = await stackFor(
    program(() => {
      declareWebhook("native", "orders", { webhookId: 101, state: "active" });
    }),
    { env: { PARTNERS_BASE_URL: "" } },
  );
  const old = await startPartnerApi({ 101: "active" }, "old-token-0123456789");
  await stack.configure({ baseUrl: old.url, accessToken: old.accessToken, requestTimeout: "1" });
  expect(await run("up")).toMatchObject({ error: "" });
  await old.close();
  await stack.configure({ baseUrl: api.url, previousBaseUrl: old.url, accessToken: api.accessToken });
  expect((await run("refresh")).error).toMatch(/--run-program.*\[PARTNERS_CONNECTION\]/s);
  expect(await run("refresh", "--run-program")).toMatchObject({ error: "", requests: { GET: 1 } });
});

it("a list whose provider is not known yet is unknown in a preview", async () => {
  const { api, stack, run } = await stackFor(
    program(() => {
      const key = declareKey("native", "checkout");
      const baseUrl = pulumi.unsecret(key.apiKey.apply(() => api.url));
      const provider = new NativeProvider("later", { baseUrl, accessToken: api.accessToken });
      // As a generated SDK does it. The engine answers an empty object while the provider is not configured.
      const list = pulumi.runtime.invokeOutput<{ webhooks: object[] }>(
        "partners:index:getPartnerWebhooks",
        {},
        { provider },
      );
      return {
        count: pulumi.unsecret(pulumi.all([list, baseUrl]).apply(([{ webhooks }]) => webhooks.length)),
      };
    }),
  );
  expect((await run("preview")).printed).toMatch(/count *: \[unknown\]/);
  expect(await run("up")).toMatchObject({ error: "" });
  expect(await stack.outputs()).toEqual({ count: 3 });
});
