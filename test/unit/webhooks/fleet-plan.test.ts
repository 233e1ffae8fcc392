import { describe, expect, it, onTestFinished, vi } from "vitest";

import { UNKNOWN } from "../../../provider/src/shared/properties.js";
import { ResourceError, type InputProblem } from "../../../provider/src/shared/problems.js";
import type { Fault, Sandbox, WebhookState } from "../../support/sandbox.ts";
import { sandboxFor } from "../api/support.ts";
import { checked, create, methods, sharedJournals, SHORT_TIMEOUTS, startRun } from "../shared/support.ts";
import { created } from "./support.ts";

/** Returns a function that starts one more process of the same run, for a provider of an account. */
function connector(service: Sandbox) {
  const journalOf = sharedJournals();
  return (account = "default") => startRun(service, { account }, journalOf());
}

describe("a preview", () => {
  it.each<[object, InputProblem]>([
    [
      { state: "SECRET" },
      {
        kind: "unknownArgument",
        of: "PartnerWebhookStates",
        name: '"state"',
        known: ["states", "others", "stateOnDestroy"],
      },
    ],
    [{ states: ["SECRET"] }, { kind: "invalidArgument", argument: "states" }],
    [{ states: { 101: "SECRET", 102: "active" } }, { kind: "notAState", webhookId: "101" }],
    [{ states: { "0101": "active" } }, { kind: "notAWebhookId", name: '"0101"' }],
    [
      JSON.parse('{ "states": { "__proto__": "active" } }') as object,
      { kind: "notAWebhookId", name: '"__proto__"' },
    ],
    [{ states: { tok_7Qm2Zr9XbK4gTw: "SECRET" } }, { kind: "notAWebhookId", name: '"***"' }],
    [{ others: "SECRET" }, { kind: "invalidArgument", argument: "others" }],
    [{ stateOnDestroy: "SECRET" }, { kind: "invalidArgument", argument: "stateOnDestroy" }],
  ])("refuses the arguments %j, and sends no request", async (invalid, problem) => {
    const service = await sandboxFor();
    const { problems } = await startRun(service).partnerWebhookStates.check({}, { states: {}, ...invalid });
    expect(problems).toEqual([problem]);
    expect(service.requests).toEqual([]);
  });

  it("says which webhooks a removal changes, and to which state", async () => {
    const service = await sandboxFor();
    const args = { states: { 101: "disabled", 102: "active", 103: "active" }, stateOnDestroy: "restore" };
    const fleet = await created(service, args);
    const single = { webhookId: 101, state: "disabled", stateOnDestroy: "restore" };
    const webhook = { ...single, account: "default", initialState: "active" };
    const leaving = (state: WebhookState, ...webhookIds: number[]) => ({
      ...{ kind: "leaving", account: "default", certain: true },
      ...{ state, webhookIds },
    });
    const rest = { ...args, states: { 102: "active" } };
    const replaced = { webhookId: 102, state: "active" };
    for (const [step, kind, olds, args, notices] of [
      ["two leave", "partnerWebhookStates", fleet, rest, [leaving("active", 101), leaving("disabled", 103)]],
      ["left as they are", "partnerWebhookStates", fleet, { ...rest, stateOnDestroy: "leave" }, []],
      ["another ID", "partnerWebhookState", webhook, replaced, [leaving("active", 101)]],
      ["no change", "partnerWebhookState", webhook, single, []],
    ] as const) {
      const run = startRun(service);
      run[kind].diff(olds, await checked(run[kind], args));
      expect(run.notices, step).toEqual(notices);
    }
  });

  it.each([
    ["leave", [{ kind: "leftBehind", account: "old", webhookIds: [101, 102] }]],
    ["active", [{ kind: "leaving", account: "old", state: "active", webhookIds: [101], certain: true }]],
  ] as const)(
    "says what a move to another account leaves behind, with stateOnDestroy: %s",
    async (final, notices) => {
      const service = await sandboxFor();
      const args = { states: { 101: "disabled", 102: "active" }, stateOnDestroy: final };
      const { outputs } = await create(startRun(service, { account: "old" }).partnerWebhookStates, args);
      const run = startRun(service, { account: "new", explicit: "true" });
      const news = await checked(run.partnerWebhookStates, { ...args, stateOnDestroy: "disabled" }, outputs);
      expect(run.partnerWebhookStates.diff(outputs, news).replaces).toEqual(["account"]);
      expect(run.notices).toEqual(notices);
    },
  );

  it.each<[string, Fault, object[]]>([
    [
      "fails if the service refuses the request, as the update would",
      { kind: "status", status: 404 },
      [{ status: 404 }],
    ],
    [
      "fails if the list is a web page, as the update would",
      { kind: "status", status: 200, body: "<html>" },
      [{ code: "PARTNERS_UNREADABLE" }],
    ],
    ["continues with a warning after a server error", { kind: "status", status: 501 }, []],
    ["continues with a warning after a connection reset", { kind: "reset", times: Infinity }, []],
    ["continues with a warning after a rate limit", { kind: "rateLimit", times: Infinity }, []],
  ])("%s, and checks nothing more", async (_what, fault, problems) => {
    const service = await sandboxFor({ faults: [fault] });
    const { partnerWebhookStates: fleet, notices } = startRun(service, SHORT_TIMEOUTS);
    const check = async () => (await fleet.check({}, { states: { 101: "active" } })).problems;
    expect(await check()).toMatchObject(problems);
    service.clearRequests();
    expect(await check()).toMatchObject(problems);
    expect(service.requests).toEqual([]);
    expect(notices.map(({ kind }) => kind)).toEqual(problems.length > 0 ? [] : ["notChecked"]);
  });

  it("says which webhooks change that are named for the first time, and no more than once", async () => {
    const service = await sandboxFor();
    const { partnerWebhookStates: fleet, information } = startRun(service);
    const olds = { states: { 102: "active" } };
    const states = { 101: "disabled", 102: "disabled", 103: "disabled", 104: "active" };
    service.addWebhook(104, "active");
    await fleet.check(olds, { states });
    await fleet.check(olds, { states });
    const labels = ['101 ("orders")'];
    expect(information).toEqual([{ kind: "firstChange", state: "disabled", webhookIds: [101], labels }]);
  });

  it("does not claim that others covers the webhooks of states that are not known yet", async () => {
    const service = await sandboxFor();
    const { partnerWebhookStates: fleet, notices } = startRun(service);
    await fleet.check({}, { states: UNKNOWN, others: "active" });
    const differ = { kind: "othersDiffer", state: "active", webhookIds: [103], certain: false };
    expect(notices).toEqual([differ]);
  });

  it("says which webhooks may leave while states are not known yet, but not if others covers them", async () => {
    const service = await sandboxFor();
    const args = { states: { 101: "disabled", 103: "active" }, stateOnDestroy: "restore" };
    const { outputs } = await create(startRun(service).partnerWebhookStates, args);
    for (const [others, leaving] of [
      ["leave", ["active", "disabled"]],
      ["active", []],
    ] as const) {
      const { partnerWebhookStates: fleet, notices } = startRun(service);
      const news = await checked(fleet, { ...args, states: UNKNOWN, others }, outputs);
      fleet.diff(outputs, news);
      const unsure = { kind: "leaving", account: "default", certain: false };
      const expected = leaving.map((state) => ({
        ...unsure,
        state,
        webhookIds: [state === "active" ? 101 : 103],
      }));
      expect(
        notices.filter(({ kind }) => kind === "leaving"),
        others,
      ).toEqual(expected);
    }
  });

  it("fails if the environment sets an invalid proxy, as the update would", async () => {
    const service = { url: "https://partners.example.com", accessToken: "token" };
    const options = { env: { HTTPS_PROXY: "not a URL" } };
    const { partnerWebhookStates: fleet, notices } = startRun(service, {}, options);
    const { problems } = await fleet.check({}, { states: { 101: "active" } });
    expect(problems).toMatchObject([{ code: "PARTNERS_CONFIGURATION" }]);
    expect(notices).toEqual([]);
  });

  it("waits 10 s for the list, which the update then uses", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const service = await sandboxFor();
    const timeouts = { requestTimeout: "60", operationTimeout: "60" };
    const { partnerWebhookStates: fleet, notices } = startRun(service, timeouts);
    const list = service.hold();
    const check = fleet.check({}, { states: { 101: "active" } });
    await list.reached;
    await vi.advanceTimersByTimeAsync(10_000);
    const { inputs, problems } = await check;
    expect(problems).toEqual([]);
    expect(notices).toEqual([{ kind: "checkTimedOut", timeout: 10_000 }]);
    const creation = fleet.create(inputs);
    await list.release();
    await creation;
    expect(methods(service)).toEqual(["GET"]);
  });

  it("sends no request for webhooks that are in the state or not known yet", async () => {
    const service = await sandboxFor();
    const { partnerWebhookStates: fleet } = startRun(service);
    const olds = { states: { 101: "active" }, others: "active" };
    await checked(fleet, { ...olds, states: { 101: UNKNOWN } }, olds);
    await checked(fleet, { states: UNKNOWN, others: UNKNOWN, stateOnDestroy: UNKNOWN });
    expect(service.requests).toEqual([]);
  });

  it("refuses a fleet with others if the program has a webhook through another provider of the account", async () => {
    const connect = connector(await sandboxFor());
    await connect().partnerWebhookState.check({}, { webhookId: 101, state: "active" }, "a");
    const covering = { states: {}, others: "disabled" };
    const { problems } = await connect().partnerWebhookStates.check({}, covering, "b");
    const problem = { kind: "declaredTwice", webhookId: null, urns: ["a", "b"] };
    expect(problems).toMatchObject([{ problem }]);
  });

  it("refuses a webhook that two resources declare, also through two providers of one account", async () => {
    const connect = connector(await sandboxFor());
    const covering = { states: {}, others: "disabled" };
    // Without a URN, it claims webhooks but never conflicts.
    await create(connect().partnerWebhookStates, covering);
    const [one, two, eu] = [connect(), connect(), connect("eu")];
    const webhook = (webhookId: number) => ({ webhookId, state: "active" });
    const fleet = (...ids: number[]) => ({ states: Object.fromEntries(ids.map((id) => [id, "active"])) });
    for (const [step, handlers, args, urn, conflict] of [
      ["a first resource", one.partnerWebhookState, webhook(101), "a", null],
      ["a resource that is replaced, so checked twice", one.partnerWebhookState, webhook(101), "a", null],
      ["a resource without a URN, which may be the same", one.partnerWebhookState, webhook(101), "", null],
      ["a resource that moves to another provider", two.partnerWebhookState, webhook(101), "a", null],
      ["the same ID in another account", eu.partnerWebhookState, webhook(101), "b", null],
      ["a fleet that names it", one.partnerWebhookStates, fleet(101, 102), "c", [101, "a", "c"]],
      ["a webhook of a fleet", two.partnerWebhookState, webhook(102), "d", [102, "c", "d"]],
      ["a second fleet", two.partnerWebhookStates, fleet(103), "e", null],
      ["a fleet that names its webhook", one.partnerWebhookStates, fleet(103), "f", [103, "e", "f"]],
      ["others, in another account", eu.partnerWebhookStates, covering, "b", null],
      ["others, besides webhooks", two.partnerWebhookStates, covering, "a", [null, "d", "a"]],
      ["a webhook that others covers", two.partnerWebhookState, webhook(104), "g", [null, "a", "g"]],
    ] as const) {
      const [webhookId, ...urns] = conflict ?? [];
      const { problems } = await handlers.check({}, args, urn);
      const found = problems.map((problem) => (problem instanceof ResourceError ? problem.problem : problem));
      expect(found, step).toEqual(conflict ? [{ kind: "declaredTwice", webhookId, urns }] : []);
    }
  });
});
