import { describe, expect, it } from "vitest";

import { SettingsError } from "../../../provider/src/api/errors.js";
import type { Properties } from "../../../provider/src/shared/properties.js";
import { SHAPES, type Sandbox } from "../../support/sandbox.ts";
import { failureOf, sandboxFor } from "../api/support.ts";
import { checked, create, methods, partialFailureOf, startRun } from "../shared/support.ts";

/** Starts a run that does not read the list. */
const unread = (service: Sandbox, config = {}) => startRun(service, { readWebhooks: "false", ...config });
const NOTICE = { kind: "listNotRead" };
const refusal = (need: string) => ({ problem: { kind: "listNotRead", need } });

describe.each([
  ["a webhook", "partnerWebhookState", (state: string) => ({ webhookId: 101, state })],
  ["a fleet", "partnerWebhookStates", (state: string) => ({ states: { 101: state } })],
] as const)("%s without a list", (_what, kind, args) => {
  it("is set when it is created and whenever its state changes, and is never read", async () => {
    const service = await sandboxFor();
    const first = unread(service);
    const { id, inputs, outputs } = await create(first[kind], args("active"));
    expect(methods(service), "creation").toEqual(["PATCH"]);
    expect(first.notices, "creation").toEqual([NOTICE]);
    const next = unread(service);
    expect(await checked(next[kind], args("active"), inputs)).toEqual(inputs);
    expect(next[kind].diff(outputs, inputs).changes, "unchanged").toBe(false);
    expect(next.notices, "unchanged").toEqual([NOTICE]);
    service.setWebhookState(101, "disabled");
    const refresh = unread(service);
    expect((await refresh[kind].read(outputs))?.outputs, "refresh").toEqual(outputs);
    expect(refresh.notices, "refresh").toEqual([NOTICE]);
    const news = await checked(next[kind], { ...args("disabled"), stateOnDestroy: "active" }, inputs);
    const updated = await next[kind].update(id, outputs, news);
    expect(methods(service), "update").toEqual(["PATCH", "PATCH"]);
    await unread(service)[kind].delete(updated, { id, urn: "" });
    expect(methods(service), "destroy").toEqual(["PATCH", "PATCH", "PATCH"]);
    expect(service.webhooks.get(101)).toBe("active");
  });

  it("does not exist if the change of its state returns 404, but not after another refusal", async () => {
    const service = await sandboxFor();
    service.inject({ kind: "status", status: 403, operation: "activateWebhook" });
    expect(await failureOf(create(unread(service)[kind], args("active")))).toMatchObject({ status: 403 });
    service.removeWebhook(101);
    const problem = { kind: "noSuchWebhook", webhookIds: [101], existing: null };
    expect(await failureOf(create(unread(service)[kind], args("active")))).toMatchObject({ problem });
  });

  it("is released with a warning if it does not exist", async () => {
    const service = await sandboxFor();
    const { id, outputs } = await create(unread(service)[kind], {
      ...args("active"),
      stateOnDestroy: "disabled",
    });
    service.removeWebhook(101);
    const { [kind]: webhooks, notices } = unread(service);
    await webhooks.delete(outputs, { id, urn: "" });
    expect(notices).toEqual([{ kind: "releasedGone", webhookIds: [101] }]);
  });

  it("is not imported, and cannot be restored", async () => {
    const service = await sandboxFor();
    const { [kind]: webhooks } = unread(service);
    const id = kind === "partnerWebhookState" ? "101" : "default";
    expect(await failureOf(webhooks.adopt(id))).toMatchObject(refusal("import"));
    const { problems } = await webhooks.check({}, { ...args("active"), stateOnDestroy: "restore" });
    expect(problems).toMatchObject([refusal("restore")]);
    expect(methods(service)).toEqual([]);
  });

  it("warns if the answer to a change shows the other state, because no list can tell", async () => {
    const body = '{"id":101,"state":"active"}';
    const service = await sandboxFor({ faults: [{ kind: "status", status: 200, body }] });
    const run = unread(service);
    await create(run[kind], args("disabled"));
    const unconfirmed = { kind: "changeUnconfirmed", webhookIds: [101], isRead: false };
    expect(run.notices).toEqual([NOTICE, unconfirmed]);
    expect(methods(service)).toEqual(["PATCH"]);
  });
});

it("a fleet without a list sends only what changes, and repeats what failed", async () => {
  const service = await sandboxFor();
  const states = { 101: "disabled", 102: "disabled", 103: "disabled" };
  const { inputs, outputs } = await create(unread(service).partnerWebhookStates, { states });
  service.clearRequests();
  service.inject({ kind: "status", status: 500, operation: "activateWebhook", effect: true });
  const { partnerWebhookStates: fleet } = unread(service);
  const news: Properties = await checked(fleet, { states: { ...states, 102: "active" } }, inputs);
  const { properties } = await partialFailureOf(fleet.update("default", outputs, news));
  expect(properties["states"]).toEqual({ ...states, 102: null });
  expect(await unread(service).partnerWebhookStates.update("default", properties, news)).toMatchObject({
    states: { ...states, 102: "active" },
    initialStates: { 101: null, 102: null, 103: null },
  });
  expect(methods(service)).toEqual(["PATCH", "PATCH"]);
});

it("a webhook without a list is set again if this run has released it", async () => {
  const service = await sandboxFor();
  const args = { states: { 102: "disabled" }, stateOnDestroy: "active" };
  const { outputs } = await create(unread(service).partnerWebhookStates, args);
  const run = unread(service);
  await run.partnerWebhookStates.delete(outputs, { id: "default", urn: "" });
  await create(run.partnerWebhookState, { webhookId: 102, state: "disabled" });
  expect(service.webhooks.get(102)).toBe("disabled");
});

it("what needs a list is refused without a request, in a sentence of its own", async () => {
  const service = await sandboxFor();
  const run = unread(service);
  const { problems } = await run.partnerWebhookStates.check({}, { states: {}, others: "active" });
  expect(problems).toMatchObject([refusal("others")]);
  expect(await failureOf(run.listWebhooks())).toMatchObject(refusal("list"));
  expect(await failureOf(run.listResources())).toMatchObject(refusal("list"));
  const both = unread(service, { refreshBeforeUpdate: "true" });
  const error = await failureOf(
    both.plugin.open().catch((reason: unknown) => Promise.reject(reason as Error)),
  );
  expect(error).toBeInstanceOf(SettingsError);
  expect(methods(service)).toEqual([]);
});

it("a key without a list is created without a check of the token, and a 404 proves nothing", async () => {
  const service = await sandboxFor();
  const run = unread(service);
  const { id, outputs } = await create(run.partnerApiKey, {});
  expect([methods(service), run.notices]).toEqual([["POST"], []]);
  service.inject({ kind: "status", status: 404, operation: "deleteApiKey" });
  const deleted = run.partnerApiKey.delete(outputs, { id, urn: "" });
  const doubt = { kind: "noList", listError: refusal("list") };
  expect(await failureOf(deleted)).toMatchObject({ problem: { kind: "deletionUnclear", doubts: [doubt] } });
  expect(methods(service)).not.toContain("GET");
});

it("a webhook is managed although its list is none", async () => {
  const service = await sandboxFor({ shape: { ...SHAPES.flat, webhooks: () => "nothing here" } });
  const args = { webhookId: 101, state: "disabled" };
  expect(await failureOf(create(startRun(service).partnerWebhookState, args))).toBeInstanceOf(Error);
  await create(unread(service).partnerWebhookState, args);
  expect(service.webhooks.get(101)).toBe("disabled");
});
