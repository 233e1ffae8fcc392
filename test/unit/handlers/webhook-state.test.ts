import { describe, expect, it } from "vitest";

import { UNKNOWN, type Properties } from "../../../provider/src/handlers/contract.js";
import type { Fault } from "../../support/sandbox.ts";
import { failureOf, sandboxFor } from "../api/support.ts";
import { checked, create, methods, NOON, partialFailureOf, startRun } from "./support.ts";

const notFound: Fault = { kind: "status", status: 404, operation: "disableWebhook" };

/** Creates a resource in a separate run. */
async function created(service: { url: string; accessToken: string }, args: Properties): Promise<Properties> {
  return (await create(startRun(service).partnerWebhookState, args)).outputs;
}

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
      { ...expected, webhookId: 101, initialState: "active" },
      { ...expected, webhookId: 102, initialState: "active" },
      { ...expected, webhookId: 103, initialState: "disabled" },
    ]);
    expect(methods(service)).toEqual(["GET", "PATCH"]);
    const [first = {}] = outputs;
    const news = await checked(webhooks, { webhookId: 101, state: "disabled" }, first);
    expect(webhooks.diff(first, first)).toEqual({ changes: false, replaces: [] });
    expect(webhooks.diff(first, news)).toEqual({ changes: true, replaces: [] });
    expect(await webhooks.update("101", first, news)).toEqual({ ...first, state: "disabled" });
    expect(service.webhooks.get(101)).toBe("disabled");
    expect(methods(service)).toEqual(["GET", "PATCH", "PATCH"]);
  });

  it("is replaced if its ID or its account changes", async () => {
    const { partnerWebhookState: webhooks } = startRun(await sandboxFor());
    const olds = { webhookId: 101, state: "active", stateOnDestroy: "leave", account: "default" };
    const diff = (changes: Properties): unknown => webhooks.diff(olds, { ...olds, ...changes });
    expect(diff({ webhookId: 102 })).toEqual({ changes: true, replaces: ["webhookId"] });
    expect(diff({ account: "eu" })).toEqual({ changes: true, replaces: ["account"] });
    expect(diff({ stateOnDestroy: "restore" })).toEqual({ changes: true, replaces: [] });
  });

  it("is refreshed to its observed state, and leaves the state once it is gone", async () => {
    const service = await sandboxFor();
    const olds = await created(service, { webhookId: 102, state: "active" });
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
});

describe("a failed change", () => {
  it("that may have been made keeps the original state for restore", async () => {
    const service = await sandboxFor({ faults: [{ ...notFound, status: 500, effect: true }] });
    const args = { webhookId: 101, state: "disabled", stateOnDestroy: "restore" };
    const { id, properties, reason } = await partialFailureOf(created(service, args));
    expect(reason).toMatchObject({ status: 500, failure: { effect: "possible" } });
    expect([id, properties]).toMatchObject(["101", { state: "active", initialState: "active" }]);
    await startRun(service).partnerWebhookState.delete(properties);
    expect(service.webhooks.get(101)).toBe("active");
  });

  it("with 404 says whether the webhook is gone or still listed, and keeps the old state", async () => {
    const service = await sandboxFor({ faults: [notFound] });
    const error = await failureOf(created(service, { webhookId: 101, state: "disabled" }));
    expect(error).toMatchObject({ failure: { cause: { kind: "listed" }, webhookId: 101 } });
    const { partnerWebhookState: webhooks } = startRun(service);
    const olds = (await create(webhooks, { webhookId: 102, state: "active" })).outputs;
    service.removeWebhook(102);
    const gone = await failureOf(webhooks.update("102", olds, { ...olds, state: "disabled" }));
    expect(gone).toMatchObject({ problem: { kind: "noSuchWebhook", existing: [101, 103] } });
  });
});

