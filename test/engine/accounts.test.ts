import * as pulumi from "@pulumi/pulumi";
import * as partners from "pulumi-partners";
import { expect, it } from "vitest";

import { LONG } from "../support/random.ts";
import {
  countRequests,
  declareKey,
  declareWebhook,
  HOSTS,
  sandboxFor,
  stackFor,
  UNCHANGED,
  version,
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
    () => {
      const { name, account } = declared;
      const { url: baseUrl, accessToken } = account === "eu" ? eu : api;
      const aliases = name === "europe" ? [{ name: "eu" }] : [];
      const provider = name && new partners.Provider(name, { baseUrl, accessToken, account }, { aliases });
      const opts = provider ? { provider } : {};
      const key = new partners.PartnerApiKey("checkout", {}, opts);
      const args = { webhookId: 101, state: "active", stateOnDestroy: "disabled" } as const;
      new partners.PartnerWebhookState("orders", args, opts);
      return { apiKey: key.apiKey, account: key.account };
    },
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
  // A provider that is lost is not replaced by an account in stack configuration that has its name.
  await stack.configure({ account: "eu" });
  declared = { name: "", account: "eu" };
  for (const operation of ["preview", "up"] as const) {
    const { error, printed } = await run(operation);
    expect(error + printed).toContain('The resource belongs to the Provider of account "eu"');
  }
  await stack.pulumi("config", "rm", "partners:account");
  declared = { name: "europe", account: "eu" };
  expect(await run("up")).toMatchObject({ error: "", requests: {} });
  // A destroy does not run the program.
  expect(await run("destroy")).toMatchObject({ error: "" });
  expect([held(api), held(eu)]).toEqual([0, 0]);
});

it.each(LONG ? HOSTS : ["native" as const])(
  "another address fails until previousBaseUrl says that it is the same account (%s)",
  async (host) => {
    const declare = () => {
      declareKey(host, "checkout");
      declareWebhook(host, "orders", { webhookId: 101, state: "active" });
    };
    const { api, stack, run } = await stackFor(declare, { env: { PARTNERS_BASE_URL: "" } });
    await stack.configure({ baseUrl: api.url, accessToken: api.accessToken, requestTimeout: "1" });
    expect(await run("up")).toMatchObject({ error: "" });
    // The account moves to another address, with its keys and webhooks.
    const moved = await sandboxFor();
    Object.assign(moved.answers, api.answers);
    await api.close();
    await stack.configure({ baseUrl: moved.url });
    // Without the program, a refresh has the settings of the last up.
    expect((await run("refresh")).error).toMatch(/--run-program.*\[PARTNERS_CONNECTION\]/s);
    for (const operation of ["preview", "up"] as const) {
      const { error, printed } = await run(operation);
      expect(error + printed).toContain("partners:previousBaseUrl");
    }
    await stack.configure({ previousBaseUrl: api.url });
    expect(await run("preview")).toMatchObject({ error: "", changes: { update: 2 } });
    expect(await run("up")).toMatchObject({ error: "", changes: { update: 2 } });
    expect(moved.requests).toEqual([]);
    await stack.pulumi("config", "rm", "partners:previousBaseUrl");
    expect(await run("preview", UNCHANGED)).toMatchObject({ error: "" });
    expect(await run("refresh", "--run-program")).toMatchObject({ error: "" });
    expect(await run("destroy", "--run-program")).toMatchObject({ error: "" });
    expect([api.keys.size, countRequests(moved)]).toEqual([0, { GET: 1, DELETE: 1 }]);
  },
);

class NativeProvider extends pulumi.ProviderResource {}

it("a provider whose address is not known yet fails no preview, and has a process of its own", async () => {
  const { api, run } = await stackFor(() => {
    const { apiKey } = declareKey("native", "checkout");
    const settings = { baseUrl: apiKey.apply(() => api.url), accessToken: api.accessToken };
    const provider = new NativeProvider("partners", "later", settings, { version });
    declareWebhook("native", "orders", { webhookId: 101, state: "disabled" }, { provider });
  });
  expect(await run("preview")).toMatchObject({ error: "", changes: { create: 4 } });
  expect(await run("up")).toMatchObject({ error: "", requests: { GET: 2, POST: 1, PATCH: 1 } });
});
