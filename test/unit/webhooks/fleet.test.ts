import { describe, expect, it, vi } from "vitest";

import { UNKNOWN, type Properties } from "../../../provider/src/shared/properties.js";
import { SHAPES, type Fault, type Shape } from "../../support/sandbox.ts";
import { failureOf, sandboxFor } from "../api/support.ts";
import { checked, create, mapping, methods, partialFailureOf, startRun } from "../shared/support.ts";
import { FOUND, created, up, refreshed, destroy, serverStates, all, serviceWith } from "./support.ts";

/** A list without states. */
const STATELESS: Shape = {
  ...SHAPES.flat,
  webhooks: (list) => list.map(({ webhookId }) => ({ webhookId, mode: "LIVE" })),
};

/** A list with further pages. */
const PAGED: Shape = { ...SHAPES.flat, webhooks: (list) => ({ webhooks: list, hasMore: true }) };

describe("a fleet", () => {
  it("sends one GET and a PATCH per difference, nothing if unchanged, and one GET to refresh", async () => {
    const service = await sandboxFor();
    const { partnerWebhookStates: fleet, notices } = startRun(service);
    const args = { states: { 101: "active", 102: "disabled", 103: "active" } };
    const { id, outputs } = await create(fleet, args);
    expect(methods(service), "creation").toEqual(["GET", "PATCH", "PATCH"]);
    expect(serverStates(service), "creation").toEqual(args.states);
    const defaults = { others: "leave", otherStates: {}, stateOnDestroy: "leave", account: "default" };
    expect(id).toBe("default");
    const created = { ...args, ...defaults, initialStates: FOUND, server: service.url };
    expect(outputs, "creation").toEqual(created);
    service.clearRequests();
    expect(await up(service, outputs, args), "unchanged up").toBe(outputs);
    expect(methods(service), "unchanged up").toEqual([]);
    expect(await refreshed(service, outputs), "refresh").toEqual(outputs);
    expect(methods(service), "refresh").toEqual(["GET"]);
    const changed = await up(service, outputs, { states: { ...args.states, 101: "disabled" } });
    const states = { 101: "disabled", 102: "disabled", 103: "active" };
    expect(changed, "changed up").toEqual({ ...outputs, states });
    expect(methods(service), "changed up").toEqual(["GET", "PATCH"]);
    expect(notices).toEqual([]);
  });

  it("sends its changes in parallel, and shows its progress at most 100 times", async () => {
    const service = await serviceWith(150);
    const shown: unknown[] = [];
    const progress = (...report: number[]): void => void shown.push(report);
    const run = startRun(service, { maxConnections: "4" }, { progress });
    await create(run.partnerWebhookState, { webhookId: 1, state: "disabled" });
    expect(shown).toEqual([]); // The engine's own line says enough.
    await create(run.partnerWebhookStates, { states: all(150, "disabled") });
    expect(serverStates(service)).toEqual(all(150, "disabled"));
    expect(methods(service)).toHaveLength(1 + 150);
    expect(new Set(service.connections("PATCH")).size).toBe(4);
    expect(shown).toHaveLength(74);
    expect(shown[0]).toEqual([2, 149]);
  });

  it("is replaced only if its account changes", async () => {
    const service = await sandboxFor();
    const { partnerWebhookStates: fleet } = startRun(service);
    const { outputs, inputs } = await create(fleet, { states: { 101: "active" } });
    const diff = (news: Properties): unknown => fleet.diff(outputs, { ...inputs, ...news });
    expect(diff({})).toEqual({ changes: false, replaces: [] });
    expect(diff({ account: "eu" })).toEqual({ changes: true, replaces: ["account"] });
    for (const news of [
      ...[{}, { 102: "active" }, { 101: UNKNOWN }, UNKNOWN].map((states) => ({ states })),
      { others: "active" },
      { stateOnDestroy: "restore" },
    ])
      expect(diff(news), JSON.stringify(news)).toEqual({ changes: true, replaces: [] });
  });

  it("is refreshed to the observed states; if a webhook is gone, the next up fails but changes the others", async () => {
    const service = await sandboxFor();
    const args = { states: { 101: "active", 102: "active" } };
    const olds = await created(service, args);
    service.setWebhookState(101, "disabled");
    service.removeWebhook(102);
    const refresh = startRun(service);
    const { outputs = {}, inputs } = (await refresh.partnerWebhookStates.read(olds)) ?? {};
    expect(outputs).toEqual({ ...olds, states: { 101: "disabled" } });
    expect(inputs).toMatchObject({ states: { 101: "disabled" } });
    const drift = { kind: "drifted", state: "disabled", webhookIds: [101], labels: ['101 ("orders")'] };
    expect(refresh.notices).toEqual([{ kind: "webhooksGone", webhookIds: [102] }, drift]);
    const { partnerWebhookStates: fleet } = startRun(service);
    const problem = { kind: "noSuchWebhook", webhookIds: [102], existing: [101, 103] };
    expect((await fleet.check(outputs, args)).problems).toMatchObject([{ problem }]);
    const failure = await partialFailureOf(fleet.update("default", outputs, { ...outputs, ...args }));
    expect(failure.reason).toMatchObject({
      problem: {
        kind: "fleetIncomplete",
        changed: [101],
        failures: [{ webhookId: 102, error: { problem } }],
      },
    });
    const initialStates = { 101: "active", 102: "active" };
    expect(failure.properties).toMatchObject({ states: { 101: "active" }, initialStates });
    expect(service.webhooks.get(101)).toBe("active");
  });

  it("uses a list with further pages, except for others and for webhooks that are missing from it", async () => {
    const service = await sandboxFor({ shape: PAGED });
    const olds = await created(service, { states: { 101: "disabled" } });
    const { partnerWebhookStates: fleet } = startRun(service);
    const covering = await fleet.check({}, { states: {}, others: "active" });
    expect(covering.problems).toMatchObject([{ problem: { kind: "absenceUnproven", webhookId: null } }]);
    const absence = { problem: { kind: "absenceUnproven", webhookId: 7 } };
    expect((await fleet.check({}, { states: { 7: "active" } })).problems).toMatchObject([absence]);
    const missing = { ...olds, states: { 7: "active" }, initialStates: { 7: "active" } };
    for (const [step, call] of [
      ["refresh", fleet.read(missing)],
      ["destroy", destroy(service, { ...missing, stateOnDestroy: "disabled" })],
    ] as const)
      expect(await failureOf(call), step).toMatchObject(absence);
    // Neither does an empty list prove that the account has no webhooks.
    const empty = await sandboxFor({ faults: [{ kind: "status", status: 200, body: '{"data":[]}' }] });
    const creation = startRun(empty).partnerWebhookStates.create({ states: {}, others: "disabled" });
    expect(await failureOf(creation)).toMatchObject({ problem: { kind: "absenceUnproven", complete: true } });
  });

  it("sends every desired state if the list shows none, and warns that it cannot see drift", async () => {
    const service = await sandboxFor({ shape: STATELESS });
    const { partnerWebhookStates: fleet, notices } = startRun(service);
    const args = { states: { 101: "disabled" }, others: "active", stateOnDestroy: "restore" };
    const { outputs } = await create(fleet, args);
    expect(serverStates(service)).toEqual({ 101: "disabled", 102: "active", 103: "active" });
    const initialStates = { 101: null, 102: null, 103: null };
    expect(outputs).toMatchObject({ states: args.states, initialStates });
    expect(await refreshed(service, outputs)).toEqual(outputs);
    const notice = { kind: "stateUnknown", webhookIds: [101, 102, 103], setting: "webhookState" };
    expect(notices).toContainEqual(notice);
    const mapped = startRun(service, mapping({ webhookState: "/mode" }));
    const { inputs } = await mapped.partnerWebhookStates.adopt("default");
    expect(inputs["states"]).toEqual({});
    expect(mapped.notices).toEqual([{ ...notice, setting: "active" }]);
  });

  it("is imported by the name of its account, with all webhooks", async () => {
    const service = await sandboxFor();
    const { partnerWebhookStates: fleet } = startRun(service);
    const { id, inputs, outputs } = await fleet.adopt("default");
    expect(id).toBe("default");
    // A missing input would be a difference in the next refresh.
    expect(inputs).toEqual({ states: FOUND, others: "leave", stateOnDestroy: "leave", account: "default" });
    expect((await fleet.read(outputs))?.inputs).toEqual(inputs);
    expect(fleet.diff(outputs, await checked(fleet, inputs, inputs)).changes).toBe(false);
    const problem = { kind: "wrongImportId", expected: { kind: "accountName", account: "default" } };
    expect(await failureOf(fleet.adopt("eu"))).toMatchObject({ problem });
    expect(methods(service)).toEqual(["GET"]);
  });
});

