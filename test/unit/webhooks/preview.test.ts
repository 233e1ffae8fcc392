import { describe, expect, it } from "vitest";

import { UNKNOWN, type Properties } from "../../../provider/src/adapter/properties.js";
import { FOUND, NAME, failureOf, preview, serviceWith, startRun, taken, up, type Stored } from "./support.ts";

const id = "be a positive whole number such as 101, without quotes";
const state = 'must be "active" or "disabled".';
const final = 'stateOnDestroy must be "leave" (the default), "restore", "active" or "disabled".';

it.each<["webhook" | "fleet", Properties, string]>([
  ["webhook", { webhookId: "101" }, `webhookId must ${id}.`],
  ["webhook", { webhookId: 1.5 }, `webhookId must ${id}.`],
  ["webhook", { webhookId: 2 ** 53 }, "webhookId must be at most 9007199254740991: Pulumi cannot hold"],
  ["webhook", { state: "ACTIVE" }, `state ${state}`],
  ["webhook", { stateOnDestroy: "SECRET" }, final],
  ["webhook", { url: "SECRET" }, 'PartnerWebhookState has no argument "url"; valid arguments: webhookId, '],
  ["fleet", { states: ["SECRET"] }, 'states must map webhook IDs to states, such as { "101": "active" }.'],
  ["fleet", { states: { 101: "SECRET" } }, `In states, the state of 101 ${state}`],
  ["fleet", { states: { "0101": "active" } }, 'The names in states must be webhook IDs, such as "101".'],
  ["fleet", { states: { "9007199254740993": "active" } }, "webhook IDs, at most 9007199254740991: Pulumi"],
  ["fleet", { others: "SECRET" }, 'others must be "leave" (the default), "active" or "disabled".'],
])("a %s with %j is refused without a request", async (kind, invalid, problem) => {
  const service = await serviceWith();
  const valid = kind === "webhook" ? { webhookId: 101, state: "active" } : { states: {} };
  const { problems } = await startRun(service)[kind].check({}, { ...valid, ...invalid }, "");
  expect(problems).toEqual([expect.stringContaining(problem)]);
  expect(taken(service)).toEqual([]);
});

describe("a value that is not known yet", () => {
  const known = { states: { 101: "active" }, others: "leave", stateOnDestroy: "leave" };

  it.each<["webhook" | "fleet", Properties, number]>([
    ["webhook", { webhookId: UNKNOWN, state: "active" }, 0],
    ["webhook", { webhookId: UNKNOWN, state: UNKNOWN, stateOnDestroy: UNKNOWN }, 0],
    ["webhook", { webhookId: 101, state: UNKNOWN }, 1],
    ["fleet", { ...known, states: UNKNOWN }, 0],
    ["fleet", { states: UNKNOWN, others: UNKNOWN, stateOnDestroy: UNKNOWN }, 0],
    ["fleet", { ...known, states: UNKNOWN, others: "active" }, 0],
    ["fleet", { ...known, states: { 101: UNKNOWN } }, 1],
    ["fleet", { ...known, stateOnDestroy: UNKNOWN }, 1],
  ])("in a %s, %j, causes no failure, no notice and %i requests", async (kind, args, requests) => {
    const service = await serviceWith();
    const run = startRun(service);
    const { inputs } = await preview(run[kind], null, args);
    expect(run[kind].preview(null, inputs)).toMatchObject(args);
    expect(taken(service)).toHaveLength(requests);
    const stateOnDestroy = "active";
    const webhook = { webhookId: 101, state: "disabled", stateOnDestroy, initialState: "active" };
    const fleet = { ...known, states: FOUND, stateOnDestroy, initialStates: FOUND };
    const olds = kind === "webhook" ? webhook : fleet;
    const plan = run[kind].diff({ ...olds, account: "default" }, inputs, NAME);
    expect([plan.changes, run.notices]).toEqual([true, []]);
    expect(run[kind].preview(olds, inputs)).toMatchObject(args);
  });

  it("differs from a state that is not known either", async () => {
    const { fleet } = startRun(await serviceWith());
    const olds = { ...known, states: { 101: null }, account: "default" };
    expect(fleet.diff(olds, { ...olds, states: { 101: UNKNOWN } }, NAME).changes).toBe(true);
  });

  it("as an ID counts as another webhook", async () => {
    const { webhook } = startRun(await serviceWith());
    const olds = { webhookId: 101, state: "active", stateOnDestroy: "leave", account: "default" };
    const plan = webhook.diff(olds, { ...olds, webhookId: UNKNOWN }, NAME);
    expect(plan).toEqual({ changes: true, replaces: ["webhookId"] });
  });

  it("of a new webhook does not hide that it does not exist", async () => {
    const service = await serviceWith();
    const args = { webhookId: 7, state: UNKNOWN };
    const { error } = await failureOf(preview(startRun(service).webhook, null, args));
    expect(error.message).toContain("Webhook 7 does not exist");
  });

  it("is what only the update finds out", async () => {
    const { webhook, fleet } = startRun(await serviceWith());
    const args = { webhookId: 101, state: "active", stateOnDestroy: "leave" };
    expect(webhook.preview(null, args)).toMatchObject({ ...args, initialState: UNKNOWN });
    const olds = { ...args, initialState: "disabled" };
    expect(webhook.preview(olds, args)).toMatchObject(olds);
    const found = { otherStates: UNKNOWN, initialStates: UNKNOWN };
    expect(fleet.preview(null, known)).toMatchObject({ ...known, ...found });
  });
});

