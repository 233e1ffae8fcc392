import { describe, expect, it } from "vitest";

import { UNKNOWN, type Properties } from "../../../provider/src/handlers/contract.js";
import type { Fault } from "../../support/sandbox.ts";
import { failureOf, sandboxFor } from "../api/support.ts";
import { checked, create, mapping, methods, NOON, partialFailureOf, startRun, STATELESS } from "./support.ts";

const notFound: Fault = { kind: "status", status: 404, operation: "disableWebhook" };

/** Creates a resource in a run of its own. */
async function created(service: { url: string; accessToken: string }, args: Properties): Promise<Properties> {
  return (await create(startRun(service).partnerWebhookState, args)).outputs;
}

describe("a webhook", () => {
  it("is changed only where it differs: one GET for all, and a PATCH for each difference", async () => {
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

  it("is replaced if its id or its account changes", async () => {
    const { partnerWebhookState } = startRun(await sandboxFor());
    const olds = { webhookId: 101, state: "active", stateOnDestroy: "leave", account: "default" };
    const news = [
      { webhookId: 102 },
      { account: "eu" },
      { state: "disabled" },
      { stateOnDestroy: "restore" },
    ];
    const replaces = news.map((changes) => partnerWebhookState.diff(olds, { ...olds, ...changes }).replaces);
    expect(replaces).toEqual([["webhookId"], ["account"], [], []]);
  });

  it("that does not exist is an error that names those that do", async () => {
    const { partnerWebhookState: webhooks } = startRun(await sandboxFor());
    const facts = { kind: "noSuchWebhook", webhookIds: [7], existing: [101, 102, 103] };
    const { problems, inputs } = await webhooks.check({}, { webhookId: 7, state: "active" });
    expect(problems).toMatchObject([{ problem: facts }]);
    expect(await failureOf(webhooks.create(inputs))).toMatchObject({ problem: facts });
  });

  it("is refreshed to what is observed, and gone only if a complete list says so", async () => {
    const service = await sandboxFor();
    const olds = await created(service, { webhookId: 102, state: "active" });
    service.setWebhookState(102, "disabled");
    expect(await startRun(service).partnerWebhookState.read(olds)).toMatchObject({
      outputs: { ...olds, state: "disabled" },
      inputs: { state: "disabled", webhookId: 102 },
    });
    service.removeWebhook(102);
    expect(await startRun(service).partnerWebhookState.read(olds)).toBeNull();
  });

  it("of unknown state is sent what is wanted, and a notice says that drift cannot be seen", async () => {
    const service = await sandboxFor({ shape: STATELESS });
    const { partnerWebhookState: webhooks, notices } = startRun(service);
    const { outputs } = await create(webhooks, { webhookId: 101, state: "disabled" });
    expect(outputs).toMatchObject({ state: "disabled", initialState: null });
    expect(service.webhooks.get(101)).toBe("disabled");
    expect((await webhooks.read(outputs))?.outputs).toEqual(outputs);
    const notice = { kind: "stateUnknown", webhookIds: [101], setting: "webhookState" };
    expect(notices).toEqual([notice]);
    const words = startRun(service, mapping({ webhookState: "/mode" }));
    await words.partnerWebhookState.read(outputs);
    expect(words.notices).toEqual([{ ...notice, setting: "active" }]);
  });
});

describe("a change that fails", () => {
  it("and was certainly not made leaves no resource", async () => {
    const service = await sandboxFor({ faults: [{ ...notFound, status: 403 }] });
    const creation = created(service, { webhookId: 101, state: "disabled" });
    expect(await failureOf(creation)).toMatchObject({ status: 403, effect: "none" });
  });

  it("and may have been made keeps the state in which the webhook was found, for restore", async () => {
    const service = await sandboxFor({ faults: [{ ...notFound, status: 500, effect: true }] });
    const args = { webhookId: 101, state: "disabled", stateOnDestroy: "restore" };
    const { id, properties, reason } = await partialFailureOf(created(service, args));
    expect(reason).toMatchObject({ status: 500, effect: "possible" });
    expect([id, properties]).toMatchObject(["101", { state: "active", initialState: "active" }]);
    await startRun(service).partnerWebhookState.delete(properties);
    expect(service.webhooks.get(101)).toBe("active");
  });

  it("with 404 is told apart: the webhook is gone, or it is listed all the same", async () => {
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

describe("what a preview checks", () => {
  const args = { webhookId: 101, state: "active" };

  it.each([401, 403, 404])("is a problem that the update would have too: %d", async (status) => {
    const service = await sandboxFor({ faults: [{ kind: "status", status }] });
    const { problems } = await startRun(service).partnerWebhookState.check({}, args);
    expect(problems).toMatchObject([{ status }]);
  });

  it("does not count where the server may have recovered by then; that is remembered for 30 s", async () => {
    const service = await sandboxFor({ faults: [{ kind: "status", status: 501, times: Infinity }] });
    const clock = { now: NOON };
    const { partnerWebhookState: webhooks, notices } = startRun(
      service,
      {},
      { currentTime: () => clock.now },
    );
    const problems = async () => (await webhooks.check({}, args)).problems;
    expect([await problems(), await problems()]).toEqual([[], []]);
    expect(notices).toMatchObject([{ kind: "notChecked", error: { status: 501 } }]);
    expect(methods(service)).toEqual(["GET"]);
    service.clearFaults();
    clock.now += 30_000;
    expect(await problems()).toEqual([]);
    expect(methods(service)).toEqual(["GET", "GET"]);
  });

  it.each<[string, Fault]>([
    ["a connection that is reset", { kind: "reset", times: Infinity }],
    ["silence", { kind: "hang", at: "headers", times: Infinity }],
    ["a rate limit", { kind: "rateLimit", retryAfter: 60, times: Infinity }],
  ])("is not spoilt by %s", async (_what, fault) => {
    const { partnerWebhookState: webhooks, notices } = startRun(await sandboxFor({ faults: [fault] }));
    expect((await webhooks.check({}, args)).problems).toEqual([]);
    expect(notices).toMatchObject([{ kind: "notChecked" }]);
  });

  it("is not asked of the server for a webhook that is in state, or not known yet, or wrong", async () => {
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
    [{ webhookId: -1 }, /^webhookId must .* not above 0/],
    [{ webhookId: 2 ** 53 }, /^webhookId must .* too large/],
    [{ webhookId: undefined }, /^webhookId must .* missing/],
    [{ state: "SECRET" }, /^state must be "active" or "disabled"\.$/],
    [{ stateOnDestroy: "SECRET" }, /^stateOnDestroy must be/],
  ])("are the arguments: %j", async (wrong, problem) => {
    const service = await sandboxFor();
    const { problems } = await startRun(service).partnerWebhookState.check({}, { ...args, ...wrong });
    expect(problems).toEqual([expect.stringMatching(problem)]);
    expect(problems.join()).not.toContain("SECRET");
    expect(service.requests).toEqual([]);
  });
});

describe("the end of a resource", () => {
  // Webhook 101 was found active and is disabled.
  it.each([
    ["leave", "disabled", []],
    [undefined, "disabled", []],
    ["restore", "active", ["GET", "PATCH"]],
    ["active", "active", ["GET", "PATCH"]],
    ["disabled", "disabled", ["GET"]],
  ])("with stateOnDestroy: %s leaves the webhook %s", async (stateOnDestroy, state, requests) => {
    const service = await sandboxFor();
    const olds = await created(service, { webhookId: 101, state: "disabled", stateOnDestroy });
    service.clearRequests();
    await startRun(service).partnerWebhookState.delete(olds);
    expect([service.webhooks.get(101), methods(service)]).toEqual([state, requests]);
  });

  it("does nothing to a webhook that is gone, that the program declares under another name, or whose state was never known", async () => {
    const service = await sandboxFor();
    const olds = await created(service, { webhookId: 101, state: "disabled", stateOnDestroy: "restore" });
    const renamed = startRun(service);
    await checked(renamed.partnerWebhookState, { webhookId: 101, state: "disabled" });
    await renamed.partnerWebhookState.delete(olds);
    const { partnerWebhookState: webhooks, notices } = startRun(service);
    await webhooks.delete({ ...olds, initialState: null });
    expect(notices).toEqual([{ kind: "nothingToRestore", webhookIds: [101] }]);
    expect(service.webhooks.get(101)).toBe("disabled");
    service.removeWebhook(101);
    await webhooks.delete(olds);
    expect(methods(service).filter((method) => method === "PATCH")).toHaveLength(1); // That of the creation.
  });
});

it("the data source shares the list of the process, and shows records as sent", async () => {
  const service = await sandboxFor();
  const { partnerWebhookState, listWebhooks, plugin } = startRun(service);
  await create(partnerWebhookState, { webhookId: 101, state: "disabled" });
  expect(await listWebhooks()).toEqual([
    { webhookId: 101, state: "disabled", record: { webhookId: 101, state: "active" } },
    { webhookId: 102, state: "active", record: { webhookId: 102, state: "active" } },
    { webhookId: 103, state: "disabled", record: { webhookId: 103, state: "disabled" } },
  ]);
  expect(methods(service)).toEqual(["GET", "PATCH"]);
  expect([101, 102].map((id) => plugin.declarations.has(id))).toEqual([true, false]);
});
