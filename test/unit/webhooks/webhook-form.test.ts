import { describe, expect, it } from "vitest";

import { UNKNOWN, withoutSpecialValues } from "../../../provider/src/shared/properties.js";
import type { InputProblem } from "../../../provider/src/shared/problems.js";
import { SHAPES } from "../../support/sandbox.ts";
import { failureOf, sandboxFor } from "../api/support.ts";
import { checked, create, methods, partialFailureOf, startRun } from "../shared/support.ts";

describe("a webhook", () => {
  it("shares one GET with all others, and sends a PATCH only if its state differs", async () => {
    const service = await sandboxFor();
    const { partnerWebhookState: webhooks } = startRun(service);
    const outputs = await Promise.all(
      [101, 102, 103].map(
        async (webhookId) => (await create(webhooks, { webhookId, state: "active" })).outputs,
      ),
    );
    const expected = { account: "default", state: "active", stateOnDestroy: "leave", server: service.url };
    expect(outputs).toEqual([
      { ...expected, webhookId: 101, initialState: "active", url: null, name: "orders" },
      { ...expected, webhookId: 102, initialState: "active", url: null, name: "invoices" },
      { ...expected, webhookId: 103, initialState: "disabled", url: null, name: "refunds" },
    ]);
    expect(methods(service), "creation").toEqual(["GET", "PATCH"]);
    const [first = {}] = outputs;
    const news = await checked(webhooks, { webhookId: 101, state: "disabled" }, first);
    expect(webhooks.diff(first, first), "no change").toEqual({ changes: false, replaces: [] });
    expect(webhooks.diff(first, news), "a change").toEqual({ changes: true, replaces: [] });
    const disabled = { ...first, state: "disabled" };
    expect(webhooks.preview(first, news), "preview of an update").toEqual(disabled);
    const planned = { state: "disabled", initialState: UNKNOWN };
    expect(webhooks.preview(null, news), "preview of a creation").toMatchObject(planned);
    expect(await webhooks.update("101", first, news), "update").toEqual(disabled);
    expect(service.webhooks.get(101), "update").toBe("disabled");
    expect(methods(service), "update").toEqual(["GET", "PATCH", "PATCH"]);
  });

  it("is replaced if its ID or its account changes", async () => {
    const { partnerWebhookState: webhooks } = startRun(await sandboxFor());
    const olds = { webhookId: 101, state: "active", stateOnDestroy: "leave", account: "default" };
    for (const [news, replaces] of [
      [{ webhookId: 102 }, ["webhookId"]],
      [{ account: "eu" }, ["account"]],
      [{ stateOnDestroy: "restore" }, []],
    ] as const)
      expect(webhooks.diff(olds, { ...olds, ...news }), JSON.stringify(news)).toEqual({
        changes: true,
        replaces,
      });
  });

  it("is refreshed to its observed state, and leaves the state once it is gone", async () => {
    const service = await sandboxFor();
    const args = { webhookId: 102, state: "active" };
    const { outputs: olds } = await create(startRun(service).partnerWebhookState, args);
    service.setWebhookState(102, "disabled");
    expect(await startRun(service).partnerWebhookState.read(olds)).toMatchObject({
      outputs: { ...olds, state: "disabled" },
      inputs: { state: "disabled", webhookId: 102 },
    });
    service.inject({ kind: "status", status: 200, operation: "listWebhooks", body: "[]" });
    const emptied = startRun(service).partnerWebhookState.read(olds);
    expect(await failureOf(emptied)).toMatchObject({ problem: { kind: "absenceUnproven" } });
    service.removeWebhook(102);
    const { partnerWebhookState: webhooks, notices } = startRun(service);
    expect(await webhooks.read(olds)).toBeNull();
    expect(notices).toEqual([{ kind: "webhooksGone", webhookIds: [102] }]);
  });

  it.each([
    [409, false, "active", ["PATCH"]],
    [500, true, null, ["PATCH", "GET", "PATCH"]],
  ])("after an update failed with %s, a revert repairs it", async (status, effect, state, requests) => {
    const service = await sandboxFor();
    const { partnerWebhookState: webhooks } = startRun(service);
    const { inputs, outputs } = await create(webhooks, { webhookId: 101, state: "active" });
    service.clearRequests();
    service.inject({ kind: "status", status, effect, operation: "disableWebhook" });
    const update = webhooks.update("101", outputs, { ...inputs, state: "disabled" });
    const { id, properties, reason } = await partialFailureOf(update);
    expect({ id, reason }).toMatchObject({ id: "101", reason: { status } });
    expect(properties).toEqual({ ...outputs, state });
    if (webhooks.diff(properties, inputs).changes) await webhooks.update("101", properties, inputs);
    expect(service.webhooks.get(101)).toBe("active");
    expect(methods(service)).toEqual(requests);
  });

  it("keeps its original state if an update fails because it is gone", async () => {
    const service = await sandboxFor();
    const { inputs, outputs } = await create(startRun(service).partnerWebhookState, {
      webhookId: 101,
      state: "disabled",
    });
    service.removeWebhook(101);
    const { partnerWebhookState: webhooks } = startRun(service);
    const update = webhooks.update("101", outputs, { ...inputs, state: "active" });
    const { properties } = await partialFailureOf(update);
    expect(properties).toEqual({ ...outputs, state: null });
  });

  it("is left alone by a deletion if it is gone, or of unknown original state", async () => {
    const service = await sandboxFor();
    const { partnerWebhookState: webhooks, notices } = startRun(service);
    const olds = { webhookId: 101, state: "disabled", stateOnDestroy: "restore", account: "default" };
    await webhooks.delete({ ...olds, initialState: null });
    expect(notices).toEqual([{ kind: "nothingToRestore", webhookIds: [101] }]);
    service.removeWebhook(101);
    await startRun(service).partnerWebhookState.delete({ ...olds, initialState: "disabled" });
    expect(methods(service)).not.toContain("PATCH");
  });

  it.each<[object, InputProblem]>([
    [
      { stat: "SECRET" },
      {
        kind: "unknownArgument",
        of: "PartnerWebhookState",
        name: '"stat"',
        known: ["webhookId", "state", "stateOnDestroy"],
      },
    ],
    ...["101", 1.5, 2 ** 53, undefined].map((webhookId): [object, InputProblem] => [
      { webhookId },
      { kind: "invalidArgument", argument: "webhookId" },
    ]),
    [{ state: "SECRET" }, { kind: "invalidArgument", argument: "state" }],
    [{ stateOnDestroy: "SECRET" }, { kind: "invalidArgument", argument: "stateOnDestroy" }],
  ])("is refused with the arguments %j, without a request", async (invalid, problem) => {
    const service = await sandboxFor();
    const args = { webhookId: 101, state: "active", ...invalid };
    const { problems } = await startRun(service).partnerWebhookState.check({}, args);
    expect(problems).toEqual([problem]);
    expect(service.requests).toEqual([]);
  });
});