describe("a preview says what the update changes at the service", () => {
  const restore = { stateOnDestroy: "restore" };
  const others = "active";
  const off = { 101: "disabled", 102: "disabled", 103: "disabled" };
  const unless = "unless another resource declares";
  const left = [
    `"stateOnDestroy" sets webhooks 101, 102 to active, ${unless} them.`,
    `"stateOnDestroy" sets webhook 103 to disabled, ${unless} it.`,
  ];
  const [one, covers] = [{ 101: "disabled" }, ['"others" sets webhook 101 to active.']];
  const named = ["The declared states change webhooks 101, 102 from active to disabled."];

  it.each<[string, Properties | null, Properties, string[]]>([
    ["what is named", null, { states: off }, named],
    ["nothing, if it is so", null, { states: FOUND }, []],
    ["what a new others covers", null, { states: {}, others }, ['"others" sets webhook 103 to active.']],
    ["what others covers instead", { states: one, others }, { states: {}, others }, covers],
    ["what leaves", { states: { ...off, 103: "active" }, ...restore }, { states: {}, ...restore }, left],
    ["nothing of what leaves as it is", { states: { 101: "disabled" } }, { states: {} }, []],
  ])("%s", async (_what, olds, news, texts) => {
    const service = await serviceWith();
    const stored: Stored | null = olds && (await up(startRun(service).fleet, null, olds));
    const run = startRun(service);
    await preview(run.fleet, stored, news);
    await preview(run.fleet, stored, news);
    expect([...new Set(run.texts("information"))]).toEqual(texts);
    expect(run.texts("warning")).toEqual([]);
  });

  it("drift of what others covers, after a refresh", async () => {
    const service = await serviceWith();
    const args = { states: {}, others: "active" };
    const olds = await up(startRun(service).fleet, null, args);
    service.webhooks.set(102, "disabled").set(104, "disabled");
    const found = await startRun(service).fleet.read(olds.outputs);
    expect(found?.outputs).toMatchObject({ otherStates: { 102: "disabled", 104: "disabled" } });
    const run = startRun(service);
    const { plan } = await preview(run.fleet, { ...olds, outputs: found?.outputs ?? {} }, args);
    expect(plan?.changes).toBe(true);
    expect(run.texts("information")).toEqual(['"others" sets webhooks 102, 104 to active.']);
  });

  it("what a changed others covers, by the list and not by the stack", async () => {
    const service = await serviceWith();
    const olds = await up(startRun(service).fleet, null, { states: {}, others: "disabled" });
    service.webhooks.set(102, "active");
    const run = startRun(service);
    await preview(run.fleet, olds, { states: {}, others: "active" });
    expect(run.texts("information")).toEqual(['"others" sets webhooks 101, 103 to active.']);
  });

  it("the old webhook of a replacement and a move, as its old inputs say", async () => {
    const service = await serviceWith();
    const olds = await up(startRun(service).webhook, null, { webhookId: 101, state: "disabled", ...restore });
    const run = startRun(service);
    const { plan, inputs } = await preview(run.webhook, olds, { webhookId: 102, state: "active" });
    expect(plan).toEqual({ changes: true, replaces: ["webhookId"] });
    const text = `"stateOnDestroy" sets webhook 101 to active, ${unless} it.`;
    expect(run.texts("information")).toEqual([text]);
    const moved = startRun(service);
    const { replaces } = moved.webhook.diff(olds.outputs, { ...inputs, ...olds.inputs, account: "eu" }, NAME);
    expect([replaces, moved.texts("information")]).toEqual([["account"], [text]]);
  });

  it("nothing of what drifted in the account that a fleet leaves", async () => {
    const service = await serviceWith();
    const olds = await up(startRun(service).fleet, null, { states: {}, others: "active" });
    service.webhooks.set(102, "disabled");
    const found = await startRun(service).fleet.read(olds.outputs);
    const run = startRun(service);
    run.fleet.diff(found?.outputs ?? {}, { ...olds.inputs, account: "eu" }, NAME);
    expect(run.texts("information")).toEqual([]);
  });
});
