import { describe, expect, it } from "vitest";

import { UNKNOWN, type Properties } from "../../../provider/src/handlers/contract.js";
import type { Fault, Sandbox, WebhookState } from "../../support/sandbox.ts";
import { failureOf, sandboxFor } from "../api/support.ts";
import {
  checked,
  create,
  methods,
  NOON,
  PAGED,
  partialFailureOf,
  startRun,
  STATELESS,
  type Run,
} from "./support.ts";

/** 101 and 102 are active, 103 is disabled. */
const FOUND = { 101: "active", 102: "active", 103: "disabled" };
const refused: Fault = { kind: "status", status: 409, operation: "disableWebhook" };

/** Creates a fleet in a run of its own. */
async function created(service: Sandbox, args: Properties): Promise<Properties> {
  const { outputs } = await create(startRun(service).partnerWebhookStates, args);
  service.clearRequests();
  return outputs;
}

/** What the next `up` does, in a run of its own. */
async function up(
  service: Sandbox,
  olds: Properties,
  args: Properties,
  run = startRun(service),
): Promise<Properties> {
  const { partnerWebhookStates: fleet } = run;
  service.clearRequests();
  const news = await checked(fleet, args, olds);
  return fleet.diff(olds, news).changes ? fleet.update("default", olds, news) : olds;
}

/** What a refresh leaves in state, in a run of its own. */
async function refreshed(service: Sandbox, olds: Properties): Promise<Properties> {
  return (await startRun(service).partnerWebhookStates.read(olds))?.outputs ?? {};
}

/** Deletes a fleet in a run of its own. */
async function destroy(service: Sandbox, olds: Properties): Promise<void> {
  await startRun(service).partnerWebhookStates.delete(olds);
}

function statesOf({ webhooks }: Sandbox): Record<string, WebhookState> {
  return Object.fromEntries(webhooks);
}

function many(count: number, state: WebhookState): { webhookId: number; state: WebhookState }[] {
  return Array.from({ length: count }, (_, index) => ({ webhookId: index + 1, state }));
}

function allOf(count: number, state: WebhookState): Record<string, WebhookState> {
  return Object.fromEntries(many(count, state).map(({ webhookId }) => [webhookId, state]));
}

