import grpc from "@grpc/grpc-js";
import proto from "@pulumi/pulumi/proto/provider_pb.js";
import empty from "google-protobuf/google/protobuf/empty_pb.js";
import struct from "google-protobuf/google/protobuf/struct_pb.js";
import { describe, expect, it } from "vitest";

import manifest from "../../provider/package.json" with { type: "json" };
import schema from "../../provider/schema.json" with { type: "json" };
import { SIGNATURE, UNKNOWN } from "../../provider/src/adapter/properties.js";
import { holdAnswer, replaceAnswers, sandboxFor } from "../support/sandbox.ts";
import { fromStruct, METHODS, startPlugin, toStruct, urnOf } from "../support/spawned-plugin.ts";
import { configFor, created, errorOf, HOOK, KEY, plain, secretValue, start } from "./support.ts";

const native = { host: "native" } as const;

it("a preview shows the known values and sends no change", async () => {
  const { api, plugin } = await start(native);
  const { inputs: hook } = await plugin.check(HOOK);
  const { properties } = await plugin.create({ ...hook, __provider: HOOK.__provider }, true);
  expect(properties).toMatchObject({ state: "disabled", initialState: UNKNOWN });
  const { id, inputs, outputs } = await created(plugin, KEY);
  api.requests.length = 0;
  const rotated = { ...inputs, rotation: { trigger: "2", overlapDays: 7 } };
  const preview = await plugin.update(id, outputs, rotated, true);
  expect(plain(preview.properties)).toMatchObject({ apiKey: UNKNOWN, previousApiKey: outputs["apiKey"] });
  expect(api.requests).toEqual([]);
});

it("a diff names the inputs that differ, and those that replace the resource", async () => {
  const { plugin } = await start(native);
  const { id, inputs, outputs } = await created(plugin, HOOK);
  const request = new proto.DiffRequest().setUrn(urnOf(HOOK.__provider)).setId(id);
  request.setOlds(toStruct(outputs)).setOldInputs(toStruct({ ...inputs, stateOnDestroy: null }));
  request.setNews(toStruct({ ...inputs, webhookId: 102, state: "active" }));
  const diff = (await plugin.call(METHODS.diff, request)).toObject();
  expect(diff.replacesList).toEqual(["webhookId"]);
  const { ADD, UPDATE } = proto.PropertyDiff.Kind;
  const kinds = Object.fromEntries(diff.detaileddiffMap.map(([name, { kind }]) => [name, kind]));
  expect(kinds).toEqual({ state: UPDATE, stateOnDestroy: ADD, webhookId: UPDATE });
});

it("whether a resource exists is shown by the list of webhooks if it is complete, and by nothing for keys", async () => {
  const { api, plugin } = await start(native);
  const ask = async ({ __provider }: { __provider: string }, id: string) => {
    const request = new proto.ReadRequest().setUrn(urnOf(__provider, "__exists__1")).setId(id);
    return (await plugin.call(METHODS.read, request)).getId();
  };
  expect([await ask(HOOK, "101"), await ask(HOOK, "999")]).toEqual(["101", ""]);
  const { message } = await errorOf(ask(KEY, "key-1"));
  expect(message).toMatch(/cannot (?:tell|say) whether a key exists.*\[PARTNERS_RESOURCE\]$/);
  replaceAnswers(api, "listWebhooks", () => ({ body: { data: [{ id: 1 }], has_more: true } }));
  expect((await errorOf(ask(HOOK, "999"))).message).toMatch(/has_more.*\[PARTNERS_RESOURCE\]$/);
});

it("the webhook list is a secret, without what the engine would interpret, and may have thousands", async () => {
  const { api, plugin } = await start(native);
  const odd = { id: 5001, [SIGNATURE]: "x", note: UNKNOWN, big: "9".repeat(30) };
  const usual = Array.from({ length: 5000 }, (_, id) => ({ id: id + 1, active: id % 2 === 0 }));
  replaceAnswers(api, "listWebhooks", () => ({ body: [...usual, odd] }));
  const request = new proto.InvokeRequest().setTok("partners:index:getPartnerWebhooks");
  const { webhooks } = fromStruct((await plugin.call(METHODS.invoke, request)).getReturn());
  const list = secretValue(webhooks) as unknown[];
  expect(list).toHaveLength(5001);
  expect(list[1]).toEqual({ webhookId: 2, state: "disabled", record: usual[1] });
  const record = { id: 5001, note: null, big: "9".repeat(30) };
  expect(list[5000]).toEqual({ webhookId: 5001, state: null, record });
});

