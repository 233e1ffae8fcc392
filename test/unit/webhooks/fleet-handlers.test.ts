import { describe, expect, it, onTestFinished, vi } from "vitest";

import { UNKNOWN, type Properties } from "../../../provider/src/shared/properties.js";
import { PartialFailure } from "../../../provider/src/shared/partial-failure.js";
import { ResourceError, type InputProblem } from "../../../provider/src/shared/problems.js";
import { SHAPES, type Fault, type Sandbox, type Shape, type WebhookState } from "../../support/sandbox.ts";
import { failureOf, sandboxFor } from "../api/support.ts";
import {
  checked,
  create,
  mapping,
  methods,
  partialFailureOf,
  sharedJournals,
  SHORT_TIMEOUTS,
  startRun,
} from "../shared/support.ts";

/** The webhooks of a new sandbox. */
const FOUND = { 101: "active", 102: "active", 103: "disabled" };
const refused: Fault = { kind: "status", status: 409, operation: "disableWebhook" };

/** A list without states. */
const STATELESS: Shape = {
  ...SHAPES.flat,
  webhooks: (list) => list.map(({ webhookId }) => ({ webhookId, mode: "LIVE" })),
};

/** A list with further pages. */
const PAGED: Shape = { ...SHAPES.flat, webhooks: (list) => ({ webhooks: list, hasMore: true }) };

/** Creates a fleet in a separate run. */
async function created(service: Sandbox, args: Properties): Promise<Properties> {
  const { outputs } = await create(startRun(service).partnerWebhookStates, args);
  service.clearRequests();
  return outputs;
}

/** Runs the next `up`, and returns the outputs. */
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

/** Refreshes a fleet in a separate run, and returns the outputs. */
async function refreshed(service: Sandbox, olds: Properties): Promise<Properties> {
  return (await startRun(service).partnerWebhookStates.read(olds))?.outputs ?? {};
}

/** Deletes a fleet in a separate run. */
function destroy(service: Sandbox, olds: Properties): Promise<void> {
  return startRun(service).partnerWebhookStates.delete(olds);
}

function serverStates({ webhooks }: Sandbox): Record<string, WebhookState> {
  return Object.fromEntries(webhooks);
}

/** Returns a function that starts one more process of the same run, for a provider of an account. */
function connector(service: Sandbox) {
  const journalOf = sharedJournals();
  return (account = "default") => startRun(service, { account }, journalOf());
}

/** Returns the states of the webhooks 1 to `count`, all the same. */
function all(count: number, state: WebhookState): Record<string, WebhookState> {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [index + 1, state]));
}

/** Starts a service with the webhooks 1 to `count`, all active. */
function serviceWith(count: number, faults: Fault[] = []): Promise<Sandbox> {
  const webhooks = Object.entries(all(count, "active"));
  return sandboxFor({ webhooks: webhooks.map(([id, state]) => ({ webhookId: Number(id), state })), faults });
}

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