describe("a fleet", () => {
  it("costs one GET and a PATCH for each difference, nothing if unchanged, and one GET to refresh", async () => {
    const service = await sandboxFor();
    const { partnerWebhookStates: fleet, notices } = startRun(service);
    const args = { states: { 101: "active", 102: "disabled", 103: "active" } };
    const { id, outputs } = await create(fleet, args);
    expect(methods(service)).toEqual(["GET", "PATCH", "PATCH"]);
    expect(statesOf(service)).toEqual(args.states);
    const defaults = { others: "leave", otherStates: {}, stateOnDestroy: "leave", account: "default" };
    expect(id).toBe("default");
    expect(outputs).toEqual({ ...args, ...defaults, initialStates: FOUND, server: service.url });
    service.clearRequests();
    expect(await up(service, outputs, args)).toBe(outputs);
    expect(methods(service)).toEqual([]);
    expect(await refreshed(service, outputs)).toEqual(outputs);
    expect(methods(service)).toEqual(["GET"]);
    const changed = await up(service, outputs, { states: { ...args.states, 101: "disabled" } });
    expect(changed).toEqual({ ...outputs, states: { 101: "disabled", 102: "disabled", 103: "active" } });
    expect(methods(service)).toEqual(["GET", "PATCH"]);
    expect(notices).toEqual([]);
  });

  it("has at most maxConnections requests in flight, and reads once however long it takes", async () => {
    const service = await sandboxFor({ webhooks: many(60, "active"), latency: 5 });
    const clock = { now: NOON };
    const options = { currentTime: () => clock.now };
    const { partnerWebhookStates: fleet } = startRun(service, { maxConnections: "4" }, options);
    const creation = fleet.create(await checked(fleet, { states: allOf(60, "disabled") }));
    clock.now += 3_600_000;
    await creation;
    expect(new Set(service.webhooks.values())).toEqual(new Set(["disabled"]));
    expect(methods(service).filter((method) => method === "PATCH")).toHaveLength(60);
    expect(new Set(service.requests.map(({ connection }) => connection)).size).toBeLessThanOrEqual(4);
  });

  it("is replaced with its account only", async () => {
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
      expect(diff(news)).toEqual({ changes: true, replaces: [] });
  });

  it("sees drift in a refresh, and drops what is gone: then the next up fails", async () => {
    const service = await sandboxFor();
    const args = { states: { 101: "active", 102: "active" } };
    const olds = await created(service, args);
    service.setWebhookState(101, "disabled");
    service.removeWebhook(102);
    const { outputs = {}, inputs } = (await startRun(service).partnerWebhookStates.read(olds)) ?? {};
    expect(outputs).toEqual({ ...olds, states: { 101: "disabled" }, initialStates: { 101: "active" } });
    expect(inputs).toMatchObject({ states: { 101: "disabled" } });
    const { partnerWebhookStates: fleet } = startRun(service);
    expect((await fleet.check(outputs, args)).problems).toMatchObject([
      { problem: { kind: "noSuchWebhook", webhookIds: [102], existing: [101, 103] } },
    ]);
    // The other webhooks are not stopped by it.
    const failure = await partialFailureOf(fleet.update("default", outputs, { ...outputs, ...args }));
    expect(failure.reason).toMatchObject({ problem: { kind: "noSuchWebhook", webhookIds: [102] } });
    expect(failure.properties).toMatchObject({ states: { 101: "active" }, initialStates: { 101: "active" } });
    expect(service.webhooks.get(101)).toBe("active");
  });

  it("of others fails on an empty list that does not prove that there are no webhooks", async () => {
    const service = await sandboxFor({ faults: [{ kind: "status", status: 200, body: '{"data":[]}' }] });
    const { partnerWebhookStates: fleet } = startRun(service);
    const inputs = { states: {}, others: "disabled", stateOnDestroy: "leave", account: "default" };
    const problem = { kind: "absenceUnproven", webhookId: null, complete: true };
    expect(await failureOf(fleet.create(inputs))).toMatchObject({ problem });
    expect(methods(service)).toEqual(["GET"]);
  });

  it("of a list that may have further pages is used, except for others and for what is missing", async () => {
    const service = await sandboxFor({ shape: PAGED });
    const olds = await created(service, { states: { 101: "disabled" } });
    const { partnerWebhookStates: fleet } = startRun(service);
    const all = await fleet.check({}, { states: {}, others: "active" });
    expect(all.problems).toMatchObject([{ problem: { kind: "absenceUnproven", webhookId: null } }]);
    const absence = { problem: { kind: "absenceUnproven", webhookId: 7 } };
    expect((await fleet.check({}, { states: { 7: "active" } })).problems).toMatchObject([absence]);
    const missing = { ...olds, states: { 7: "active" }, initialStates: { 7: "active" } };
    for (const call of [fleet.read(missing), destroy(service, { ...missing, stateOnDestroy: "disabled" })])
      expect(await failureOf(call)).toMatchObject(absence);
  });

  it("is sent what is wanted where the list does not tell the state", async () => {
    const service = await sandboxFor({ shape: STATELESS });
    const { partnerWebhookStates: fleet, notices } = startRun(service);
    const args = { states: { 101: "disabled" }, others: "active", stateOnDestroy: "restore" };
    const { outputs } = await create(fleet, args);
    expect(statesOf(service)).toEqual({ 101: "disabled", 102: "active", 103: "active" });
    const initialStates = { 101: null, 102: null, 103: null };
    expect(outputs).toMatchObject({ states: args.states, initialStates });
    expect((await fleet.read(outputs))?.outputs).toEqual(outputs);
    const notice = { kind: "stateUnknown", webhookIds: [101, 102, 103], setting: "webhookState" };
    expect(notices).toContainEqual(notice);
  });

  it("is previewed as far as it is known", async () => {
    const { partnerWebhookStates: fleet } = startRun(await sandboxFor());
    const { outputs, inputs } = await create(fleet, { states: { 101: "active", 102: "active" } });
    const news = { ...inputs, states: { 101: UNKNOWN } };
    expect(fleet.preview(outputs, news)).toEqual({ ...outputs, ...news, initialStates: { 101: "active" } });
    for (const [olds, unclear] of [
      [null, inputs],
      [outputs, { ...inputs, states: UNKNOWN }],
      [outputs, { ...inputs, states: { 103: "active" } }],
      [outputs, { ...inputs, others: "active" }],
    ] as const)
      expect(fleet.preview(olds, unclear)).toMatchObject({ initialStates: UNKNOWN, otherStates: UNKNOWN });
  });

  it("is imported by the name of its account, with all webhooks", async () => {
    const service = await sandboxFor();
    const { partnerWebhookStates: fleet } = startRun(service);
    const { id, inputs, outputs } = await fleet.adopt("default");
    expect(id).toBe("default");
    // All inputs, so that a refresh finds none that differ.
    expect(inputs).toEqual({ states: FOUND, others: "leave", stateOnDestroy: "leave", account: "default" });
    expect((await fleet.read(outputs))?.inputs).toEqual(inputs);
    expect(fleet.diff(outputs, await checked(fleet, inputs, inputs)).changes).toBe(false);
    const problem = { kind: "wrongImportId", text: 'its account: "default"' };
    expect(await failureOf(fleet.adopt("eu"))).toMatchObject({ problem });
    expect(methods(service)).toEqual(["GET"]);
  });

  it("tells how far it is four times a second at most", async () => {
    const service = await sandboxFor({ webhooks: many(40, "active") });
    const shown: unknown[] = [];
    let time = NOON;
    const currentTime = (): number => (time += 20);
    const progress = (each: unknown): void => void shown.push(each);
    await create(startRun(service, {}, { progress, currentTime }).partnerWebhookStates, {
      states: allOf(40, "disabled"),
    });
    expect(shown[0]).toEqual({ account: "default", done: expect.any(Number) as number, total: 40 });
    expect(shown.length).toBeGreaterThan(1);
    expect(shown.length).toBeLessThanOrEqual((time - NOON) / 250);
  });

  it("of one webhook shows no progress, nor does a webhook on its own: each would cost the engine a message", async () => {
    const service = await sandboxFor();
    const shown: unknown[] = [];
    let time = NOON;
    const currentTime = (): number => (time += 300);
    const progress = (each: unknown): void => void shown.push(each);
    const run = startRun(service, {}, { progress, currentTime });
    await create(run.partnerWebhookStates, { states: { 101: "disabled" } });
    await create(run.partnerWebhookState, { webhookId: 102, state: "disabled" });
    expect(methods(service)).toEqual(["GET", "PATCH", "PATCH"]);
    expect(shown).toEqual([]);
  });
});

