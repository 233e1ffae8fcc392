import { describe, expect, it } from "vitest";

import {
  configFor,
  errorOf,
  HOOK,
  KEY,
  LIST,
  pluginFor,
  sandboxFor,
  start,
  takeRequests,
} from "./partners.ts";

describe("one life of a webhook", () => {
  it("created, refreshed, updated, restored, each in a process of its own, with no request too many", async () => {
    const sandbox = await sandboxFor();
    const config = configFor(sandbox);
    const news = { ...HOOK, stateOnDestroy: "restore" };
    const creating = await pluginFor({ config });
    const { inputs, failures } = await creating.check(news);
    expect(failures).toEqual([]);
    const { id, properties } = await creating.create(inputs);
    expect([id, properties["state"], properties["initialState"]]).toEqual(["101", "disabled", "active"]);
    expect(takeRequests(sandbox)).toBe("GET PATCH");
    expect(await creating.diff(id, properties, inputs)).toMatchObject({ changes: false });

    sandbox.setWebhookState(101, "active");
    const refreshing = await pluginFor({ config });
    const drifted = await refreshing.read(id, properties, inputs);
    expect(drifted).toMatchObject({ id, inputs: { ...inputs, state: "active" } }); // Shown as a difference of inputs.
    expect(drifted.properties).toMatchObject({
      __provider: HOOK.__provider,
      state: "active",
      initialState: "active",
    });
    expect(takeRequests(sandbox)).toBe("GET");

    const updating = await pluginFor({ config });
    expect((await updating.check(inputs, inputs)).failures).toEqual([]);
    expect(await updating.diff(id, drifted.properties, inputs)).toMatchObject({
      changes: true,
      replaces: [],
    });
    const { properties: updated } = await updating.update(id, drifted.properties, inputs);
    expect(sandbox.webhooks.get(101)).toBe("disabled");
    expect(takeRequests(sandbox)).toBe("GET PATCH");

    const deleting = await pluginFor({ config });
    await deleting.delete(id, updated);
    expect(sandbox.webhooks.get(101)).toBe("active");
    expect(takeRequests(sandbox)).toBe("GET PATCH");

    sandbox.removeWebhook(101);
    const late = await pluginFor({ config });
    expect((await late.read(id, updated)).id).toBe("");
  });

  it("keeps the state it was found in where a change may have been made although it failed", async () => {
    const { sandbox, plugin } = await start({}, { "partners:operationTimeout": "0.2" });
    sandbox.inject({ kind: "status", operation: "disableWebhook", status: 500, effect: true });
    const news = { ...HOOK, stateOnDestroy: "restore" };
    const { initFailure, message } = await errorOf(plugin.create(news));
    expect(message).toContain("The webhook may have been changed.");
    expect(initFailure).toMatchObject({
      id: "101",
      properties: { ...news, state: "active", initialState: "active" },
    });
    await plugin.delete("101", initFailure?.properties ?? {});
    expect(sandbox.webhooks.get(101)).toBe("active");
  });
});

describe("many webhooks in one process", () => {
  it("share one GET, from the preview of the first to the list that shows what was changed", async () => {
    const webhooks = Array.from({ length: 20 }, (_, index) => ({
      webhookId: index + 1,
      state: "active" as const,
    }));
    const { sandbox, plugin } = await start({ webhooks });
    const ids = webhooks.map(({ webhookId }) => webhookId);
    const checked = await Promise.all(ids.map((webhookId) => plugin.check({ ...HOOK, webhookId })));
    await Promise.all(checked.map(({ inputs }) => plugin.create(inputs)));
    const { properties } = await plugin.read("webhooks", LIST);
    const listed = JSON.parse(String(properties["webhooks"])) as { state: string }[];
    expect(listed.map(({ state }) => state)).toEqual(ids.map(() => "disabled"));
    expect(takeRequests(sandbox)).toBe(`GET${" PATCH".repeat(20)}`);

    expect(await plugin.read("webhooks", properties)).toMatchObject({ properties }); // A refresh asks nobody.
    // A rename: the new name is created first, so the deletion of the old one must undo nothing.
    await plugin.delete("1", { ...HOOK, webhookId: 1, stateOnDestroy: "active", initialState: "active" });
    expect(takeRequests(sandbox)).toBe("");
  });

  it("that are read by a program arrive as the service sent them", async () => {
    const record = { id: 7, owner: null, "4dabf18193072939515e22adb298388d": "x", nested: { a: [1, null] } };
    const { plugin } = await start({ shape: { apiKey: ({ key }) => key, webhooks: () => [record] } });
    const { properties } = await plugin.read("webhooks", LIST);
    expect(JSON.parse(String(properties["webhooks"]))).toEqual([{ webhookId: 7, state: null, record }]);
  });
});

describe("an explicit provider", () => {
  const explicit = { "partners:explicit": "true", "partners:account": "eu" };

  it("works with its arguments and nothing of the environment", async () => {
    const [own, other] = [await sandboxFor(), await sandboxFor()];
    const env = { PARTNERS_BASE_URL: other.url, PARTNERS_ACCESS_TOKEN: other.accessToken };
    const plugin = await pluginFor({ config: { ...configFor(own), ...explicit }, env });
    const { inputs } = await plugin.check({ __provider: KEY.__provider });
    expect((await plugin.create(inputs)).properties).toMatchObject({ account: "eu", apiKey: own.apiKeys[0] });

    const incomplete = await pluginFor({ config: { ...explicit, "partners:baseUrl": own.url }, env });
    const { message } = await errorOf(incomplete.create({ ...KEY, account: "eu" }));
    expect(message).toMatch(/The Provider needs its argument accessToken.*\[PARTNERS_CONFIGURATION\]$/);
    expect([takeRequests(own), takeRequests(other)]).toEqual(["POST", ""]);
  });

  it("touches nothing that belongs to another account", async () => {
    const { sandbox, plugin } = await start({}, explicit);
    const hook = { ...HOOK, account: "us", stateOnDestroy: "active", initialState: "active" };
    const key = { ...KEY, account: "us", apiKey: "a-key-of-the-other-account-1" };
    for (const call of [
      plugin.read("101", hook),
      plugin.update("101", hook, { ...hook, account: "eu" }),
      plugin.delete("101", hook),
      plugin.update("key-1", key, { ...key, account: "eu", rotation: { trigger: "2", overlapDays: 1 } }),
      plugin.delete("key-1", key),
    ]) {
      expect((await errorOf(call)).message).toMatch(/account "us".*"eu".*\[PARTNERS_RESOURCE\]$/);
    }
    expect(takeRequests(sandbox)).toBe("");
  });
});
