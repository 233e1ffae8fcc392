import { describe, expect, it } from "vitest";

import type { WebhookRegistry } from "../../../provider/src/webhooks/webhook-registry.js";
import type { WebhookReading } from "../../../provider/src/responses/webhook-list-reader.js";
import { failureOf, sandboxFor } from "../api/support.ts";
import { methods, startRun } from "../shared/support.ts";

/** Starts a service with webhooks 1 to 3, a registry for it, and its clock. */
async function start() {
  const service = await sandboxFor({
    webhooks: { 1: "active", 2: "active", 3: "active" },
  });
  const clock = { now: 1_000_000 };
  const { webhooks: registry } = await startRun(service, {}, { currentTime: () => clock.now }).plugin.open();
  const gets = () => methods(service).filter((method) => method === "GET").length;
  return { service, clock, registry, gets };
}

/** Looks up one webhook. @throws the error for a webhook that is not in the list. */
async function find(registry: WebhookRegistry, webhookId: number): Promise<WebhookReading> {
  const snapshot = await registry.lookUp([webhookId]);
  const webhook = snapshot.get(webhookId);
  if (!webhook) throw snapshot.absenceError([webhookId]);
  return webhook;
}

async function all(registry: WebhookRegistry): Promise<readonly WebhookReading[]> {
  return (await registry.list()).all();
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
    const changed = { state: "disabled", missing: null };
    expect(await find(registry, 1), "after a change").toMatchObject(changed);
    const states = (await all(registry)).map(({ state }) => state);
    expect(states, "after a change").toEqual(["disabled", "active", "active"]);
    expect(gets(), "after a change").toBe(1);
    service.inject({ kind: "status", status: 409, operation: "activateWebhook" });
    expect(await failureOf(registry.setState(1, "active"))).toMatchObject({ status: 409 });
    expect(await find(registry, 2), "after a failure").toMatchObject({ state: "active" });
    expect(gets(), "after a failure").toBe(2);
  });

  it("includes a change that was made while the list was read, until it is read again", async () => {
    const { service, registry, clock } = await start();
    const list = service.hold();
    const found = find(registry, 1);
    await list.reached;
    await registry.setState(1, "disabled");
    await list.release();
    expect(await found).toMatchObject({ state: "disabled" });
    service.setWebhookState(1, "active");
    clock.now += 30_001;
    expect(await find(registry, 1)).toMatchObject({ state: "active" });
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
    expect(gets(), "an ID that does not exist").toBe(2);
    service.addWebhook(98, "disabled");
    clock.now += 1;
    expect(await find(registry, 98)).toMatchObject({ state: "disabled" });
    expect(gets(), "an ID that is new").toBe(3);
  });

  it("is read again after a failure", async () => {
    const { service, registry } = await start();
    service.inject({ kind: "status", status: 401 });
    expect(await failureOf(find(registry, 1))).toMatchObject({ status: 401 });
    expect(await find(registry, 1)).toMatchObject({ webhookId: 1 });
  });
});