it("the data source shares the list of the process, and returns records as the service sent them", async () => {
  const service = await sandboxFor();
  const run = startRun(service);
  const { partnerWebhookState, plugin } = run;
  await create(partnerWebhookState, { webhookId: 101, state: "disabled" });
  const webhooks = (await run.listWebhooks()).map(({ full: _, ...webhook }) => webhook);
  expect(withoutSpecialValues(webhooks)).toEqual([
    {
      webhookId: 101,
      state: "disabled",
      url: null,
      name: "orders",
      record: { webhookId: 101, name: "orders", state: "active" },
    },
    {
      webhookId: 102,
      state: "active",
      url: null,
      name: "invoices",
      record: { webhookId: 102, name: "invoices", state: "active" },
    },
    {
      webhookId: 103,
      state: "disabled",
      url: null,
      name: "refunds",
      record: { webhookId: 103, name: "refunds", state: "disabled" },
    },
  ]);
  expect(methods(service)).toEqual(["GET", "PATCH"]);
  expect(plugin.declaredWebhooks.undeclared([101, 102])).toEqual([102]);

  const render = (list: readonly object[]) => ({ webhooks: list, hasMore: true });
  const paged = startRun(await sandboxFor({ shape: { ...SHAPES.flat, webhooks: render } }));
  expect(await failureOf(paged.listWebhooks())).toMatchObject({ problem: { kind: "absenceUnproven" } });
});
