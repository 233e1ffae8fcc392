import { describe, expect, it, vi } from "vitest";

import { Declarations } from "../../../provider/src/webhooks/declarations.js";
import { holdAnswer, loseAnswers, replaceAnswers } from "../../support/sandbox.ts";
import { FOUND, NAME, failureOf, hideStates, preview, serviceWith, startRun, taken, up } from "./support.ts";

const urnOf = (name: string, type = "PartnerWebhookState") =>
  `urn:pulumi:dev::shop::partners:index:${type}::${name}`;

describe("stateOnDestroy", () => {
  it.each([
    ["leave", { 101: "disabled", 102: "disabled", 103: "active" }, 0],
    ["restore", FOUND, 3],
    ["active", { 101: "active", 102: "active", 103: "active" }, 2],
    ["disabled", { 101: "disabled", 102: "disabled", 103: "disabled" }, 1],
  ] as const)("%s", async (stateOnDestroy, final, patches) => {
    const service = await serviceWith();
    const states = { 101: "disabled", 102: "disabled", 103: "active" };
    const { outputs } = await up(startRun(service).fleet, null, { states, stateOnDestroy });
    expect(outputs).toMatchObject({ initialStates: FOUND });
    taken(service);
    await startRun(service).fleet.delete(outputs, NAME);
    expect(Object.fromEntries(service.webhooks)).toEqual(final);
    expect(taken(service)).toHaveLength(patches === 0 ? 0 : 1 + patches);
  });

  it("applies to an ID that leaves states, and to what a temporary others covered", async () => {
    const service = await serviceWith();
    const rest = { states: { 101: "active" }, stateOnDestroy: "restore" };
    const states = { ...rest.states, 102: "disabled", 103: "active" };
    for (const before of [{ states }, { others: "disabled" }]) {
      const olds = await up(startRun(service).fleet, null, { ...rest, ...before });
      const { outputs } = await up(startRun(service).fleet, olds, rest);
      expect(Object.fromEntries(service.webhooks)).toEqual(FOUND);
      expect(outputs).toMatchObject({ otherStates: {}, initialStates: { 101: "active" } });
    }
  });

  it("is tried again in the next run after a release that failed", async () => {
    const service = await serviceWith();
    const args = { states: { 101: "disabled", 102: "disabled" }, stateOnDestroy: "restore" };
    const olds = await up(startRun(service).fleet, null, args);
    const { setWebhookState: usual } = service.answers;
    service.answers.setWebhookState = (id, state) => (id === 102 ? { status: 403 } : usual(id, state));
    const rest = { ...args, states: { 103: "active" } };
    const { kept } = await failureOf(up(startRun(service).fleet, olds, rest));
    expect(kept).toMatchObject({ states: { 103: "active" }, otherStates: { 102: "disabled" } });
    service.answers.setWebhookState = usual;
    const next = await up(startRun(service).fleet, { inputs: olds.inputs, outputs: kept ?? {} }, rest);
    expect(next.outputs).toMatchObject({ otherStates: {}, initialStates: { 103: "disabled" } });
    expect(service.webhooks.get(102)).toBe("active");
  });
});

const args = { webhookId: 101, state: "disabled", stateOnDestroy: "restore" };

it.each([
  ["by the same resource, as in a --replace", "webhook", args],
  ["by a resource with another name", "webhook", { ...args, stateOnDestroy: "leave" }],
  ["by a fleet that names it", "fleet", { states: { 101: "disabled" } }],
  ["by a fleet that covers it", "fleet", { states: {}, others: "disabled" }],
] as const)("a webhook that this run declares is never released: %s", async (_by, kind, next) => {
  const service = await serviceWith();
  const { outputs } = await up(startRun(service).webhook, null, args);
  const run = startRun(service);
  await up(run[kind], null, next, urnOf("next"));
  await run.webhook.delete(outputs, NAME);
  expect(service.webhooks.get(101)).toBe("disabled");
});

it("a webhook that leaves a fleet and that this run declares is not released", async () => {
  const service = await serviceWith();
  const fleet = { states: { 101: "disabled", 102: "disabled" }, stateOnDestroy: "active" };
  const olds = await up(startRun(service).fleet, null, fleet);
  const run = startRun(service);
  await preview(run.webhook, null, args, urnOf("next"));
  await up(run.fleet, olds, { ...fleet, states: {} });
  expect(Object.fromEntries(service.webhooks)).toEqual({ ...FOUND, 101: "disabled" });
  const notice = /^"stateOnDestroy" sets webhook 102 to active, unless/;
  expect(run.texts("information")).toEqual([expect.stringMatching(notice)]);
});