it("a state that something else wrote crashes no handler", async () => {
  const service = await sandboxFor();
  const { partnerWebhookStates: fleet, partnerWebhookState: webhooks } = startRun(service);
  const news = await checked(fleet, { states: { 101: "active" } });
  const broken = { states: 7, otherStates: [null], initialStates: { x: 1, 101: "OFF", 102: {} }, others: {} };
  for (const [state, olds] of [
    ["an empty state", {}],
    ["wrong types", broken],
    ["wrong types to restore", { ...broken, stateOnDestroy: "restore" }],
  ] as const) {
    expect(fleet.diff(olds, news).changes, `diff of ${state}`).toBe(true);
    expect((await fleet.read(olds))?.outputs, `read of ${state}`).toMatchObject({ states: {} });
    const updated = await fleet.update("default", olds, news);
    expect(updated, `update of ${state}`).toMatchObject({ states: { 101: "active" } });
    expect(await webhooks.read(olds), `read of a webhook, ${state}`).toMatchObject({ outputs: olds });
    for (const handlers of [fleet, webhooks]) await handlers.delete(olds);
  }
  expect(methods(service)).toEqual(["GET"]);
});

describe("a call that the engine repeats, because a retry hook asks for it", () => {
  const URN = "urn:pulumi:dev::test::partners:index:PartnerWebhookStates::fleet";
  const lost: Fault = { kind: "status", status: 500, operation: "disableWebhook", effect: true };

  it("keeps the original states that the first call found, in a creation", async () => {
    const service = await sandboxFor({ faults: [lost] });
    const { partnerWebhookState: webhooks } = startRun(service);
    const news = await checked(webhooks, { webhookId: 101, state: "disabled" });
    const first = await partialFailureOf(webhooks.create(news, URN));
    const { outputs } = await webhooks.create(news, URN);
    expect([first.properties["initialState"], outputs["initialState"]]).toEqual(["active", "active"]);
    // The first change may have been made, and the list may lag behind it.
    expect(methods(service)).toEqual(["GET", "PATCH", "GET", "PATCH"]);
    const other = await webhooks.create(news, `${URN}2`);
    expect(other.outputs).toMatchObject({ initialState: "disabled" });
  });

  it("continues from what the first call changed after an unexpected error in the second one", async () => {
    const service = await sandboxFor({ faults: [lost] });
    const { partnerWebhookState: webhooks, plugin } = startRun(service);
    const news = await checked(webhooks, { webhookId: 101, state: "disabled" });
    await partialFailureOf(webhooks.create(news, URN));
    const broken = vi.spyOn(plugin, "open").mockRejectedValueOnce(new TypeError("unexpected"));
    expect(await failureOf(webhooks.create(news, URN))).toBeInstanceOf(TypeError);
    broken.mockRestore();
    expect((await webhooks.create(news, URN)).outputs["initialState"]).toBe("active");
  });

  it("keeps what the first call changed if the second one cannot read the list", async () => {
    const service = await sandboxFor({ faults: [lost] });
    const { partnerWebhookStates: fleet } = startRun(service);
    const news = await checked(fleet, { states: { 101: "disabled" } });
    const first = await partialFailureOf(fleet.create(news, URN));
    service.inject({ kind: "status", status: 403, operation: "listWebhooks" });
    const second = await partialFailureOf(fleet.create(news, URN));
    expect(second.properties).toEqual(first.properties);
    expect(second.reason).toMatchObject({ status: 403 });
  });

  it("keeps the original states that the first call found, in an update", async () => {
    const service = await sandboxFor();
    const olds = await created(service, { states: { 103: "disabled" } });
    const { partnerWebhookStates: fleet } = startRun(service);
    const news = await checked(fleet, { states: { 103: "disabled", 101: "disabled" } }, olds);
    service.inject(lost);
    await partialFailureOf(fleet.update("default", olds, news, URN));
    const outputs = await fleet.update("default", olds, news, URN);
    expect(outputs["initialStates"]).toEqual({ 101: "active", 103: "disabled" });
    // After a success, another call is not a repetition.
    expect(await fleet.update("default", olds, news, URN)).toMatchObject({
      initialStates: { 101: "disabled" },
    });
  });
});