describe("a preview", () => {
  const args = { webhookId: 101, state: "active" };

  it.each<[string, Fault, object]>([
    ["the service refuses the request", { kind: "status", status: 404 }, { status: 404 }],
    ["the list is a web page", { kind: "html" }, { code: "PARTNERS_UNREADABLE" }],
  ])("fails, as the update would, if %s", async (_what, fault, problem) => {
    const { partnerWebhookState: webhooks } = startRun(await sandboxFor({ faults: [fault] }));
    expect((await webhooks.check({}, args)).problems).toMatchObject([problem]);
  });

  it("continues after a server error, and sends no request for the next 30 s", async () => {
    const service = await sandboxFor({ faults: [{ kind: "status", status: 501, times: Infinity }] });
    let time = NOON;
    const { partnerWebhookState: webhooks, notices } = startRun(service, {}, { currentTime: () => time });
    const problems = async () => (await webhooks.check({}, args)).problems;
    expect([await problems(), await problems()]).toEqual([[], []]);
    expect(notices).toMatchObject([{ kind: "notChecked", error: { status: 501 } }]);
    expect(methods(service)).toEqual(["GET"]);
    service.clearFaults();
    time += 30_000;
    expect(await problems()).toEqual([]);
    expect(methods(service)).toEqual(["GET", "GET"]);
  });

  it.each<[string, Fault]>([
    ["a connection reset", { kind: "reset", times: Infinity }],
    ["a rate limit", { kind: "rateLimit", times: Infinity }],
  ])("continues after %s", async (_what, fault) => {
    const { partnerWebhookState: webhooks, notices } = startRun(await sandboxFor({ faults: [fault] }));
    expect((await webhooks.check({}, args)).problems).toEqual([]);
    expect(notices).toMatchObject([{ kind: "notChecked" }]);
  });

  it("sends no request for a webhook that is in the state or not known yet", async () => {
    const service = await sandboxFor();
    const { partnerWebhookState: webhooks } = startRun(service);
    await webhooks.check({ webhookId: 101 }, args);
    await webhooks.check({}, { webhookId: UNKNOWN, state: UNKNOWN, stateOnDestroy: UNKNOWN });
    expect(service.requests).toEqual([]);
  });

  it.each<[object, RegExp]>([
    [{ SECRET: 1 }, /^PartnerWebhookState has an unknown argument. Valid arguments: webhookId, state/],
    [{ webhookId: "101" }, /^webhookId must .* it is a string/],
    [{ webhookId: 1.5 }, /^webhookId must .* fraction/],
    [{ webhookId: 2 ** 53 }, /^webhookId must .* too large/],
    [{ webhookId: undefined }, /^webhookId must .* missing/],
    [{ state: "SECRET" }, /^state must be "active" or "disabled"\.$/],
    [{ stateOnDestroy: "SECRET" }, /^stateOnDestroy must be/],
  ])("refuses the arguments %j, and sends no request", async (invalid, problem) => {
    const service = await sandboxFor();
    const { problems } = await startRun(service).partnerWebhookState.check({}, { ...args, ...invalid });
    expect(problems).toEqual([expect.stringMatching(problem)]);
    expect(problems.join()).not.toContain("SECRET");
    expect(service.requests).toEqual([]);
  });
});

it("a deletion ignores a webhook that is gone, still declared, or of unknown original state", async () => {
  const service = await sandboxFor();
  const olds = await created(service, { webhookId: 101, state: "disabled", stateOnDestroy: "restore" });
  service.clearRequests();
  const renamed = startRun(service);
  await checked(renamed.partnerWebhookState, { webhookId: 101, state: "disabled" });
  await renamed.partnerWebhookState.delete(olds);
  const { partnerWebhookState: webhooks, notices } = startRun(service);
  await webhooks.delete({ ...olds, initialState: null });
  expect(notices).toEqual([{ kind: "nothingToRestore", webhookIds: [101] }]);
  service.removeWebhook(101);
  await webhooks.delete(olds);
  expect(methods(service)).not.toContain("PATCH");
});

it("the data source shares the list of the process, and returns records as the service sent them", async () => {
  const service = await sandboxFor();
  const { partnerWebhookState, listWebhooks, plugin } = startRun(service);
  await create(partnerWebhookState, { webhookId: 101, state: "disabled" });
  expect(await listWebhooks()).toEqual([
    { webhookId: 101, state: "disabled", record: { webhookId: 101, state: "active" } },
    { webhookId: 102, state: "active", record: { webhookId: 102, state: "active" } },
    { webhookId: 103, state: "disabled", record: { webhookId: 103, state: "disabled" } },
  ]);
  expect(methods(service)).toEqual(["GET", "PATCH"]);
  expect([101, 102].map((id) => plugin.managed.isDeclared(id))).toEqual([true, false]);
});