describe("a webhook that is declared after its release has begun ends as declared", () => {
  const before = { states: { 101: "active", 102: "active" }, stateOnDestroy: "disabled" };
  const rest = { ...before, states: { 101: "active" } };
  const one = { webhookId: 102, state: "active" };
  const [disable, activate] = ["PATCH /webhooks/102/disable", "PATCH /webhooks/102/active"];

  /** Starts a run that is about to release webhook 102, which a resource that is checked later declares. */
  async function start() {
    const service = await serviceWith();
    const olds = await up(startRun(service).fleet, null, before);
    const single = await up(startRun(service).webhook, null, one, urnOf("one"));
    const run = startRun(service);
    taken(service);
    const release = () => up(run.fleet, olds, rest);
    const changes = () => taken(service).filter((request) => request.startsWith("PATCH"));
    return { service, run, single, release, changes };
  }

  it.each([
    ["new", false],
    ["unchanged", true],
  ])("while the request is in flight, by a resource that is %s", async (_how, isUnchanged) => {
    const { service, run, single, release, changes } = await start();
    const { reached, release: answer } = holdAnswer(service, "setWebhookState");
    const released = release();
    await reached;
    const declared = up(run.webhook, isUnchanged ? single : null, one, urnOf("one"));
    await run.session.assertReachable();
    expect(changes(), "the declared change waits").toEqual([disable]);
    answer();
    await Promise.all([released, declared]);
    expect([changes(), service.webhooks.get(102)]).toEqual([[activate], "active"]);
  });

  it.each([
    ["new", false],
    ["unchanged", true],
  ])("while the request waits for its retry, by a resource that is %s", async (_how, isUnchanged) => {
    const { service, run, single, release, changes } = await start();
    const declared: Promise<unknown>[] = [];
    const refuse = async () => {
      const olds = isUnchanged ? single : null;
      const { inputs, plan } = await preview(run.webhook, olds, one, urnOf("one"));
      expect(plan?.changes ?? true).toBe(true);
      const name = { id: "102", urn: urnOf("one") };
      declared.push(
        olds ? run.webhook.update(olds.outputs, inputs, name) : run.webhook.create(inputs, name.urn),
      );
      return { status: 503 };
    };
    replaceAnswers(service, "setWebhookState", refuse, 1);
    const { outputs } = await release();
    await Promise.all(declared);
    expect([changes(), service.webhooks.get(102)]).toEqual([[disable, disable, activate], "active"]);
    expect(outputs).toMatchObject({ states: rest.states, otherStates: {}, initialStates: rest.states });
  });

  it("although nothing else of its resource changes", async () => {
    const { service, run, single, release, changes } = await start();
    await release();
    await up(run.webhook, single, one, urnOf("one"));
    expect([changes(), service.webhooks.get(102)]).toEqual([[disable, activate], "active"]);
  });

  it("although nothing else of its resource changes, which covers it with others", async () => {
    const { service, run, changes } = await start();
    const all = { states: {}, others: "active" };
    const cover = urnOf("cover", "PartnerWebhookStates");
    const covering = await up(startRun(service).fleet, null, all, cover);
    changes();
    const single = await up(startRun(service).webhook, null, { ...one, stateOnDestroy: "disabled" });
    await run.webhook.delete(single.outputs, NAME);
    await up(run.fleet, covering, all, cover);
    expect([changes(), service.webhooks.get(102)]).toEqual([[disable, activate], "active"]);
  });

  it.each([
    ["the list is old", () => undefined],
    ["the list shows no states", hideStates],
  ])("although the release failed, and may have been made: %s", async (_why, show) => {
    const { service, run, single, release, changes } = await start();
    show(service);
    loseAnswers(service, "setWebhookState", 6);
    await failureOf(release());
    expect(changes()).toEqual(Array(6).fill(disable));
    await up(run.webhook, single, one, urnOf("one"));
    expect([changes(), service.webhooks.get(102)]).toEqual([[activate], "active"]);
  });
});

it("a removal that waits for another change does not release what is declared meanwhile", async () => {
  const service = await serviceWith();
  const olds = await up(startRun(service).webhook, null, { ...args, stateOnDestroy: "active" });
  const run = startRun(service);
  const { reached, release } = holdAnswer(service, "listWebhooks");
  const removed = run.webhook.delete(olds.outputs, NAME);
  await reached;
  await preview(run.webhook, olds, args, urnOf("next"));
  release();
  await removed;
  expect(service.webhooks.get(101)).toBe("disabled");
});

