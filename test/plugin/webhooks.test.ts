import { expect, it } from "vitest";

import { PARTNER_WEBHOOKS } from "../../provider/src/resources/registration.js";
import { errorOf, start, WEBHOOK } from "./partners.ts";

const LIST = { __provider: PARTNER_WEBHOOKS.__provider };

it("the list shares its request with the webhooks of the process, and shows what they changed", async () => {
  const { sandbox, plugin } = await start();
  const orders = {
    ...WEBHOOK,
    webhookId: 101,
    state: "disabled",
    stateOnDestroy: "leave",
    account: "default",
  };
  await Promise.all([plugin.create(orders), plugin.read("webhooks", LIST)]);
  const { id, properties } = await plugin.read("webhooks", LIST);
  expect(id).toBe("webhooks");
  expect(JSON.parse(String(properties["webhooks"]))).toMatchObject([
    { webhookId: 101, state: "disabled", record: { webhookId: 101 } },
    { webhookId: 102, state: "active" },
    { webhookId: 103, state: "disabled" },
  ]);
  expect(sandbox.requests.map(({ method }) => method)).toEqual(["GET", "PATCH"]);
});

it("a record arrives as it was sent, whatever is in it", async () => {
  const odd = {
    id: 7,
    owner: null,
    "4dabf18193072939515e22adb298388d": "x",
    nested: { __proto__x: [1, null] },
  };
  const { plugin } = await start({ shape: { apiKey: ({ key }) => key, webhooks: () => [odd] } });
  const { properties } = await plugin.read("webhooks", LIST);
  expect(JSON.parse(String(properties["webhooks"]))).toEqual([{ webhookId: 7, state: null, record: odd }]);
});

it("a refresh, which comes with the earlier list, asks nobody", async () => {
  const { sandbox, plugin } = await start();
  const earlier = { ...LIST, webhooks: "[]" };
  expect(await plugin.read("webhooks", earlier)).toMatchObject({ id: "webhooks", properties: earlier });
  expect(sandbox.requests).toEqual([]);
});

it("a list with further pages is refused", async () => {
  const { plugin } = await start({
    shape: { apiKey: ({ key }) => key, webhooks: (list) => ({ data: list, next: "/webhooks?page=2" }) },
  });
  expect((await errorOf(plugin.read("webhooks", LIST))).message).toContain("signs of further pages");
});