describe("two providers in one run", () => {
  const args = { states: { 102: "disabled" }, stateOnDestroy: "active" };

  const taken = { webhookId: 102, state: "disabled" };
  const tooLate = [{ problem: { kind: "releasedElsewhere", webhookIds: [102] } }];

  it("refuse a webhook that the other one has just released, and the next run sets it", async () => {
    const service = await sandboxFor();
    const olds = await created(service, args);
    const journalOf = sharedJournals();
    const next = startRun(service, {}, journalOf());
    await checked(next.partnerWebhookState, { webhookId: 101, state: "active" }); // Reads the list.
    const old = startRun(service, {}, journalOf());
    await old.partnerWebhookStates.update("default", olds, { ...olds, states: {} });
    for (const time of ["first", "second"])
      expect((await next.partnerWebhookState.check({}, taken)).problems, time).toMatchObject(tooLate);
    const others = startRun(service, { account: "eu" }, journalOf());
    const { problems } = await others.partnerWebhookStates.check({}, { states: {}, others: "disabled" });
    expect(problems, "others").toMatchObject(tooLate);
    expect(service.webhooks.get(102)).toBe("active");
    await create(startRun(service, {}, sharedJournals()()).partnerWebhookState, taken);
    expect(service.webhooks.get(102)).toBe("disabled");
  });

  it("leave a webhook that the other one declares at the same moment, and refuse it", async () => {
    const service = await sandboxFor();
    const olds = await created(service, args);
    const journalOf = sharedJournals();
    const { journal } = journalOf();
    const next = startRun(service, {}, journalOf());
    let check: Promise<unknown> | undefined;
    const append: typeof journal.append = (entry) => {
      const isTold = journal.append(entry);
      if (entry.kind === "release") check = next.partnerWebhookState.check({}, taken);
      return isTold;
    };
    const old = startRun(service, {}, { journal: { ...journal, append } });
    await old.partnerWebhookStates.update("default", olds, { ...olds, states: {} });
    expect(await check).toMatchObject({ problems: tooLate });
    expect(methods(service)).not.toContain("PATCH");
  });

  it("leave what a fleet of the other one covers with others, from its check on", async () => {
    const service = await sandboxFor();
    const olds = await created(service, args);
    const journalOf = sharedJournals();
    const others = startRun(service, { account: "eu" }, journalOf());
    await checked(others.partnerWebhookStates, { states: {}, others: "disabled" });
    await startRun(service, {}, journalOf()).partnerWebhookStates.delete(olds);
    expect(methods(service)).not.toContain("PATCH");
  });

  it("of two servers do not take the webhooks of one for those of the other", async () => {
    const [service, eu] = [await sandboxFor(), await sandboxFor()];
    const journalOf = sharedJournals();
    const olds = await created(service, args);
    await create(startRun(eu, {}, journalOf()).partnerWebhookState, taken);
    await startRun(service, {}, journalOf()).partnerWebhookStates.delete(olds);
    expect([service.webhooks.get(102), eu.webhooks.get(102)]).toEqual(["active", "disabled"]);
  });

  it("of two accounts with one token take the webhooks of both for the same", async () => {
    const service = await sandboxFor();
    const journalOf = sharedJournals();
    const olds = await created(service, args);
    const next = startRun(service, { account: "eu" }, journalOf());
    await create(next.partnerWebhookState, taken);
    await startRun(service, {}, journalOf()).partnerWebhookStates.delete(olds);
    expect(methods(service)).not.toContain("PATCH");
  });

  it("of two accounts at one address do not take the webhooks of one for those of the other", async () => {
    const token = "token-of-the-other-account";
    const service = await sandboxFor({ otherAccounts: [token] });
    const journalOf = sharedJournals();
    const olds = await created(service, { states: { 101: "disabled" }, stateOnDestroy: "restore" });
    const old = startRun(service, {}, journalOf());
    const eu = startRun({ url: service.url, accessToken: token }, { account: "eu" }, journalOf());
    await create(eu.partnerWebhookState, { webhookId: 101, state: "disabled" });
    await old.partnerWebhookStates.delete(olds);
    expect(old.notices).toEqual([]);
    expect(service.webhooks.get(101)).toBe("active");
    expect(service.account(token).webhooks.get(101)).toBe("disabled");
  });

  it("of two tenants of one gateway do not take the webhooks of one for those of the other", async () => {
    const service = await sandboxFor();
    const journalOf = sharedJournals();
    const runFor = (tenant: string, options = journalOf()) =>
      startRun(service, { headers: `{"X-Tenant":"${tenant}"}`, account: tenant }, options);
    const args = { states: { 101: "disabled" }, stateOnDestroy: "restore" };
    const { outputs } = await create(runFor("us", sharedJournals()()).partnerWebhookStates, args);
    const [old, eu] = [runFor("us"), runFor("eu")];
    await create(eu.partnerWebhookState, { webhookId: 101, state: "disabled" });
    await old.partnerWebhookStates.delete(outputs);
    expect(old.notices).toEqual([]);
    expect(service.requests.at(-1)).toMatchObject({ method: "PATCH", headers: { "x-tenant": "us" } });
    expect(service.webhooks.get(101)).toBe("active");
  });

  it("take the webhooks of an account whose access token has changed for the same", async () => {
    const token = "new-token-of-the-account";
    const service = await sandboxFor({ otherAccounts: [token] });
    const journalOf = sharedJournals();
    const olds = await created(service, { states: { 101: "disabled" }, stateOnDestroy: "restore" });
    const old = startRun(service, {}, journalOf());
    const next = startRun({ url: service.url, accessToken: token }, {}, journalOf());
    await create(next.partnerWebhookState, { webhookId: 101, state: "disabled" });
    await old.partnerWebhookStates.delete(olds);
    expect(old.notices).toEqual([{ kind: "declaredElsewhere", webhookIds: [101] }]);
  });

  it("warn if they cannot reach each other, and still destroy: a stack with one provider has nothing to share", async () => {
    const service = await sandboxFor();
    const olds = await created(service, args);
    const found = { folder: "/tmp/x", isPrivate: true };
    const silent = { ...found, append: () => false, readOthers: () => [] };
    const deaf = { ...found, append: () => true, readOthers: () => null };
    const declaring = startRun(service, {}, { journal: silent });
    await create(declaring.partnerWebhookState, { webhookId: 101, state: "disabled" });
    expect(declaring.notices).toEqual([{ kind: "notShared", ...found }]);
    const destroying = startRun(service, {}, { journal: deaf });
    await destroying.partnerWebhookStates.delete(olds);
    expect(destroying.notices).toEqual([{ kind: "notShared", ...found }]);
    expect(service.webhooks.get(102)).toBe("active");
  });
});

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
    service.inject({ kind: "status", status: 501, effect: true, operation: "disableWebhook", times: 2 });
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

