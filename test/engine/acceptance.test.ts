import * as partners from "pulumi-partners";
import { expect, it } from "vitest";

import { countRequests, sandboxStack } from "./support.ts";

it("preview, up, nothing to do, change, drift, repair, replace and destroy leave the server as it was", async () => {
  const wanted = { webhookId: 101, state: "disabled" as "active" | "disabled" };
  const { sandbox, stack } = await sandboxStack(() => {
    const key = new partners.PartnerApiKey("checkout");
    const orders = new partners.PartnerWebhookState("orders", { ...wanted, stateOnDestroy: "restore" });
    return Promise.resolve({
      apiKey: key.apiKey,
      keyId: key.keyId,
      fingerprint: key.fingerprint,
      state: orders.state,
    });
  });
  const before = new Map(sandbox.webhooks);

  const preview = await stack.preview();
  expect(preview).toMatchObject({ ok: true, changes: { create: 3 } });
  expect(countRequests(sandbox)).toEqual({ GET: 1 });
  expect(sandbox.apiKeys).toEqual([]);

  expect(await stack.up()).toMatchObject({ ok: true, changes: { create: 3 } });
  expect(countRequests(sandbox)).toEqual({ GET: 1, POST: 1, PATCH: 1 });
  const { apiKey, keyId, fingerprint, state } = await stack.outputs();
  expect(sandbox.apiKeys).toEqual([apiKey]);
  expect(sandbox.verify(String(apiKey))).toBe(true);
  expect({ keyId, fingerprint, state }).toEqual({
    keyId: null,
    fingerprint: expect.stringMatching(/^sha256:[0-9a-f]{16}$/) as string,
    state: "disabled",
  });

  for (const operation of ["preview", "up", "refresh"] as const) {
    const unchanged = await stack[operation]({ flags: ["--expect-no-changes"] });
    expect(unchanged, operation).toMatchObject({ ok: true, changes: { same: 3 } });
    expect(countRequests(sandbox)).toEqual(operation === "refresh" ? { GET: 1 } : {});
  }

  wanted.state = "active";
  expect((await stack.preview()).stdout).toContain("[diff: ~state]");
  expect(await stack.up()).toMatchObject({ ok: true, changes: { update: 1, same: 2 } });
  expect(sandbox.webhooks.get(101)).toBe("active");
  expect(await stack.outputs()).toMatchObject({ apiKey, state: "active" });

  sandbox.setWebhookState(101, "disabled");
  const drift = await stack.refresh();
  expect(drift).toMatchObject({ ok: true, changes: { update: 1, same: 2 } });
  expect(drift.stdout).toContain("[diff: ~state]");
  expect(await stack.up()).toMatchObject({ ok: true, changes: { update: 1, same: 2 } });
  expect(sandbox.webhooks.get(101)).toBe("active");

  sandbox.clearRequests();
  wanted.webhookId = 103;
  expect(await stack.up()).toMatchObject({ ok: true, changes: { replace: 1, same: 2 } });
  expect(Object.fromEntries(sandbox.webhooks)).toEqual({ 101: "active", 102: "active", 103: "active" });

  expect(await stack.destroy()).toMatchObject({ ok: true, changes: { delete: 3 } });
  expect(sandbox.webhooks).toEqual(before);
  expect(sandbox.apiKeys).toEqual([]);
});

it("a webhook that vanishes is seen by refresh, and by the preview of the next update", async () => {
  const { sandbox, stack } = await sandboxStack(() => {
    new partners.PartnerWebhookState("orders", { webhookId: 102, state: "active" });
    return Promise.resolve();
  });
  expect(await stack.up()).toMatchObject({ ok: true });
  sandbox.removeWebhook(102);
  expect(await stack.refresh()).toMatchObject({ ok: true, changes: { delete: 1 } });
  const preview = await stack.preview();
  expect(preview).toMatchObject({ ok: false });
  expect(preview.stdout).toContain("webhook 102: it does not exist in this account");
  expect(preview.stdout).toContain("Webhooks that exist: 101, 103.");
});

it("a key that was deleted behind our back counts as deleted", async () => {
  const { sandbox, stack } = await sandboxStack(
    () => {
      new partners.PartnerApiKey("checkout");
      return Promise.resolve();
    },
    { apiKeys: ["another-key-that-stays"] },
  );
  expect(await stack.up()).toMatchObject({ ok: true });
  const [, key = ""] = sandbox.apiKeys;
  await fetch(`${sandbox.url}/api/v1/partners/api-key/${encodeURIComponent(key)}`, {
    method: "DELETE",
    headers: { authorization: `Bearer ${sandbox.accessToken}` },
  });
  expect(await stack.destroy()).toMatchObject({ ok: true, changes: { delete: 2 } });
  expect(sandbox.apiKeys).toEqual(["another-key-that-stays"]);
});