it("the IDs of webhooks can be listed for an import, without their records; keys cannot", async () => {
  const { api, plugin } = await start(native);
  const token = "partners:index:PartnerWebhookState";
  const results = ["101", "102", "103"].map((id) => ({ id, name: "" }));
  expect(await plugin.list(token)).toEqual(results);
  expect(await plugin.list(token, 2)).toEqual(results.slice(0, 2));
  expect((await errorOf(plugin.list("partners:index:PartnerApiKey"))).message).toMatch(
    /^Keys cannot be listed: .* \[PARTNERS_RESOURCE\]$/,
  );
  const { message } = await errorOf(plugin.list("partners:index:PartnerWebhookStates"));
  expect(message).toMatch(/^Only partners:index:PartnerWebhookState can be listed\./);
  expect(api.requests).toEqual(["GET /webhooks"]);
});

describe("the settings", () => {
  const checkConfig = (news: Record<string, string>) =>
    new proto.CheckRequest()
      .setUrn("urn:pulumi:dev::test::pulumi:providers:partners::default")
      .setNews(toStruct(news));

  it("of the environment never reach the state", async () => {
    const env = { PARTNERS_BASE_URL: "https://partners.example.com", PARTNERS_ACCESS_TOKEN: "env-t0ken" };
    const plugin = await startPlugin({ ...native, config: null, env });
    const response = await plugin.call(METHODS.checkConfig, checkConfig({}));
    expect(fromStruct(response.getInputs())).toEqual({ account: "default", explicit: "false" });
    expect(response.getFailuresList()).toEqual([]);
  });

  it("come from the last up, as errors say, only if no program provides current ones", async () => {
    const api = await sandboxFor();
    const config = { ...configFor(api), "partners:accessToken": "wrong-token" };
    const withoutProgram = await startPlugin({ ...native, config });
    const withProgram = await startPlugin({ ...native, config: null });
    const news = { accessToken: "wrong-token", baseUrl: api.url };
    await withProgram.call(METHODS.checkConfig, checkConfig(news));
    await withProgram.configure({ ...config, explicit: "false" });
    const withoutStack = await startPlugin({ ...native, config: null }); // As in `pulumi do`.
    await withoutStack.configure(config, "");
    const importing = await startPlugin({ ...native, config }); // `pulumi import` has no such flag.
    for (const [run, plugin] of Object.entries({ withoutProgram, withProgram, withoutStack, importing })) {
      const olds = plugin === importing ? HOOK : { ...HOOK, account: "default" };
      const { message } = await errorOf(plugin.read("101", olds));
      expect(message, run).toContain("[PARTNERS_STATUS]");
      expect(message.includes("--run-program"), run).toBe(plugin === withoutProgram);
    }
  });
});

it("a cancellation ends waits at once, and a creation in flight returns its key", async () => {
  const { api, plugin } = await start(native);
  const held = holdAnswer(api, "createApiKey");
  const creation = plugin.create(KEY);
  await held.reached;
  await plugin.call(METHODS.cancel, new empty.Empty());
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
  expect((await errorOf(plugin.call(METHODS.read, request))).message).toMatch(/\[PARTNERS_BUG\]$/);
  expect(await plugin.read("101", { __provider: HOOK.__provider })).toMatchObject({ id: "101" });
});

it("the plugin reports its version and schema, and rejects unknown types, functions and methods", async () => {
  const { plugin } = await start(native);
  const info = await plugin.call(METHODS.getPluginInfo, new empty.Empty());
  expect(info.getVersion()).toBe(manifest.version);
  const answer = await plugin.call(METHODS.getSchema, new proto.GetSchemaRequest());
  expect(JSON.parse(answer.getSchema())).toEqual(schema);
  const urn = "urn:pulumi:dev::test::partners:index:PartnerWebhook::name";
  const read = new proto.ReadRequest().setId("101").setUrn(urn);
  expect((await errorOf(plugin.call(METHODS.read, read))).message).toMatch(
    /no "partners:index:PartnerWebhook".*PartnerWebhookState,.*RESOURCE\]$/,
  );
  const invoke = new proto.InvokeRequest().setTok("partners:index:getKeys");
  expect((await errorOf(plugin.call(METHODS.invoke, invoke))).message).toMatch(
    /^There is no "partners:index:getKeys"\. Use one of: partners:index:getPartnerWebhooks/,
  );
  const { code } = await errorOf(plugin.call(METHODS.getMapping, new proto.GetMappingRequest()));
  expect(code).toBe(grpc.status.UNIMPLEMENTED);
});

it("without an engine, the plugin explains itself and ends", async () => {
  await expect(startPlugin({ ...native, engineAddress: "" })).rejects.toThrow("Pulumi plugin");
});
