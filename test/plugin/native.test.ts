import grpc from "@grpc/grpc-js";
import proto from "@pulumi/pulumi/proto/provider_pb.js";
import empty from "google-protobuf/google/protobuf/empty_pb.js";
import struct from "google-protobuf/google/protobuf/struct_pb.js";
import { describe, expect, it } from "vitest";

import manifest from "../../provider/package.json" with { type: "json" };
import schema from "../../provider/schema.json" with { type: "json" };
import { SIGNATURE, UNKNOWN } from "../../provider/src/plugin/properties.js";
import { holdAnswer, replaceAnswers, sandboxFor } from "../support/sandbox.ts";
import { fromStruct, toStruct, urnOf, type Plugin } from "../support/spawned-plugin.ts";
import {
  checked,
  configFor,
  created,
  errorOf,
  HOOK,
  KEY,
  plain,
  pluginFor,
  secretValue,
  start,
  takeRequests,
} from "./support.ts";

const native = { host: "native" } as const;

it("a preview shows the known values and sends no request", async () => {
  const { api, plugin } = await start(native);
  const hook = await plugin.create(await checked(plugin, HOOK), { preview: true });
  expect(hook.properties).toMatchObject({ state: "disabled", initialState: UNKNOWN });
  const { id, inputs, outputs } = await created(plugin, KEY);
  takeRequests(api);
  const preview = async (rotation: unknown) =>
    plain((await plugin.update(id, outputs, { ...inputs, rotation }, { preview: true })).properties);
  const { apiKey } = outputs;
  const rotated = { account: "default", server: api.url, apiKey: UNKNOWN, previousApiKey: apiKey };
  expect(await preview({ trigger: "2", overlapDays: 7 })).toMatchObject(rotated);
  expect(await preview(UNKNOWN)).toMatchObject({ apiKey: UNKNOWN });
  expect(await preview(null)).toMatchObject({ apiKey, previousApiKey: null });
  expect(takeRequests(api)).toBe("");
});

it("a diff names the inputs that differ, and those that replace the resource", async () => {
  const { plugin } = await start(native);
  const { id, inputs, outputs } = await created(plugin, HOOK);
  const moved = { ...inputs, webhookId: 102, state: "active" };
  const { replaces, details } = await plugin.diff(id, outputs, moved, { ...inputs, stateOnDestroy: null });
  expect(replaces).toEqual(["webhookId"]);
  const { ADD, UPDATE } = proto.PropertyDiff.Kind;
  expect(details).toEqual({ state: UPDATE, stateOnDestroy: ADD, webhookId: UPDATE });
});

describe("whether a resource exists", () => {
  const ask = async (plugin: Plugin, { __provider }: { __provider: string }, id: string) => {
    const urn = urnOf(__provider).replace(/name$/, "__exists__1");
    return (await plugin.call("read", new proto.ReadRequest().setUrn(urn).setId(id))).getId();
  };

  it("is shown by the list of webhooks, and by nothing for keys", async () => {
    const { api, plugin } = await start(native);
    expect([await ask(plugin, HOOK, "101"), await ask(plugin, HOOK, "999")]).toEqual(["101", ""]);
    const { message } = await errorOf(ask(plugin, KEY, "key-1"));
    expect(message).toMatch(/cannot (?:tell|say) whether a key exists.*\[PARTNERS_RESOURCE\]$/);
    expect(takeRequests(api)).not.toContain("POST");
  });

  it("is not denied if the list is incomplete", async () => {
    const { api, plugin } = await start(native);
    replaceAnswers(api, "listWebhooks", () => ({ body: { data: [{ id: 1 }], has_more: true } }));
    expect((await errorOf(ask(plugin, HOOK, "999"))).message).toMatch(/has_more.*\[PARTNERS_RESOURCE\]$/);
  });
});

it("the webhook list is a secret, without what the engine would interpret, and may have thousands", async () => {
  const { api, plugin } = await start(native);
  const nested = { a: [1, UNKNOWN], __pulumiAsset: true };
  const odd = { id: 5001, [SIGNATURE]: "x", note: UNKNOWN, nested, big: "9".repeat(30) };
  const records = Array.from({ length: 5000 }, (_, index) => {
    const events = Array.from({ length: 10 }, (_, event) => `orders.${event}`);
    return { id: index + 1, url: `https://hooks.example.com/${index}`, active: index % 2 === 0, events };
  });
  replaceAnswers(api, "listWebhooks", () => ({ body: [...records, odd] }));
  const request = new proto.InvokeRequest().setTok("partners:index:getPartnerWebhooks");
  const { webhooks } = fromStruct((await plugin.call("invoke", request)).getReturn());
  const list = secretValue(webhooks) as unknown[];
  expect(list).toHaveLength(5001);
  expect(list[1]).toEqual({ webhookId: 2, state: "disabled", record: records[1] });
  const record = { id: 5001, note: null, nested: { a: [1, null] }, big: "9".repeat(30) };
  expect(list[5000]).toEqual({ webhookId: 5001, state: null, record });
  const { message } = await errorOf(plugin.call("invoke", request.setTok("partners:index:getKeys")));
  expect(message).toMatch(
    /^There is no "partners:index:getKeys"\. Use one of: partners:index:getPartnerWebhooks/,
  );
});

