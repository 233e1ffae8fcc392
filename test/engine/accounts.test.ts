import * as partners from "pulumi-partners";
import { expect, it } from "vitest";

import { countRequests, sandboxFor, sandboxStack, UNCHANGED, type Sandbox } from "./support.ts";

/** Counts the keys and active webhooks in an account. */
function held({ apiKeys, webhooks }: Sandbox): number {
  return apiKeys.length + (webhooks.get(101) === "active" ? 1 : 0);
}

it("a resource that moves to another account is replaced: deleted in the old account, created in the new one", async () => {
  const webhooks = [{ webhookId: 101, state: "disabled" }] as const;
  const eu = await sandboxFor({ webhooks });
  const declared = { place: "default", name: "eu", token: eu.accessToken };
  const { sandbox, stack } = await sandboxStack(
    () => {
      const settings = { baseUrl: eu.url, accessToken: declared.token, account: "eu" };
      const aliases = declared.name === "eu" ? [] : [{ name: "eu" }];
      const { url: baseUrl, accessToken } = sandbox;
      const own = { baseUrl, accessToken, account: "default" };
      const providers: Record<string, () => partners.Provider> = {
        main: () => new partners.Provider("main", own),
        eu: () => new partners.Provider(declared.name, settings, { aliases }),
      };
      const provider = providers[declared.place]?.();
      const opts = provider ? { provider } : {};
      const key = new partners.PartnerApiKey("checkout", {}, opts);
      const args = { webhookId: 101, state: "active", stateOnDestroy: "disabled" } as const;
      new partners.PartnerWebhookState("orders", args, opts);
      return Promise.resolve({ apiKey: key.apiKey, account: key.account });
    },
    { webhooks },
  );
  expect(await stack.up()).toMatchObject({ ok: true });
  expect([held(sandbox), held(eu)]).toEqual([2, 0]);

  // Adding a provider for the same account changes nothing.
  declared.place = "main";
  sandbox.clearRequests();
  expect(await stack.up()).toMatchObject({ ok: true });
  expect(sandbox.requests).toEqual([]);

  declared.place = "eu";
  sandbox.clearRequests();
  const moved = await stack.up();
  expect(moved).toMatchObject({ ok: true, changes: { replace: 2 } });
  expect(moved.stdout).toContain("[diff: ~account,provider]");
  expect([held(sandbox), held(eu)]).toEqual([0, 2]);
  expect(await stack.outputs()).toEqual({ apiKey: eu.apiKeys[0], account: "eu" });
  expect(countRequests(eu)).toEqual({ GET: 1, POST: 1, PATCH: 1 });
  expect(countRequests(sandbox)).toEqual({ GET: 1, DELETE: 1, PATCH: 1 });

  // Neither a new access token nor a renamed provider touches a resource.
  declared.token = eu.rotateAccessToken();
  const rotated = await stack.up();
  expect(rotated).toMatchObject({ ok: true, changes: { update: 1 } });
  declared.name = "europe";
  const renamed = await stack.up();
  expect(renamed.ok).toBe(true);
  expect(renamed.changes).not.toHaveProperty("replace");
  expect(eu.requests).toEqual([]);

  // A destroy does not run the program, so it uses the token of the last `up`.
  expect(await stack.destroy()).toMatchObject({ ok: true });
  expect([held(sandbox), held(eu)]).toEqual([0, 0]);
});

it("a Provider with a new account name is replaced with its resources, back and forth, and leaves no key behind", async () => {
  const europe = await sandboxFor();
  let account = "eu";
  const { sandbox: eu, stack } = await sandboxStack(() => {
    const { url: baseUrl, accessToken } = account === "eu" ? eu : europe;
    const provider = new partners.Provider("eu", { baseUrl, accessToken, account });
    const { apiKey } = new partners.PartnerApiKey("checkout", {}, { provider });
    return Promise.resolve({ apiKey, webhooks: partners.getPartnerWebhooksOutput({ provider }) });
  });
  expect(await stack.up()).toMatchObject({ ok: true });
  for (account of ["europe", "eu"]) {
    expect(await stack.preview()).toMatchObject({ ok: true, changes: { replace: 2 } });
    expect(await stack.up()).toMatchObject({ ok: true, error: "", changes: { replace: 2 } });
    const { apiKey } = await stack.outputs();
    expect([eu.apiKeys, europe.apiKeys]).toEqual(account === "eu" ? [[apiKey], []] : [[], [apiKey]]);
    expect(await stack.preview(UNCHANGED)).toMatchObject({ ok: true });
  }
  expect(await stack.destroy()).toMatchObject({ ok: true });
  expect([eu.apiKeys, europe.apiKeys]).toEqual([[], []]);
});
