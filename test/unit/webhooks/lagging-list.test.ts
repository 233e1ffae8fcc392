import { describe, expect, it } from "vitest";

import { SHAPES, type WebhookSeed } from "../../support/sandbox.ts";
import { sandboxFor } from "../api/support.ts";
import { checked, create, methods, NOON, startRun } from "../shared/support.ts";

/** Starts a service whose list keeps showing the webhooks as they were when it was read first. */
async function laggingService() {
  let shown: readonly WebhookSeed[] | null = null;
  const webhooks = (current: readonly WebhookSeed[]) => (shown ??= current);
  const service = await sandboxFor({ shape: { ...SHAPES.flat, webhooks } });
  return Object.assign(service, {
    catchUp: (): void => {
      shown = null;
    },
  });
}

describe.each([
  [
    "a webhook",
    "partnerWebhookState",
    (state: string, rest?: object) => ({ webhookId: 103, state, ...rest }),
    { webhookId: 102, state: "disabled" },
  ],
  [
    "a fleet",
    "partnerWebhookStates",
    (state: string, rest?: object) => ({ states: { 103: state }, ...rest }),
    { states: { 102: "disabled" } },
  ],
] as const)("%s, while the list lags behind our changes", (_what, kind, args, taken) => {
  it("is set back, and a refresh of a current list then finds no difference", async () => {
    const service = await laggingService();
    const { outputs, inputs } = await create(startRun(service)[kind], args("active"));
    const { [kind]: webhooks } = startRun(service);
    const news = await checked(webhooks, args("disabled"), inputs);
    const updated = await webhooks.update("id", outputs, news);
    expect(service.webhooks.get(103)).toBe("disabled");
    expect(methods(service)).toEqual(["GET", "PATCH", "GET", "PATCH"]);
    expect(startRun(service)[kind].diff(updated, news).changes).toBe(false);
    service.catchUp();
    const refresh = startRun(service);
    expect((await refresh[kind].read(updated))?.outputs).toEqual(updated);
    expect(refresh.notices).toEqual([]);
  });

  it("is restored by a destroy", async () => {
    const service = await laggingService();
    const { outputs } = await create(startRun(service)[kind], args("active", { stateOnDestroy: "restore" }));
    await startRun(service)[kind].delete(outputs, { id: "id", urn: "" });
    expect(service.webhooks.get(103)).toBe("disabled");
  });

  it("is set again if this run has released it, even if a newer list does not show that yet", async () => {
    const service = await laggingService();
    service.setWebhookState(102, "disabled");
    const before = { states: { 102: "disabled" }, stateOnDestroy: "active" };
    const { outputs } = await create(startRun(service).partnerWebhookStates, before);
    let now = NOON;
    const run = startRun(service, {}, { currentTime: () => now });
    await run.partnerWebhookStates.delete(outputs, { id: "default", urn: "" });
    expect(service.webhooks.get(102)).toBe("active");
    now += 60_000;
    await create(run[kind], taken);
    expect(service.webhooks.get(102)).toBe("disabled");
  });
});

it("a change in doubt is sent again although the list shows the desired state, because it may lag", async () => {
  const service = await laggingService();
  const { outputs, inputs } = await create(startRun(service).partnerWebhookState, {
    webhookId: 101,
    state: "active",
  });
  await startRun(service).partnerWebhookState.update("101", { ...outputs, state: null }, inputs);
  expect(methods(service)).toEqual(["GET", "GET", "PATCH"]);
});

it("others is sent to every webhook if there is no stack that records which change came last", async () => {
  const service = await sandboxFor({ webhooks: { 101: "active", 102: "active" } });
  const run = startRun(service);
  const settings = new Map([
    ["partners:baseUrl", service.url],
    ["partners:accessToken", service.accessToken],
  ]);
  run.plugin.configure(settings, true);
  await create(run.partnerWebhookStates, { states: { 101: "active" }, others: "active" });
  expect(methods(service)).toEqual(["GET", "PATCH", "PATCH"]);
});

it("others covers a webhook that was created in this run, after the list was read", async () => {
  const service = await sandboxFor();
  let now = NOON;
  const run = startRun(service, {}, { currentTime: () => now });
  const inputs = await checked(run.partnerWebhookStates, { states: {}, others: "disabled" });
  service.addWebhook(104, "active");
  now += 1_000;
  await run.partnerWebhookStates.create(inputs);
  expect(service.webhooks.get(104)).toBe("disabled");
  expect(methods(service).filter((method) => method === "GET")).toHaveLength(2);
});