describe("others", () => {
  it("covers every webhook that is not named, and a refresh sees those that drift or are new", async () => {
    const service = await sandboxFor();
    const args = { states: { 103: "active" }, others: "disabled", stateOnDestroy: "restore" };
    const first = startRun(service);
    const { outputs: olds } = await create(first.partnerWebhookStates, args);
    expect(first.notices).toEqual([{ kind: "othersDiffer", state: "disabled", webhookIds: [101, 102] }]);
    expect(statesOf(service)).toEqual({ 101: "disabled", 102: "disabled", 103: "active" });
    expect(olds).toMatchObject({ otherStates: { 101: "disabled", 102: "disabled" }, initialStates: FOUND });
    expect(await up(service, olds, args)).toBe(olds);
    expect(methods(service)).toEqual([]);

    service.setWebhookState(101, "active");
    service.addWebhook(104, "active");
    service.removeWebhook(102);
    const refresh = startRun(service);
    const { outputs = {} } = (await refresh.partnerWebhookStates.read(olds)) ?? {};
    const drifted = { kind: "othersDiffer", state: "disabled", webhookIds: [101, 104] };
    expect(refresh.notices).toEqual([drifted]);
    expect(outputs).toMatchObject({ otherStates: { 101: "active", 104: "active" } });
    const next = startRun(service);
    const repaired = await up(service, outputs, args, next);
    expect(next.notices).toEqual([drifted]);
    expect(statesOf(service)).toEqual({ 101: "disabled", 103: "active", 104: "disabled" });
    expect(methods(service)).toEqual(["GET", "PATCH", "PATCH"]);
    await destroy(service, repaired);
    expect(statesOf(service)).toEqual({ 101: "active", 103: "disabled", 104: "active" });
  });

  it("is left as stateOnDestroy says when it returns to leave", async () => {
    const service = await sandboxFor();
    const args = { states: { 103: "active" }, stateOnDestroy: "restore" };
    const olds = await created(service, { ...args, others: "disabled" });
    const news = await up(service, olds, args);
    expect(statesOf(service)).toEqual({ 101: "active", 102: "active", 103: "active" });
    expect(news).toMatchObject({ otherStates: {}, initialStates: { 103: "disabled" } });
    expect(methods(service)).toEqual(["GET", "PATCH", "PATCH"]);
  });
});

