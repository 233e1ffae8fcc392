import { describe, expect, it, vi } from "vitest";

import { WebhookRegistry, type WebhookList } from "../../../provider/src/handlers/webhook-registry.js";
import type { WebhookReading } from "../../../provider/src/responses/webhook-list-reader.js";
import { failureOf, sandboxFor } from "../api/support.ts";
import { methods, startRun } from "./support.ts";

/** Creates a registry for a service with webhooks 1 to 3, and its clock. */
async function start() {
  const service = await sandboxFor({
    webhooks: [1, 2, 3].map((webhookId) => ({ webhookId, state: "active" })),
  });
  const clock = { now: 1_000_000 };
  const { plugin } = startRun(service, {}, { currentTime: () => clock.now });
  const { webhooks: registry } = await plugin.open();
  return {
    service,
    clock,
    registry,
    gets: () => methods(service).filter((method) => method === "GET").length,
  };
}

/** Looks up one webhook. @throws the error for a webhook that is not in the list. */
async function find(registry: WebhookRegistry, webhookId: number): Promise<WebhookReading> {
  const snapshot = await registry.lookUp([webhookId]);
  const webhook = snapshot.get(webhookId);
  if (!webhook) throw snapshot.absenceError([webhookId]);
  return webhook;
}

async function all(registry: WebhookRegistry): Promise<readonly WebhookReading[]> {
  return (await registry.lookUp([])).all();
}

describe("the webhook list", () => {
  it("is read once for all concurrent lookups, and for all lookups within 30 s", async () => {
    const { registry, clock, gets } = await start();
    await Promise.all([find(registry, 1), find(registry, 2), all(registry)]);
    clock.now += 30_000;
    expect(await find(registry, 2)).toMatchObject({ webhookId: 2, state: "active" });
    expect(gets()).toBe(1);
    clock.now += 1;
    await find(registry, 2);
    expect(gets()).toBe(2);
  });

  it("includes our own changes, and is read again after a change that may have failed", async () => {
    const { service, registry, gets } = await start();
    await find(registry, 1);
    await registry.setState(1, "disabled");
    expect(await find(registry, 1)).toMatchObject({ state: "disabled", missing: null });
    expect((await all(registry)).map(({ state }) => state)).toEqual(["disabled", "active", "active"]);
    expect(gets()).toBe(1);
    service.inject({ kind: "status", status: 409, operation: "activateWebhook" });
    expect(await failureOf(registry.setState(1, "active"))).toMatchObject({ status: 409 });
    expect(await find(registry, 2)).toMatchObject({ state: "active" });
    expect(gets()).toBe(2);
  });

  it("includes a change that was made while the list was read, until it is read again", async () => {
    const arrivals: ((list: WebhookList) => void)[] = [];
    // A real server cannot hold a response back until exactly between two of our own steps.
    const listWebhooks = (): Promise<WebhookList> => new Promise((resolve) => arrivals.push(resolve));
    const clock = { now: 1 };
    const setWebhookState = (webhookId: number): Promise<void> =>
      webhookId === 2 ? Promise.reject(new Error("lost")) : Promise.resolve();
    const { managed } = startRun({ url: "https://partners.example", accessToken: "token" }).plugin;
    const registry = new WebhookRegistry({ listWebhooks, setWebhookState }, () => clock.now, managed);
    const webhook = { webhookId: 1, state: "active", missing: null, record: {} } as const;
    const webhooks = new Map([[1, webhook]]);
    const list: WebhookList = { readable: true, complete: true, webhooks, provesAbsence: true, pointers: {} };
    const found = find(registry, 1);
    await expect(registry.setState(2, "disabled")).rejects.toThrow("lost");
    await registry.setState(1, "disabled");
    arrivals[0]?.(list);
    expect(await found).toMatchObject({ state: "disabled" });
    clock.now += 30_001;
    const later = find(registry, 1);
    (await vi.waitUntil(() => arrivals[1]))(list);
    expect(await later).toMatchObject({ state: "active" });
  });

  it("shows a webhook only after a pending change to it has finished", async () => {
    const { service, registry } = await start();
    await find(registry, 1);
    const held = service.hold();
    const change = registry.setState(1, "disabled");
    await held.reached;
    const found = find(registry, 1);
    expect(await find(registry, 2)).toMatchObject({ state: "active" }); // Other webhooks do not wait.
    await held.release();
    expect(await found).toMatchObject({ state: "disabled" });
    await change;
  });

  it("proves that a webhook does not exist only if it was requested after the lookup started", async () => {
    const { service, registry, clock, gets } = await start();
    await find(registry, 1);
    clock.now += 1;
    expect(await failureOf(find(registry, 99))).toMatchObject({
      problem: { kind: "noSuchWebhook", webhookIds: [99], existing: [1, 2, 3] },
    });
    expect(gets()).toBe(2);
    service.addWebhook(98, "disabled");
    clock.now += 1;
    expect(await find(registry, 98)).toMatchObject({ state: "disabled" });
    expect(gets()).toBe(3);
  });

  it("is read again after a failure", async () => {
    const { service, registry } = await start();
    service.inject({ kind: "status", status: 401 });
    expect(await failureOf(find(registry, 1))).toMatchObject({ status: 401 });
    expect(await find(registry, 1)).toMatchObject({ webhookId: 1 });
  });
});
