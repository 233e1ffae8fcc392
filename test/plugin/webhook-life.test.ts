import { expect, it } from "vitest";

import { configFor, HOOK, LIST, pluginFor, sandboxFor, start, takeRequests } from "./partners.ts";

it("a webhook is created, refreshed, updated, restored, each in a process of its own, with no request too many", async () => {
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

it("webhooks that are read by a program arrive as the service sent them", async () => {
  const record = { id: 7, owner: null, "4dabf18193072939515e22adb298388d": "x", nested: { a: [1, null] } };
  const { plugin } = await start({ shape: { apiKey: ({ key }) => key, webhooks: () => [record] } });
  const { properties } = await plugin.read("webhooks", LIST);
  expect(JSON.parse(String(properties["webhooks"]))).toEqual([{ webhookId: 7, state: null, record }]);
});