describe("changes that fail", () => {
  it("stop no other, are counted, and are all that the next up sends", async () => {
    const faults: Fault[] = [{ ...refused, skip: 4, times: 3 }];
    const service = await sandboxFor({ webhooks: many(10, "active"), faults });
    const args = { states: allOf(10, "disabled"), stateOnDestroy: "restore" };
    const { properties, reason } = await partialFailureOf(created(service, args));
    const failures = [1, 2, 3].map(() => ({ error: { status: 409 } }));
    const problem = { kind: "fleetIncomplete", total: 10, failures };
    expect(reason).toMatchObject({ code: "PARTNERS_STATUS", problem });
    expect(properties).toMatchObject({ states: statesOf(service), initialStates: allOf(10, "active") });
    expect(Object.values(statesOf(service)).filter((state) => state === "active")).toHaveLength(3);
    const news = await up(service, properties, args);
    expect(methods(service)).toEqual(["GET", "PATCH", "PATCH", "PATCH"]);
    await destroy(service, news);
    expect(statesOf(service)).toEqual(allOf(10, "active"));
  });

  it("because the run is stopped leave in state what was reached, and the next up sends the rest", async () => {
    const stop = new AbortController();
    let ended = 0;
    const service = await sandboxFor({
      webhooks: many(40, "active"),
      latency: 5,
      onRequest: () => {
        if (++ended === 12) stop.abort();
      },
    });
    const args = { states: allOf(40, "disabled") };
    const { partnerWebhookStates: fleet } = startRun(service, {}, { signal: stop.signal });
    const creation = create(fleet, args);
    const { properties, reason } = await partialFailureOf(creation);
    const problem = { kind: "fleetIncomplete", total: 40 };
    expect(reason).toMatchObject({ code: "PARTNERS_INTERRUPTED", problem });
    const left = Object.values(statesOf(service)).filter((state) => state === "active").length;
    expect(left).toBeGreaterThan(10);
    await up(service, properties, args);
    expect(methods(service)).toHaveLength(1 + left);
    expect(statesOf(service)).toEqual(args.states);
  });

  it("and were certainly not made leave no resource", async () => {
    const service = await sandboxFor({ faults: [{ ...refused, times: 2 }] });
    const creation = created(service, { states: { 101: "disabled", 102: "disabled" } });
    expect(await failureOf(creation)).toMatchObject({ problem: { total: 2 } });
  });

  it("and may have been made keep the states in which the webhooks were found", async () => {
    const service = await sandboxFor({ faults: [{ ...refused, times: 2, status: 500, effect: true }] });
    const { properties } = await partialFailureOf(
      created(service, { states: { 101: "disabled", 102: "disabled" } }),
    );
    expect(properties).toMatchObject({ initialStates: { 101: "active", 102: "active" } });
  });

  it("when what leaves is to be restored are made by the next up", async () => {
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

  it("with 404 are told apart by one look: gone, or listed all the same", async () => {
    const service = await sandboxFor({ webhooks: many(6, "active") });
    const { partnerWebhookStates: fleet } = startRun(service);
    const inputs = await checked(fleet, { states: allOf(6, "disabled") });
    for (const webhookId of [2, 5]) service.removeWebhook(webhookId);
    service.inject({ kind: "status", status: 404, operation: "disableWebhook" });
    const { reason } = await partialFailureOf(fleet.create(inputs));
    expect(reason).toMatchObject({
      problem: {
        failures: [
          { webhookId: 1, error: { failure: { cause: { kind: "listed" } } } },
          { webhookId: 2, error: { problem: { kind: "noSuchWebhook", webhookIds: [2, 5] } } },
          { webhookId: 5, error: { problem: { kind: "noSuchWebhook" } } },
        ],
      },
    });
    expect(methods(service).filter((method) => method === "GET")).toHaveLength(2);
  });
});

describe("what leaves a fleet", () => {
  const args = { states: { 101: "disabled", 102: "disabled" } };

  it.each([
    ["leave", "disabled", []],
    ["restore", "active", ["GET", "PATCH"]],
    ["active", "active", ["GET", "PATCH"]],
    ["disabled", "disabled", ["GET"]],
  ])("with stateOnDestroy: %s is %s", async (stateOnDestroy, state, requests) => {
    const service = await sandboxFor();
    const olds = await created(service, { ...args, stateOnDestroy });
    const news = await up(service, olds, { states: { 101: "disabled" }, stateOnDestroy });
    expect(service.webhooks.get(102)).toBe(state);
    expect(news).toMatchObject({ initialStates: { 101: "active" }, otherStates: {} });
    service.clearRequests();
    await destroy(service, news);
    expect([service.webhooks.get(101), methods(service)]).toEqual([state, requests]);
  });

  it("and is gone is passed over", async () => {
    const service = await sandboxFor();
    const olds = await created(service, { ...args, stateOnDestroy: "restore" });
    service.removeWebhook(101);
    await destroy(service, olds);
    expect(statesOf(service)).toEqual({ 102: "active", 103: "disabled" });
  });

  it("for resources of their own, and back, or under another name, costs no PATCH", async () => {
    const service = await sandboxFor();
    const olds = await created(service, { ...args, stateOnDestroy: "restore" });
    const declared = async (prepare: (run: Run) => Promise<unknown>): Promise<Run> => {
      const run = startRun(service);
      await prepare(run);
      return run;
    };
    const singular = { webhookId: 101, state: "disabled", stateOnDestroy: "restore" };
    const both = [101, 102].map((webhookId) => ({ ...singular, webhookId }));
    const toSingular = await declared(({ partnerWebhookState: webhooks }) =>
      Promise.all(both.map((each) => create(webhooks, each))),
    );
    await toSingular.partnerWebhookStates.delete(olds);
    for (const fleet of [args, { states: {}, others: "disabled" }]) {
      const back = await declared(({ partnerWebhookStates: webhooks }) => checked(webhooks, fleet));
      for (const each of both) await back.partnerWebhookState.delete({ ...each, initialState: "active" });
      await back.partnerWebhookStates.delete(olds);
    }
    const partly = await declared(({ partnerWebhookState: webhooks }) => create(webhooks, singular));
    await partly.partnerWebhookStates.update("default", olds, { ...olds, states: { 102: "disabled" } });
    expect(new Set(methods(service))).toEqual(new Set(["GET"]));
  });

  it("costs no PATCH either for a resource that is checked while the fleet reads the list", async () => {
    const service = await sandboxFor();
    const olds = await created(service, { ...args, stateOnDestroy: "active" });
    const { partnerWebhookStates: fleet, partnerWebhookState: webhooks } = startRun(service);
    const list = service.hold();
    const update = fleet.update("default", olds, { ...olds, states: { 101: "disabled" } });
    await list.reached;
    const taken = create(webhooks, { webhookId: 102, state: "disabled" });
    await list.release();
    await Promise.all([update, taken]);
    expect(methods(service)).toEqual(["GET"]);
  });
});

describe("what a preview checks", () => {
  it.each<[object, RegExp]>([
    [{ states: undefined }, /^states must map webhook ids/],
    [{ states: ["SECRET"] }, /^states must map webhook ids/],
    [{ states: { 101: "SECRET" } }, /^Every value in states must be/],
    [{ others: "SECRET" }, /^others must be/],
    [{ stateOnDestroy: "SECRET" }, /^stateOnDestroy must be/],
  ])("are the arguments: %j", async (wrong, problem) => {
    const service = await sandboxFor();
    const { problems } = await startRun(service).partnerWebhookStates.check({}, { states: {}, ...wrong });
    expect(problems).toEqual([expect.stringMatching(problem)]);
    expect(problems.join()).not.toContain("SECRET");
    expect(service.requests).toEqual([]);
  });

  it("are keys that are no ids, or name no webhook: it lists those that exist, if it can", async () => {
    const service = await sandboxFor({ accessToken: "tok_7Qm2Zr9XbK4gTw" });
    const { partnerWebhookStates: fleet } = startRun(service);
    const names = ["orders", "0", "1.5", "0101", "7", "101", service.accessToken];
    const states = Object.fromEntries(names.map((name) => [name, "active"]));
    const webhookIds = ["0", "orders", "1.5", "0101", "***", 7];
    const problem = { kind: "noSuchWebhook", webhookIds, existing: [101, 102, 103] };
    expect((await fleet.check({}, { states })).problems).toMatchObject([{ problem }]);
    service.inject({ kind: "status", status: 501, times: Infinity });
    const blind = await startRun(service).partnerWebhookStates.check({}, { states: { orders: "active" } });
    expect(blind.problems).toMatchObject([{ problem: { webhookIds: ["orders"], existing: null } }]);
  });

  it("is not asked of the server for what is in state or not known yet", async () => {
    const service = await sandboxFor();
    const { partnerWebhookStates: fleet } = startRun(service);
    const olds = { states: { 101: "active" }, others: "active" };
    await checked(fleet, { ...olds, states: { 101: UNKNOWN } }, olds);
    await checked(fleet, { states: UNKNOWN, others: UNKNOWN, stateOnDestroy: UNKNOWN });
    expect(service.requests).toEqual([]);
  });

  it("is that no webhook is declared twice, where the host names the resources", async () => {
    const { partnerWebhookState: webhooks, partnerWebhookStates: fleets } = startRun(await sandboxFor());
    const singular = { webhookId: 101, state: "active" };
    const conflicts: unknown[] = [];
    for (const [handlers, args, urn] of [
      [webhooks, singular, "one"],
      [webhooks, singular, "one"], // Once more, for its replacement.
      [webhooks, singular, undefined],
      [fleets, { states: { 101: "active", 102: "active" } }, "two"],
      [fleets, { states: { 102: "active" } }, "three"],
      [fleets, { states: {}, others: "disabled" }, "four"],
      [webhooks, { ...singular, webhookId: 103 }, "five"],
    ] as const)
      conflicts.push(...(await handlers.check({}, args, urn)).problems);
    const twice = (webhookId: number | null, ...urns: string[]): object => ({
      problem: { kind: "declaredTwice", webhookId, urns },
    });
    expect(conflicts).toMatchObject([
      twice(101, "one", "two"),
      twice(102, "two", "three"),
      twice(null, "one", "four"),
      twice(null, "four", "five"),
    ]);
  });
});
