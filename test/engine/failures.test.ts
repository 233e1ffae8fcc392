import * as partners from "pulumi-partners";
import { describe, expect, it } from "vitest";

import { countRequests, sandboxStack } from "./support.ts";

function webhooks(...ids: number[]): () => Promise<void> {
  return () => {
    for (const webhookId of ids) {
      new partners.PartnerWebhookState(`webhook-${webhookId}`, { webhookId, state: "disabled" });
    }
    return Promise.resolve();
  };
}

describe("a preview", () => {
  it("names all settings that are missing, for either kind of resource", async () => {
    const { stack } = await sandboxStack(
      () => {
        new partners.PartnerApiKey("checkout");
        return Promise.resolve();
      },
      {},
      { env: { PARTNERS_BASE_URL: "", PARTNERS_ACCESS_TOKEN: "" } },
    );
    for (const program of [undefined, webhooks(101)]) {
      if (program) stack.setProgram(program);
      const { ok, stdout } = await stack.preview();
      expect(ok).toBe(false);
      for (const name of [
        "partners:baseUrl",
        "PARTNERS_BASE_URL",
        "partners:accessToken",
        "PARTNERS_ACCESS_TOKEN",
      ]) {
        expect(stdout).toContain(name);
      }
    }
  });

  it("tells of a token that is rejected, asking once for all webhooks", async () => {
    const { sandbox, stack } = await sandboxStack(
      webhooks(101, 102, 103),
      {},
      { env: { PARTNERS_ACCESS_TOKEN: "wrong-token" } },
    );
    const { ok, stdout } = await stack.preview();
    expect(ok).toBe(false);
    expect(stdout).toContain("The access token was rejected");
    expect(stdout).not.toContain("wrong-token");
    expect(countRequests(sandbox)).toEqual({ GET: 1 });
  });

  it("does not fail because the server cannot be reached", async () => {
    const { stack } = await sandboxStack(
      webhooks(101, 102),
      {},
      { env: { PARTNERS_BASE_URL: "http://127.0.0.1:1" } },
    );
    expect(await stack.preview()).toMatchObject({ ok: true, changes: { create: 3 } });
  });

  it("says what is wrong with a webhookId, a state and a stateOnDestroy", async () => {
    const { stack } = await sandboxStack(() => {
      const args = { webhookId: "7", state: "on", stateOnDestroy: "delete" };
      new partners.PartnerWebhookState("orders", args as unknown as partners.PartnerWebhookStateArgs);
      return Promise.resolve();
    });
    const { ok, stdout } = await stack.preview();
    expect(ok).toBe(false);
    expect(stdout).toContain("webhookId must be a positive whole number such as 7: it is a string");
    expect(stdout).toContain('state must be "active" or "disabled"');
    expect(stdout).toContain('stateOnDestroy must be "leave"');
  });
});

describe("an update in which one resource fails", () => {
  it("leaves the others and the state right, and the next one does the rest", async () => {
    const { sandbox, stack } = await sandboxStack(webhooks(101, 102));
    sandbox.inject({ kind: "status", operation: "disableWebhook", status: 403 });
    const failed = await stack.up();
    expect(failed).toMatchObject({ ok: false });
    expect(failed.stdout).toMatch(/webhook 10[12]: disableWebhook \(PATCH [^)]*\): the server answered 403/);
    expect([...sandbox.webhooks.values()].filter((state) => state === "disabled")).toHaveLength(2); // 103 was before.
    sandbox.clearRequests();
    expect(await stack.up()).toMatchObject({ ok: true, changes: { create: 1, same: 2 } });
    expect(countRequests(sandbox)).toEqual({ GET: 1, PATCH: 1 });
    expect(await stack.preview({ flags: ["--expect-no-changes"] })).toMatchObject({ ok: true });
  });

  it("keeps a key whose deletion failed", async () => {
    const { sandbox, stack } = await sandboxStack(() => {
      new partners.PartnerApiKey("checkout");
      return Promise.resolve();
    });
    await stack.up();
    const [key = ""] = sandbox.apiKeys;
    sandbox.inject({ kind: "status", operation: "deleteApiKey", status: 403, times: Infinity });
    const failed = await stack.destroy();
    expect(failed).toMatchObject({ ok: false });
    expect(failed.stdout).toContain(
      "deleteApiKey (DELETE /api/v1/partners/api-key/{api_key}): the server answered 403",
    );
    expect(failed.stdout + failed.stderr + failed.eventLog).not.toContain(key);
    // No stack of ours in what a person sees.
    expect(failed.stdout).not.toMatch(/\bat .*(node_modules|dist)\//);
    sandbox.clearFaults();
    expect(await stack.destroy()).toMatchObject({ ok: true });
    expect(sandbox.apiKeys).toEqual([]);
  });

  it("does not take the 404 of a wrong base URL for a deletion", async () => {
    const { sandbox, stack } = await sandboxStack(
      () => {
        new partners.PartnerApiKey("checkout");
        return Promise.resolve();
      },
      { basePath: "/v1" },
    );
    await stack.up();
    await stack.configure({ "partners:baseUrl": { value: `${sandbox.url}/nowhere` } });
    expect(await stack.up()).toMatchObject({ ok: true, changes: { same: 2 } }); // Nothing to ask, so nothing to notice.
    const failed = await stack.destroy();
    expect(failed).toMatchObject({ ok: false });
    expect(failed.stdout).toContain("the key is gone or that partners:baseUrl is wrong");
    expect(sandbox.apiKeys).toHaveLength(1);
  });
});
