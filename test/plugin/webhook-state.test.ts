import { describe, expect, it } from "vitest";

import { configFor, errorOf, pluginFor, start, WEBHOOK } from "./partners.ts";

const orders = { ...WEBHOOK, webhookId: 101, state: "disabled", stateOnDestroy: "leave", account: "default" };

function methods(sandbox: { requests: readonly { method: string }[] }): string {
  return sandbox.requests.map(({ method }) => method).join(" ");
}

describe("create and update", () => {
  it("act only on a difference", async () => {
    const { sandbox, plugin } = await start();
    const right = await plugin.create({ ...orders, state: "active" });
    expect(right).toMatchObject({ id: "101", properties: { state: "active", initialState: "active" } });
    expect(methods(sandbox)).toBe("GET");
    const updated = await plugin.update("101", right.properties, orders);
    expect(updated.properties).toMatchObject({ state: "disabled", initialState: "active" });
    expect(methods(sandbox)).toBe("GET PATCH");
    expect(sandbox.webhooks.get(101)).toBe("disabled");
  });

  it("set a state that cannot be read, and say that drift cannot be seen", async () => {
    const { sandbox, plugin } = await start({
      shape: {
        apiKey: ({ key }) => key,
        webhooks: (list) => list.map(({ webhookId }) => ({ webhookId, mode: "x" })),
      },
    });
    const { properties } = await plugin.create({ ...orders, state: "active" });
    expect(properties).toMatchObject({ state: "active", initialState: null });
    expect(methods(sandbox)).toBe("GET PATCH");
    expect(plugin.stderr()).toContain(
      "the state of webhook 101 cannot be read from the list, so drift cannot be detected",
    );
    expect(await plugin.read("101", properties)).toMatchObject({ properties: { state: "active" } });
  });

  it("refuse to guess where fields disagree", async () => {
    const { sandbox, plugin } = await start({
      shape: {
        apiKey: ({ key }) => key,
        webhooks: (list) => list.map(({ webhookId }) => ({ webhookId, active: true, status: "disabled" })),
      },
    });
    const { message } = await errorOf(plugin.create(orders));
    expect(message).toContain("webhook 101: listWebhooks");
    expect(message).toContain("partners:responses.webhookState");
    expect(methods(sandbox)).toBe("GET");
  });

  it("fail for a webhook that does not exist, and list those that do", async () => {
    const { plugin } = await start();
    const { message } = await errorOf(plugin.create({ ...orders, webhookId: 99 }));
    expect(message).toContain("webhook 99: it does not exist in this account");
    expect(message).toContain("101, 102, 103");
  });
});

describe("read", () => {
  it("returns what is observed, as outputs and as inputs", async () => {
    const { sandbox, plugin } = await start();
    const { properties } = await plugin.create(orders);
    sandbox.setWebhookState(101, "active");
    expect(await plugin.read("101", { ...properties })).toMatchObject({ properties: { state: "disabled" } }); // Within 30 s.
    const later = await pluginFor({ config: configFor(sandbox) });
    expect(await later.read("101", properties)).toMatchObject({
      properties: { state: "active", initialState: "active", __provider: WEBHOOK.__provider },
      inputs: { ...orders, state: "active" },
    });
  });

  it("says that a webhook is gone only if a complete, fresh list says so", async () => {
    const { sandbox, plugin } = await start();
    sandbox.removeWebhook(101);
    expect((await plugin.read("101", orders)).id).toBe("");
    sandbox.inject({ kind: "status", status: 500, times: Infinity });
    expect((await errorOf(plugin.read("102", { ...orders, webhookId: 98 }))).message).toContain("500");
  });

  it("does not take a list with further pages for all there is", async () => {
    const { plugin } = await start({
      shape: { apiKey: ({ key }) => key, webhooks: (list) => ({ data: list, next: "/webhooks?page=2" }) },
    });
    expect((await errorOf(plugin.read("98", { ...orders, webhookId: 98 }))).message).toContain(
      "further pages",
    );
  });
});