describe("a webhook that leaves a fleet", () => {
  const args = { states: { 101: "disabled", 102: "disabled" } };

  it.each([
    ["leave", "disabled", []],
    ["restore", "active", ["GET", "PATCH"]],
    ["active", "active", ["GET", "PATCH"]],
    ["disabled", "disabled", ["GET"]],
  ])("with stateOnDestroy: %s is %s", async (stateOnDestroy, state, requests) => {
    const rest = { states: { 101: "disabled" }, stateOnDestroy };
    for (const [left, before] of [
      ["a named webhook", args],
      ["a webhook that others covered", { ...rest, others: "disabled" }],
    ] as const) {
      const service = await sandboxFor();
      const olds = await created(service, { ...before, stateOnDestroy });
      const news = await up(service, olds, rest);
      expect(service.webhooks.get(102), left).toBe(state);
      expect([news["otherStates"], news["initialStates"]], left).toEqual([{}, { 101: "active" }]);
      service.clearRequests();
      await destroy(service, news);
      const step = `destroy after ${left}`;
      expect([service.webhooks.get(101), methods(service)], step).toEqual([state, requests]);
    }
  });

  it.each([
    ["partnerWebhookState", { webhookId: 102, state: "disabled" }],
    ["partnerWebhookStates", { states: { 101: "active" }, others: "disabled" }],
  ] as const)("is not changed if %s is checked while the fleet reads the list", async (kind, args) => {
    const service = await sandboxFor();
    const olds = await created(service, { states: { 102: "disabled" }, stateOnDestroy: "active" });
    const run = startRun(service);
    const list = service.hold();
    const released = run.partnerWebhookStates.delete(olds);
    await list.reached;
    const taken = create(run[kind], args);
    await list.release();
    await Promise.all([released, taken]);
    expect(methods(service)).toEqual(["GET"]);
  });

  it.each([
    ["partnerWebhookState", { webhookId: 102, state: "disabled" }],
    ["partnerWebhookStates", { states: { 102: "disabled" } }],
    ["partnerWebhookStates", { others: "disabled", states: { 103: "disabled" } }],
  ] as const)("is set again if %s already manages it and is checked afterwards", async (kind, other) => {
    const service = await sandboxFor();
    const olds = await created(service, { ...args, stateOnDestroy: "active" });
    const { inputs, outputs } = await create(startRun(service)[kind], other);
    const run = startRun(service);
    await up(service, olds, { states: {}, stateOnDestroy: "active" }, run);
    expect(service.webhooks.get(102)).toBe("active");
    expect(await checked(run[kind], other, inputs)).toEqual(inputs);
    expect(run[kind].diff(outputs, inputs).changes).toBe(true);
    await run[kind].update("id", outputs, inputs);
    expect(service.webhooks.get(102)).toBe("disabled");
  });
});

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
