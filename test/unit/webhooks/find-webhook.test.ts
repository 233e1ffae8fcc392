import { describe, expect, it } from "vitest";

import { renderError } from "../../../provider/src/messages/error-messages.js";
import { SHAPES } from "../../support/sandbox.ts";
import { failureOf, sandboxFor } from "../api/support.ts";
import { create, mapping, startRun } from "../shared/support.ts";

const SECRET = "s3cret-0123456789abcdef";

/** Starts a service whose webhooks have further members, by ID. */
async function serviceWith(members: Readonly<Record<number, object>>) {
  const seeds = Object.fromEntries(Object.keys(members).map((id) => [id, "active" as const]));
  const webhooks = (list: readonly { webhookId: number }[]) =>
    list.map(({ webhookId }) => ({ id: webhookId, active: true, ...members[webhookId] }));
  return sandboxFor({ webhooks: seeds, shape: { ...SHAPES.flat, webhooks } });
}

describe("the URL and the name of a webhook", () => {
  it.each<[what: string, members: object, url: string | null, name: string | null]>([
    ["none", { created_at: "2026-01-01" }, null, null],
    ["none, but that of its creator", { creator: { url: "https://b.example/jo" } }, null, null],
    [
      "GitHub",
      { name: "web", url: "https://api.a.example/hooks/1", config: { url: "https://b.example/in" } },
      "https://b.example/in",
      "web",
    ],
    [
      "Basecamp",
      { url: "https://api.a.example/1", payload_url: "https://b.example/in" },
      "https://b.example/in",
      null,
    ],
    [
      "PagerDuty",
      { description: "On call", delivery_method: { url: "https://b.example/in" } },
      "https://b.example/in",
      "On call",
    ],
    [
      "Okta",
      { name: "hook", channel: { config: { uri: "https://b.example/in" } } },
      "https://b.example/in",
      "hook",
    ],
    ["Harbor", { targets: [{ address: "https://b.example/in" }] }, "https://b.example/in", null],
    [
      "JSON:API",
      { attributes: { url: "https://b.example/in", name: "orders" } },
      "https://b.example/in",
      "orders",
    ],
    ["credentials", { url: "https://me:pw@b.example/in?token=t#f" }, "https://b.example/in", null],
    ["secret parts", { url: "https://b.example/T0/0123456789abcdef" }, "https://b.example/T0/***", null],
    ["a name with a year", { name: "orders-webhook-2024" }, null, "orders-webhook-2024"],
    [
      "Slack, without what authorizes",
      { url: "https://hooks.slack.example/services/T024BE7LH/B0G9QF9GW/zdkgUOvtTwKqMpyNrQXkABcd" },
      "https://hooks.slack.example/services/***/***/***",
      null,
    ],
    [
      "IFTTT, without what authorizes",
      { url: "https://maker.b.example/trigger/order_paid/with/key/bzLqTkRwXyNmPvHsQwErTy" },
      "https://maker.b.example/trigger/order_paid/with/key/***",
      null,
    ],
    ["a parameter in a path", { url: "https://b.example/in;token=abcdef" }, "https://b.example/***", null],
    [
      "a path of words and numbers",
      { url: "https://b.example/v2.1/customerUpdated/orders-b2b/HttpTrigger1/48213" },
      "https://b.example/v2.1/customerUpdated/orders-b2b/HttpTrigger1/48213",
      null,
    ],
  ])("are recognized: %s", async (_what, members, url, name) => {
    const service = await serviceWith({ 101: members });
    const run = startRun(service);
    expect(await run.listWebhooks()).toMatchObject([{ webhookId: 101, url, name }]);
    const { outputs } = await create(run.partnerWebhookState, { webhookId: 101, state: "active" });
    expect(outputs).toMatchObject({ url, name });
    expect(service.requests).toHaveLength(1);
  });

  it("are where the settings say", async () => {
    const service = await serviceWith({
      101: { name: "x", to: { address: "https://b.example/in" }, note: "orders" },
    });
    const settings = mapping({ webhookUrl: "/to/address", webhookName: "/note" });
    const listed = await startRun(service, settings).listWebhooks();
    expect(listed).toMatchObject([{ url: "https://b.example/in", name: "orders" }]);
  });

  it("are shown without secrets even where a setting takes another text for a URL", async () => {
    const service = await serviceWith({ 101: { queue: "queue of orders, key 0123456789abcdef" } });
    const listed = await startRun(service, mapping({ webhookUrl: "/queue" })).listWebhooks();
    expect(listed).toMatchObject([{ url: "queue of orders, key ***" }]);
  });

  it("are outputs that a refresh updates and that never cause a difference", async () => {
    const members = { 101: { name: "orders" } };
    const service = await serviceWith(members);
    const first = startRun(service);
    const { inputs, outputs } = await create(first.partnerWebhookState, { webhookId: 101, state: "active" });
    members[101].name = "renamed";
    const run = startRun(service);
    const read = (await run.partnerWebhookState.read(outputs))?.outputs ?? {};
    expect(read).toEqual({ ...outputs, name: "renamed" });
    const older = Object.fromEntries(
      Object.entries(outputs).filter(([output]) => !["url", "name"].includes(output)),
    );
    for (const olds of [outputs, read, older])
      expect(run.partnerWebhookState.diff(olds, inputs).changes).toBe(false);
    expect(service.requests).toHaveLength(2);
  });
});

describe("a search", () => {
  const MEMBERS = {
    1: {
      name: "orders",
      url: `https://me:${SECRET}@A.example/in?token=${SECRET}`,
    },
    2: { name: "refunds", url: "https://b.example:443" },
    3: { name: "refunds", url: "https://b.example/in/" },
  };

  it.each<[query: object, webhookId: number]>([
    [{ url: `https://a.example/in?token=${SECRET}` }, 1],
    [{ url: `HTTPS://A.EXAMPLE:443/in?token=${SECRET}#f` }, 1],
    [{ url: "https://b.example/" }, 2],
    [{ url: "https://b.example/in/", name: undefined }, 3],
    [{ name: " orders " }, 1],
  ])("by %j finds webhook %i", async (query, webhookId) => {
    const service = await serviceWith(MEMBERS);
    const run = startRun(service);
    await run.listWebhooks();
    expect(await run.findWebhook(query)).toMatchObject({ webhookId, state: "active" });
    expect(service.requests).toHaveLength(1);
  });

  it.each<[query: object, message: string]>([
    [
      { url: "https://a.example/in" },
      'No webhook has this URL. Existing webhooks: 1 ("orders", a.example/in), 2 ("refunds", b.example), 3',
    ],
    [{ url: "https://b.example/in" }, "No webhook has this URL."],
    [
      { name: "refunds" },
      '2 webhooks have this name: 2 ("refunds", b.example), 3 ("refunds", b.example/in/).',
    ],
    [{}, "exactly one of them"],
    [{ url: "https://b.example/", name: "refunds" }, "exactly one of them"],
    [{ url: 7 }, "exactly one of them"],
  ])("by %j fails without showing a secret", async (query, message) => {
    const error = await failureOf(startRun(await serviceWith(MEMBERS)).findWebhook(query));
    const text = renderError(error);
    expect(text).toContain(message);
    expect(text).not.toContain(SECRET);
  });

  it("in a list without URLs names the setting", async () => {
    const run = startRun(await serviceWith({ 1: { name: "orders" } }));
    const error = await failureOf(run.findWebhook({ url: "https://a.example/" }));
    expect(renderError(error)).toContain("set partners:responses.webhookUrl");
  });
});