it("resources that release one webhook do it one after the other, unless it is declared meanwhile", async () => {
  const service = await serviceWith();
  const [fleet, rest] = [{ states: { 102: "active" } }, { states: {} }];
  const olds = await up(startRun(service).fleet, null, fleet);
  const run = startRun(service);
  taken(service);
  let inFlight = 0;
  const gates = [1, 2, 3].map(() => Promise.withResolvers<undefined>());
  let next = 0;
  replaceAnswers(service, "setWebhookState", async (usual) => {
    expect((inFlight += 1)).toBe(1);
    await gates[next++]?.promise;
    inFlight -= 1;
    return usual();
  });
  await run.list();
  const released: Promise<unknown>[] = [];
  for (const release of [
    () => run.fleet.delete({ ...olds.outputs, stateOnDestroy: "disabled" }, NAME),
    () => run.fleet.delete({ ...olds.outputs, stateOnDestroy: "active" }, NAME),
    () => up(run.fleet, olds, { ...rest, stateOnDestroy: "disabled" }),
    () => up(run.fleet, olds, { ...rest, stateOnDestroy: "active" }),
  ]) {
    released.push(release());
    await new Promise(setImmediate); // Each waits before the next one does.
  }
  gates[0]?.resolve(undefined);
  gates[1]?.resolve(undefined);
  await vi.waitFor(() => {
    expect(next).toBe(3);
  });
  await preview(run.webhook, null, { webhookId: 102, state: "disabled" }, urnOf("one"));
  gates[2]?.resolve(undefined);
  await Promise.all(released);
  const changes = ["disable", "active", "disable"].map((verb) => `PATCH /webhooks/102/${verb}`);
  expect(taken(service).filter((request) => request.startsWith("PATCH"))).toEqual(changes);
});

it("singles that become a fleet keep no initial states, unless they are removed in a run of their own", async () => {
  const service = await serviceWith();
  const [single, fleet] = [args, { states: { 101: "disabled" }, stateOnDestroy: "restore" }];
  for (const [inOneRun, final] of [
    [true, "disabled"],
    [false, "active"],
  ] as const) {
    service.webhooks.set(101, "active");
    const old = await up(startRun(service).webhook, null, single, urnOf("single"));
    if (!inOneRun) await startRun(service).webhook.delete(old.outputs, NAME);
    const run = startRun(service);
    const moved = await up(run.fleet, null, fleet);
    if (inOneRun) await run.webhook.delete(old.outputs, NAME);
    expect(service.webhooks.get(101)).toBe("disabled");
    await startRun(service).fleet.delete(moved.outputs, NAME);
    expect(service.webhooks.get(101)).toBe(final);
  }
});

it("a webhook that two resources of a process declare is refused", () => {
  const declarations = new Declarations();
  const [a, b] = [urnOf("a"), urnOf("b", "PartnerWebhookStates")];
  const refusalOf = (webhookIds: readonly number[], coversOthers: boolean, urn: string): string | null => {
    try {
      declarations.declare(webhookIds, coversOthers, urn);
      return null;
    } catch (error) {
      return (error as Error).message;
    }
  };
  const refused = (text: string): unknown => expect.stringContaining(text);
  for (const [webhookIds, coversOthers, urn, refusal] of [
    [[101], false, a, null],
    [[101], false, a, null], // A resource that is replaced is checked twice.
    [[101], false, "", null], // A resource without a URN may be the same.
    [[102, 101], false, b, refused('Webhook 101 is declared twice, by "a" and "b".')],
    [[101], false, a.replace("partners", "x$partners"), refused(`twice, by ${a} and urn:`)], // In another component.
    [[103], false, b, null],
    [[], true, a, refused('"b" and "a" overlap')],
    [[104], false, b, refused('overlap: one of them sets "others" for the whole account.')],
  ] as const)
    expect(refusalOf(webhookIds, coversOthers, urn)).toEqual(refusal);
});

it("two resources that cover all other webhooks are refused", () => {
  const declarations = new Declarations();
  const declare = (name: string) => () => {
    declarations.declare([], true, urnOf(name));
  };
  expect(declare("a")).not.toThrow();
  expect(declare("b")).toThrow('"a" and "b" overlap');
});

it("the check of a second resource with the same webhook fails the preview", async () => {
  const service = await serviceWith();
  const run = startRun(service);
  const args = { webhookId: 101, state: "active" };
  await preview(run.webhook, null, args, urnOf("a"));
  const { error } = await failureOf(preview(run.webhook, null, args, urnOf("b")));
  expect(error.message).toContain("declared twice");
});
