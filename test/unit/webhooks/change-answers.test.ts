import { describe, expect, it } from "vitest";

import type { Properties } from "../../../provider/src/shared/properties.js";
import type { Fault } from "../../support/sandbox.ts";
import { failureOf, InstantClock, sandboxFor } from "../api/support.ts";
import { create, methods, partialFailureOf, startRun } from "../shared/support.ts";

/** What the service answers to the request that disables a webhook. `effect`: whether it does so. */
const answer = (body: unknown, effect = true): Fault => ({
  kind: "status",
  status: 200,
  body: JSON.stringify(body),
  effect,
  operation: "disableWebhook",
});
const UNREADABLE: Fault = { kind: "status", status: 403, operation: "listWebhooks", times: Infinity };
const DISABLED = { webhookId: 101, state: "disabled" };

/** A list that still shows the webhooks as they were, as often as `times` says. */
const lagging = (times: number): Fault => ({
  kind: "status",
  status: 200,
  body: '[{"id":101,"state":"active"},{"id":102,"state":"active"},{"id":103,"state":"disabled"}]',
  operation: "listWebhooks",
  skip: 1,
  times,
});

/** Starts a service that answers in this way, and a run whose waits are over at once. */
async function start(...faults: readonly Fault[]) {
  const service = await sandboxFor({ faults });
  const clock = new InstantClock();
  const run = (config = {}) => startRun(service, config, { clock, currentTime: () => clock.now() });
  return { service, clock, run, ...run() };
}

describe("a webhook whose change is answered with its record", () => {
  it.each([
    ["the error of its last delivery", { id: 101, state: "disabled", error: "last delivery timed out" }],
    ["errors of its deliveries", { webhook: { id: 101, active: false }, errors: ["timed out"] }],
    ["errors of its deliveries, but no ID", { state: "disabled", errors: ["timed out"] }],
    ["the status of its last delivery", { id: 101, state: "disabled", status: "failed" }],
    ["false success", { success: false, data: { id: 101, state: "disabled" } }],
  ])("is changed if the record shows the new state, with %s", async (_what, body) => {
    const { service, partnerWebhookState, notices } = await start(answer(body));
    const { outputs } = await create(partnerWebhookState, DISABLED);
    expect([outputs["state"], methods(service), notices]).toEqual(["disabled", ["GET", "PATCH"], []]);
  });

  it("is not changed if the answer reports a failure, and the record does not show the new state", async () => {
    const body = { success: false, error: "locked", data: { id: 101, state: "active" } };
    const { service, partnerWebhookState } = await start(answer(body, false));
    const { reason } = await partialFailureOf(create(partnerWebhookState, DISABLED));
    expect(reason).toMatchObject({
      failure: { cause: { kind: "reportedFailure" }, serverMessage: "locked" },
    });
    expect(methods(service)).toEqual(["GET", "PATCH"]);
  });
});

