import { describe, expect, it } from "vitest";

import { sandboxFor } from "../api/support.ts";
import { checked, create, methods, sharedJournals, startRun } from "../shared/support.ts";
import { created, up, destroy } from "./support.ts";

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
    await checked(next.partnerWebhookState, { webhookId: 103, state: "active" }); // It is about 102 alone.
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
