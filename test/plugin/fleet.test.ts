import proto from "@pulumi/pulumi/proto/provider_pb.js";
import { expect, it, onTestFinished } from "vitest";

import { PARTNER_WEBHOOK_STATES } from "../../provider/src/registration.js";
import { startLoggingEngine } from "../support/engine-log.ts";
import { call, toStruct, urnOf, type Plugin } from "../support/plugin-process.ts";
import type { Sandbox } from "../support/sandbox.ts";
import { configFor, pluginFor, sandboxFor, takeRequests } from "./partners.ts";

const { __provider } = PARTNER_WEBHOOK_STATES;
/** Inputs; the sandbox has 101 and 102 active, and 103 disabled. */
const FLEET = {
  __provider,
  states: { 101: "disabled", 102: "active", 103: "active" },
  others: "leave",
  stateOnDestroy: "restore",
  account: "default",
};

async function startNative(): Promise<{ sandbox: Sandbox; plugin: Plugin }> {
  const sandbox = await sandboxFor();
  return { sandbox, plugin: await pluginFor({ host: "native", config: configFor(sandbox) }) };
}

it("a fleet is created, drifts, is repaired and restored in the native host", async () => {
  const { sandbox, plugin } = await startNative();
  const { inputs, failures } = await plugin.check(FLEET);
  expect(failures).toEqual([]);
  const news = { ...FLEET, ...inputs };
  const { id, properties } = await plugin.create(news);
  expect([id, takeRequests(sandbox)]).toEqual(["default", "GET PATCH PATCH"]);
  sandbox.setWebhookState(102, "disabled");
  const late = await pluginFor({ host: "native", config: configFor(sandbox) });
  const drifted = await late.read(id, { ...FLEET, ...properties }, inputs);
  expect(drifted.inputs).toMatchObject({ states: { 102: "disabled" } });
  const { properties: repaired } = await late.update(id, drifted.properties, news);
  await late.delete(id, { ...FLEET, ...repaired });
  expect(Object.fromEntries(sandbox.webhooks)).toEqual({ 101: "active", 102: "active", 103: "disabled" });
});

it("a difference names the webhooks that differ, in the native host", async () => {
  const { plugin } = await startNative();
  const request = new proto.DiffRequest().setUrn(urnOf(__provider)).setOldInputs(toStruct(FLEET));
  const outputs = { ...FLEET, otherStates: {}, initialStates: FLEET.states };
  request
    .setOlds(toStruct(outputs))
    .setNews(toStruct({ ...FLEET, states: { ...FLEET.states, 102: "disabled" } }));
  const difference = await call("diff", plugin.client.diff.bind(plugin.client), request);
  expect([...difference.getDetaileddiffMap().keys()]).toEqual(['states["102"]']);
});

it("an import in the native host takes over all webhooks of the account that it names", async () => {
  const { sandbox, plugin } = await startNative();
  const found = await plugin.read("default", { __provider });
  expect(found).toMatchObject({ id: "default", inputs: { states: Object.fromEntries(sandbox.webhooks) } });
  expect(
    await plugin.diff(found.id, found.properties, { ...FLEET, ...found.inputs, stateOnDestroy: "leave" }),
  ).toMatchObject({
    changes: false,
  });
  await expect(plugin.read("eu", { __provider })).rejects.toThrow(/use its account: "default"/);
});

it.each([
  ["native", urnOf(__provider), "webhooks"],
  ["dynamic", "", 'webhooks of the account "default"'],
] as const)("how far a change of many is shows in the %s host while it lasts", async (host, urn, text) => {
  const engine = await startLoggingEngine();
  onTestFinished(() => {
    engine.close();
  });
  const sandbox = await sandboxFor({ latency: 150 });
  const config = { ...configFor(sandbox), "partners:maxConnections": "1" };
  const plugin = await pluginFor({ host, config, engineAddress: engine.address });
  await plugin.create({ ...FLEET, states: { 101: "disabled", 102: "disabled", 103: "active" } });
  const message = expect.stringMatching(new RegExp(`^[23]/3 ${text}$`)) as string;
  expect(engine.messages[0]).toMatchObject({ ephemeral: true, urn, message });
});