describe("a webhook whose record shows the other state after a change", () => {
  const stale = answer({ id: 101, state: "active", message: "queued" });
  const ignored = answer({ id: 101, state: "active", message: "queued" }, false);

  it("is changed if the list, which is read again, shows the new state", async () => {
    const { service, partnerWebhookState, notices } = await start(stale);
    const { outputs } = await create(partnerWebhookState, DISABLED);
    expect([outputs["state"], notices]).toEqual(["disabled", []]);
    expect(methods(service)).toEqual(["GET", "PATCH", "GET"]);
  });

  it("is changed if the list lags, and shows the new state within some seconds", async () => {
    const { service, clock, partnerWebhookState, notices } = await start(stale, lagging(3));
    const { outputs } = await create(partnerWebhookState, DISABLED);
    expect([outputs["state"], notices]).toEqual(["disabled", []]);
    expect(methods(service)).toEqual(["GET", "PATCH", "GET", "GET", "GET", "GET"]);
    expect(clock.sleeps).toEqual([1_000, 2_000, 4_000]);
  });

  it("is an error if the list shows the other state as well, and the next run tries again", async () => {
    const { service, clock, run, partnerWebhookState } = await start(ignored);
    const { properties, reason } = await partialFailureOf(create(partnerWebhookState, DISABLED));
    expect(reason).toMatchObject({
      failure: { cause: { kind: "notApplied" }, webhookId: 101, effect: "possible", serverMessage: "queued" },
    });
    expect(properties).toMatchObject({ state: null, initialState: "active" });
    expect([methods(service).length, clock.sleeps]).toEqual([6, [1_000, 2_000, 4_000]]);
    const next = run().partnerWebhookState;
    const inputs = { ...DISABLED, stateOnDestroy: "leave", account: "default" };
    expect(next.diff(properties, inputs).changes).toBe(true);
    expect(await next.update("101", properties, inputs)).toMatchObject({ state: "disabled" });
  });

  it("is an error after a shorter time if operationTimeout says so", async () => {
    const { clock, run } = await start(ignored);
    const { partnerWebhookState } = run({ operationTimeout: "3.5" });
    await partialFailureOf(create(partnerWebhookState, DISABLED));
    expect(clock.sleeps).toEqual([1_000, 2_000]);
  });

  it("is an error if the list shows the other state, and then cannot be read again", async () => {
    const { service, partnerWebhookState, notices } = await start(ignored, { ...UNREADABLE, skip: 2 });
    const { reason } = await partialFailureOf(create(partnerWebhookState, DISABLED));
    expect(reason).toMatchObject({ failure: { cause: { kind: "notApplied" } } });
    expect([methods(service), notices]).toEqual([["GET", "PATCH", "GET", "GET"], []]);
  });

  it("is changed, with a warning, if the list cannot be read or does not show it", async () => {
    const unreadable = await start(stale, { ...UNREADABLE, skip: 1 });
    expect((await create(unreadable.partnerWebhookState, DISABLED)).outputs["state"]).toBe("disabled");
    const gone = await start(stale, {
      ...{ kind: "status", status: 200, operation: "listWebhooks", skip: 1 },
      body: '[{"webhookId":102,"state":"active"}]',
    });
    expect((await create(gone.partnerWebhookState, DISABLED)).outputs["state"]).toBe("disabled");
    const notice = { kind: "changeUnconfirmed", webhookIds: [101], isRead: true };
    expect([unreadable.notices, gone.notices]).toEqual([[notice], [notice]]);
  });

  it("is not restored on delete if the list does not show the original state either", async () => {
    const { service, run, partnerWebhookState } = await start();
    const args = { webhookId: 103, state: "active", stateOnDestroy: "restore" };
    const { outputs } = await create(partnerWebhookState, args);
    service.inject(answer({ id: 103, state: "active" }, false));
    const destroyed = run().partnerWebhookState.delete(outputs, { id: "103", urn: "" });
    expect(await failureOf(destroyed)).toMatchObject({ failure: { cause: { kind: "notApplied" } } });
  });

  it("shares all readings of the list with all others that change at the same time", async () => {
    const { service, partnerWebhookState } = await start(
      { ...answer({ state: "active" }), times: 2 },
      lagging(2),
    );
    await Promise.all([101, 102].map((webhookId) => create(partnerWebhookState, { ...DISABLED, webhookId })));
    expect(methods(service)).toEqual(["GET", "PATCH", "PATCH", "GET", "GET", "GET"]);
  });

  it("is one of a fleet, which reads the list for all of them together", async () => {
    const shown = (id: number, state: string): Properties => ({ id, state });
    const { service, partnerWebhookStates } = await start(
      answer(shown(101, "active")),
      answer(shown(102, "active"), false),
    );
    const states = { 101: "disabled", 102: "disabled", 103: "active" };
    const { properties, reason } = await partialFailureOf(create(partnerWebhookStates, { states }));
    const failures = [{ webhookId: 102, error: { failure: { cause: { kind: "notApplied" } } } }];
    expect(reason).toMatchObject({ problem: { failures, changed: [101, 103] } });
    expect(properties["states"]).toEqual({ 101: "disabled", 102: null, 103: "active" });
    expect(methods(service)).toEqual(["GET", "PATCH", "PATCH", "PATCH", ...Array<string>(4).fill("GET")]);
  });
});
