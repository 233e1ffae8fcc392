import { describe, expect, it, vi } from "vitest";

import type { Properties } from "../../../provider/src/shared/properties.js";
import { PartialFailure } from "../../../provider/src/shared/partial-failure.js";
import { ResourceError } from "../../../provider/src/shared/problems.js";
import type { Fault, Sandbox } from "../../support/sandbox.ts";
import { failureOf, sandboxFor } from "../api/support.ts";
import { create, methods, partialFailureOf, startRun } from "../shared/support.ts";
import { FOUND, created, up, refreshed, destroy, serverStates, all, serviceWith } from "./support.ts";

const refused: Fault = { kind: "status", status: 409, operation: "disableWebhook" };

describe("others", () => {
  it("waits for a webhook that another resource of the process is releasing", async () => {
    const service = await sandboxFor();
    const args = { states: { 102: "disabled" }, stateOnDestroy: "active" };
    const olds = await created(service, args);
    const { partnerWebhookStates: fleet } = startRun(service, { requestTimeout: "0.5" });
    service.inject({ kind: "hang", at: "headers", operation: "activateWebhook" });
    const updated = fleet.update("default", olds, { ...olds, states: {} });
    await vi.waitFor(() => {
      expect(methods(service)).toContain("PATCH"); // It is repeated.
    });
    await Promise.all([updated, create(fleet, { states: {}, others: "disabled" })]);
    expect(service.webhooks.get(102)).toBe("disabled");
  });

  it("covers every unnamed webhook; a refresh finds those that drifted or are new", async () => {
    const service = await sandboxFor();
    const args = { states: { 103: "active" }, others: "disabled", stateOnDestroy: "restore" };
    const first = startRun(service);
    const { outputs: olds } = await create(first.partnerWebhookStates, args);
    const differ = { kind: "othersDiffer", state: "disabled", webhookIds: [101, 102], certain: true };
    expect(first.notices, "creation").toEqual([differ]);
    const created = { 101: "disabled", 102: "disabled", 103: "active" };
    expect(serverStates(service), "creation").toEqual(created);
    const otherStates = { 101: "disabled", 102: "disabled" };
    expect(olds, "creation").toMatchObject({ otherStates, initialStates: FOUND });
    expect(await up(service, olds, args), "unchanged up").toBe(olds);
    expect(methods(service), "unchanged up").toEqual([]);

    service.setWebhookState(101, "active");
    service.addWebhook(104, "active");
    service.removeWebhook(102);
    const refresh = startRun(service);
    const { outputs = {} } = (await refresh.partnerWebhookStates.read(olds)) ?? {};
    const drifted = { ...differ, webhookIds: [101, 104] };
    const gone = { kind: "webhooksGone", webhookIds: [102] };
    expect(refresh.notices, "refresh").toEqual([gone, drifted]);
    const found = {
      otherStates: { 101: "active", 104: "active" },
      initialStates: { 101: "active", 102: "active", 103: "disabled", 104: "active" },
    };
    expect(outputs, "refresh").toMatchObject(found);
    const next = startRun(service);
    const repaired = await up(service, outputs, args, next);
    expect(next.notices, "repair").toEqual([drifted]);
    const wanted = { 101: "disabled", 103: "active", 104: "disabled" };
    expect(serverStates(service), "repair").toEqual(wanted);
    expect(methods(service), "repair").toEqual(["GET", "PATCH", "PATCH"]);
    await destroy(service, repaired);
    const restored = { 101: "active", 103: "disabled", 104: "active" };
    expect(serverStates(service), "destroy").toEqual(restored);
  });
});

describe("failed changes", () => {
  it("do not stop the others, are counted, and are all that the next up sends", async () => {
    const service = await serviceWith(10, [{ ...refused, skip: 4, times: 3 }]);
    const args = { states: all(10, "disabled"), stateOnDestroy: "restore" };
    const { properties, reason } = await partialFailureOf(created(service, args));
    const failures = [1, 2, 3].map(() => ({ error: { status: 409 } }));
    const isChanged = (id: number): boolean => service.webhooks.get(id) === "disabled";
    const changed = [...service.webhooks.keys()].filter(isChanged);
    const problem = { kind: "fleetIncomplete", failures, changed };
    expect(reason).toMatchObject({ code: "PARTNERS_STATUS", problem });
    expect(properties).toMatchObject({ states: serverStates(service), initialStates: all(10, "active") });
    expect(Object.values(serverStates(service)).filter((state) => state === "active")).toHaveLength(3);
    const news = await up(service, properties, args);
    expect(methods(service)).toEqual(["GET", "PATCH", "PATCH", "PATCH"]);
    await destroy(service, news);
    expect(serverStates(service)).toEqual(all(10, "active"));
  });

  it.each([
    [
      "update",
      (olds: Properties, service: Sandbox) =>
        up(service, olds, { states: { 102: "active" }, stateOnDestroy: "active" }),
    ],
    ["deletion", (olds: Properties, service: Sandbox) => destroy(service, olds)],
  ])("say what a %s has changed, even if only one of them failed", async (_what, apply) => {
    const service = await sandboxFor();
    const states = { 101: "disabled", 102: "disabled", 103: "disabled" };
    const olds = await created(service, { states, stateOnDestroy: "active" });
    service.inject({ ...refused, operation: "activateWebhook" });
    const failure = await failureOf(apply(olds, service));
    const reason: unknown = failure instanceof PartialFailure ? failure.reason : failure;
    if (!(reason instanceof ResourceError) || reason.problem.kind !== "fleetIncomplete") throw reason;
    const { failures, changed } = reason.problem;
    const active = [101, 102, 103].filter((id) => service.webhooks.get(id) === "active");
    expect([failures.length, changed]).toEqual([1, active]);
  });

  it("leave no resource if certainly none of them was made", async () => {
    const service = await sandboxFor({ faults: [{ ...refused, times: 2 }] });
    const creation = created(service, { states: { 101: "disabled", 102: "disabled" } });
    expect(await failureOf(creation)).toMatchObject({ problem: { changed: [] } });
    expect(methods(service)).toEqual(["GET", "PATCH", "PATCH"]);
  });

  it("that may have been made are repaired by a revert", async () => {
    const service = await sandboxFor();
    const args = { states: { 101: "active" }, others: "active" };
    const olds = await created(service, args);
    service.inject({ kind: "status", status: 500, effect: true, operation: "disableWebhook", times: 2 });
    const failing = up(service, olds, { states: { 101: "disabled" }, others: "disabled" });
    const { properties } = await partialFailureOf(failing);
    expect(properties).toMatchObject({ states: { 101: null }, otherStates: { 102: null, 103: "disabled" } });
    await up(service, properties, args);
    expect(serverStates(service)).toEqual({ 101: "active", 102: "active", 103: "active" });
  });

  it("to webhooks that leave the fleet are repeated by the next up", async () => {
    const service = await sandboxFor();
    const args = { states: { 101: "disabled" }, stateOnDestroy: "restore" };
    const olds = await created(service, { ...args, states: { 101: "disabled", 102: "disabled" } });
    service.inject({ ...refused, operation: "activateWebhook" });
    const { properties } = await partialFailureOf(up(service, olds, args));
    expect(properties).toMatchObject({ otherStates: { 102: "disabled" }, initialStates: { 102: "active" } });
    const news = await up(service, await refreshed(service, properties), args);
    expect(news).toMatchObject({ otherStates: {}, initialStates: { 101: "active" } });
    expect(service.webhooks.get(102)).toBe("active");
  });
});