describe("delete", () => {
  it.each([
    ["leave", "disabled", ""],
    ["restore", "active", "GET PATCH"],
    ["active", "active", "GET PATCH"],
    ["disabled", "disabled", "GET"],
  ])("with stateOnDestroy %s ends in %s", async (stateOnDestroy, state, requests) => {
    const { sandbox, plugin } = await start({ webhooks: [{ webhookId: 101, state: "disabled" }] });
    await plugin.delete("101", { ...orders, stateOnDestroy, initialState: "active" });
    expect(sandbox.webhooks.get(101)).toBe(state);
    expect(methods(sandbox)).toBe(requests);
  });

  it("succeeds for a webhook that is gone", async () => {
    const { sandbox, plugin } = await start();
    await plugin.delete("99", { ...orders, webhookId: 99, stateOnDestroy: "active", initialState: null });
    expect(methods(sandbox)).toBe("GET");
  });

  it.each<[string, object]>([
    ["never known", { stateOnDestroy: "restore", initialState: null }],
    ["not in state at all", { stateOnDestroy: "restore" }],
    ["no state of ours", { stateOnDestroy: null, initialState: "active" }],
  ])("leaves alone what was %s, and says so", async (_what, outputs) => {
    const { sandbox, plugin } = await start();
    await plugin.delete("101", { ...orders, ...outputs });
    expect(methods(sandbox)).toBe("");
    expect(plugin.stderr()).toContain("webhook 101 is left as it is");
  });

  it("does nothing to a webhook that the program still declares, under another name", async () => {
    const { sandbox, plugin } = await start();
    const { inputs } = await plugin.check(orders);
    await plugin.create(inputs);
    await plugin.delete("101", { ...orders, stateOnDestroy: "active", initialState: "active" });
    expect(sandbox.webhooks.get(101)).toBe("disabled");
  });
});

describe("check", () => {
  it("tells of one webhook what is about that one only", async () => {
    const { plugin } = await start({
      shape: {
        apiKey: ({ key }) => key,
        webhooks: (list) => ({
          hasMore: true,
          data: list.map((webhook) => ({ ...webhook, ...(webhook.webhookId === 102 && { active: false }) })),
        }),
      },
    });
    const reasons = async (webhookId: number): Promise<string> => {
      const { failures } = await plugin.check({ ...WEBHOOK, webhookId, state: "active" });
      return failures.map(({ reason }) => reason).join();
    };
    expect(await reasons(98)).toContain("further pages");
    expect(await reasons(102)).toContain("its state cannot be read without a guess");
    expect(await reasons(101)).toBe("");
  });
});

describe("a webhook of another account", () => {
  it("is not touched, whatever is asked", async () => {
    const { sandbox, plugin } = await start({}, { "partners:account": "b" });
    const olds = { ...orders, account: "a", stateOnDestroy: "active", initialState: "active" };
    const calls = [plugin.read("101", olds), plugin.update("101", olds, olds), plugin.delete("101", olds)];
    for (const call of calls) expect((await errorOf(call)).message).toContain('belongs to the account "a"');
    expect(sandbox.requests).toEqual([]);
  });
});

describe("a change that may have been made, although it failed", () => {
  it("keeps the state in which the webhook was found, so that it can be restored", async () => {
    const { sandbox, plugin } = await start();
    sandbox.inject({ kind: "status", operation: "disableWebhook", status: 500, effect: true });
    const inputs = { ...orders, stateOnDestroy: "restore" };
    const { initFailure, message } = await errorOf(plugin.create(inputs));
    expect(message).toContain("The webhook may have been changed.");
    expect(initFailure).toMatchObject({
      id: "101",
      properties: { ...inputs, state: "active", initialState: "active" },
    });
    const held = initFailure?.properties ?? {};
    expect(await plugin.diff("101", held, inputs)).toMatchObject({ changes: true, replaces: [] });
    await plugin.delete("101", held);
    expect(sandbox.webhooks.get(101)).toBe("active");
  });

  it("is no resource if it certainly was not made", async () => {
    const { sandbox, plugin } = await start();
    sandbox.inject({ kind: "status", operation: "disableWebhook", status: 403 });
    expect((await errorOf(plugin.create(orders))).initFailure).toBeUndefined();
  });
});

describe("what a preview tells", () => {
  it.each([400, 401, 403, 404, 307])("is a problem that the update would have too: %d", async (status) => {
    const { sandbox, plugin } = await start();
    sandbox.inject({ kind: "status", operation: "listWebhooks", status, times: Infinity });
    expect((await plugin.check(orders)).failures).toMatchObject([
      { reason: expect.stringContaining(String(status)) as string },
    ]);
  });

  it("is nothing about what may pass, and an update that waits longer does not fail with it", async () => {
    const { sandbox, plugin } = await start({}, { "partners:requestTimeout": "30" });
    sandbox.inject({ kind: "hang", operation: "listWebhooks", at: "headers", times: 1 });
    const [checked, created] = await Promise.all([plugin.check(orders), plugin.create(orders)]);
    expect(checked.failures).toEqual([]);
    expect(created.properties).toMatchObject({ state: "disabled" });
    expect(methods(sandbox)).toBe("GET GET PATCH"); // The preview's patience ended, the update's did not.
  });
});
