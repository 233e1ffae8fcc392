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
  let declared = { name: "", account: "default" };
  const { sandbox, stack } = await sandboxStack(
    () => {
      const { name, account } = declared;
      const { url: baseUrl, accessToken } = account === "eu" ? eu : sandbox;
      const aliases = name === "europe" ? [{ name: "eu" }] : [];
      const provider = name && new partners.Provider(name, { baseUrl, accessToken, account }, { aliases });
      const opts = provider ? { provider } : {};
      const key = new partners.PartnerApiKey("checkout", {}, opts);
      const args = { webhookId: 101, state: "active", stateOnDestroy: "disabled" } as const;
      new partners.PartnerWebhookState("orders", args, opts);
      const listed = partners.getPartnerWebhooksOutput(opts).webhooks.length;
      return Promise.resolve({ apiKey: key.apiKey, account: key.account, listed });
    },
    { webhooks },
  );
  const move = async (to: Partial<typeof declared>) => {
    declared = { ...declared, ...to };
    for (const one of [sandbox, eu]) one.clearRequests();
    const { ok, changes, stdout } = await stack.up();
    expect(ok, stdout).toBe(true);
    return { changes, stdout };
  };
  await move({});
  expect([held(sandbox), held(eu)]).toEqual([2, 0]);

  // Adding a provider for the same account changes nothing.
  await move({ name: "main" });
  expect(countRequests(sandbox)).toEqual({ GET: 1 }); // The program lists the webhooks.

  declared = { name: "eu", account: "eu" };
  const previewed = await stack.preview();
  expect(previewed.stdout).toContain("PartnerApiKey checkout replace [diff: ~account,provider]");
  const moved = await move({});
  expect(moved.changes).toMatchObject({ replace: 2 });
  expect(moved.stdout).toContain("[diff: ~account,provider]");
  expect([held(sandbox), held(eu)]).toEqual([0, 2]);
  expect(await stack.outputs()).toMatchObject({ apiKey: eu.apiKeys[0], account: "eu" });
  expect(countRequests(eu)).toEqual({ GET: 1, POST: 1, PATCH: 1 });
  expect(countRequests(sandbox)).toEqual({ GET: 1, DELETE: 1, PATCH: 1 });

  // Neither a new access token nor a renamed provider touches a resource.
  eu.rotateAccessToken();
  expect((await move({})).changes).toMatchObject({ update: 1 });
  expect((await move({ name: "europe" })).changes).not.toHaveProperty("replace");
  expect(countRequests(eu)).toEqual({ GET: 1 });

  // A Provider whose account changes is replaced with its resources.
  expect((await move({ account: "default" })).changes).toMatchObject({ replace: 3 });
  expect([held(sandbox), held(eu)]).toEqual([2, 0]);
  expect(await stack.preview(UNCHANGED)).toMatchObject({ ok: true });

  // A destroy does not run the program, so it uses the token of the last `up`.
  expect(await stack.destroy()).toMatchObject({ ok: true });
  expect([held(sandbox), held(eu)]).toEqual([0, 0]);
});