describe("the settings", () => {
  const wrong = { accessToken: "wrong-token" };
  const checkConfig = (news: Record<string, string>) =>
    new proto.CheckRequest()
      .setUrn("urn:pulumi:dev::test::pulumi:providers:partners::default")
      .setNews(toStruct(news));

  it("of the environment never reach the state", async () => {
    const env = { PARTNERS_BASE_URL: "https://partners.example.com", PARTNERS_ACCESS_TOKEN: "env-t0ken" };
    const plugin = await pluginFor({ ...native, config: null, env });
    const response = await plugin.call("checkConfig", checkConfig({}));
    expect(fromStruct(response.getInputs())).toEqual({ account: "default", explicit: "false" });
    expect(response.getFailuresList()).toEqual([]);
  });

  it("come from the last up, as errors say, only if no program provides current ones", async () => {
    const api = await sandboxFor();
    const config = { ...configFor(api), "partners:accessToken": "wrong-token" };
    const withoutProgram = await pluginFor({ ...native, config });
    const withProgram = await pluginFor({ ...native, config: null });
    await withProgram.call("checkConfig", checkConfig({ ...wrong, baseUrl: api.url }));
    await withProgram.configure({ ...config, explicit: "false" });
    const withoutStack = await pluginFor({ ...native, config: null }); // As in `pulumi do`.
    await withoutStack.configure(config);
    for (const [run, plugin] of Object.entries({ withoutProgram, withProgram, withoutStack })) {
      const { message } = await errorOf(plugin.read("101", { ...HOOK, account: "default" }));
      expect(message, run).toContain("[PARTNERS_STATUS]");
      expect(message.includes("--run-program"), run).toBe(plugin === withoutProgram);
    }
  });
});

it("a cancellation ends waits at once, and a creation in flight returns its key", async () => {
  const { api, plugin } = await start(native);
  const held = holdAnswer(api, "createApiKey");
  const creation = plugin.create(await checked(plugin, KEY));
  await held.reached;
  await plugin.call("cancel", new empty.Empty());
  expect((await errorOf(plugin.create(KEY))).message).toMatch(/\[PARTNERS_INTERRUPTED\]$/);
  held.release();
  expect(secretValue((await creation).properties["apiKey"])).toBe([...api.keys][0]);
  plugin.kill("SIGINT");
  expect(await plugin.ended).toEqual({ code: 130, signal: null });
});

it("a state that cannot be decoded fails with our own message, and the process continues", async () => {
  const { plugin } = await start(native);
  const state = new struct.Struct();
  state.getFieldsMap().set("webhookId", new struct.Value()); // Of no kind.
  const request = new proto.ReadRequest().setUrn(urnOf(HOOK.__provider)).setId("101").setProperties(state);
  expect((await errorOf(plugin.call("read", request))).message).toMatch(/\[PARTNERS_BUG\]$/);
  expect(await plugin.read("101", { __provider: HOOK.__provider })).toMatchObject({ id: "101" });
});

it("the plugin tells its version and schema, which types there are, and which methods it has not", async () => {
  const { plugin } = await start(native);
  const info = await plugin.call("getPluginInfo", new empty.Empty());
  expect(info.getVersion()).toBe(manifest.version);
  const answer = await plugin.call("getSchema", new proto.GetSchemaRequest());
  expect(JSON.parse(answer.getSchema())).toEqual(schema);
  const urn = "urn:pulumi:dev::test::partners:index:PartnerWebhook::name";
  const { message } = await errorOf(plugin.call("read", new proto.ReadRequest().setId("101").setUrn(urn)));
  expect(message).toMatch(/no "partners:index:PartnerWebhook".*PartnerWebhookState,.*RESOURCE\]$/);
  const { code } = await errorOf(plugin.call("getMapping", new proto.GetMappingRequest()));
  expect(code).toBe(grpc.status[grpc.status.UNIMPLEMENTED]);
});

it("without an engine, the plugin explains itself and ends", async () => {
  await expect(pluginFor({ ...native, engineAddress: "" })).rejects.toThrow("Pulumi plugin");
});
