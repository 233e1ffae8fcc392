import { describe, expect, it } from "vitest";

import { Declarations } from "../../../provider/src/webhooks/declarations.js";
import { FOUND, NAME, failureOf, preview, serviceWith, startRun, taken, up } from "./support.ts";

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
