import grpc from "@grpc/grpc-js";
import proto from "@pulumi/pulumi/proto/provider_pb.js";
import empty from "google-protobuf/google/protobuf/empty_pb.js";
import struct from "google-protobuf/google/protobuf/struct_pb.js";
import { describe, expect, it } from "vitest";

import { UNKNOWN } from "../../provider/src/shared/properties.js";
import { PARTNER_API_KEY } from "../../provider/src/registration.js";
import type { SandboxOptions } from "../support/sandbox.ts";
import {
  configFor,
  errorOf,
  HOOK,
  KEY,
  loggingEngine,
  plain,
  pluginFor,
  sandboxFor,
  secretValue,
  start,
  takeRequests,
} from "./support.ts";
import {
  fromStruct,
  toStruct,
  urnOf,
  type Plugin,
  type PluginOptions,
  type Properties,
} from "../support/spawned-plugin.ts";

function startNative(options?: SandboxOptions, pluginOptions: PluginOptions = {}) {
  return start(options, { host: "native", ...pluginOptions });
}

it("a preview shows the known values and sends no request", async () => {
  const { sandbox, plugin } = await startNative();
  const created = await plugin.create(HOOK, { preview: true });
  expect(created.properties).toMatchObject({ state: "disabled", initialState: UNKNOWN });
  const held = { ...KEY, apiKey: "k".repeat(20), createdAt: "2026-01-01T00:00:00Z" };
  const preview = async (rotation: unknown) =>
    plain((await plugin.update("id", held, { ...KEY, rotation }, { preview: true })).properties);
  const rotated = { account: "default", apiKey: UNKNOWN, previousApiKey: held.apiKey };
  expect(await preview({ trigger: "2", overlapDays: 7 })).toMatchObject(rotated);
  expect(await preview(UNKNOWN)).toMatchObject({ apiKey: UNKNOWN });
  expect(await preview(null)).toMatchObject({ apiKey: held.apiKey, previousApiKey: null });
  expect(takeRequests(sandbox)).toBe("");
});

it("a diff names the inputs that differ, and those that replace the resource", async () => {
  const { plugin } = await startNative();
  const moved = { ...HOOK, webhookId: 102, state: "active" };
  const { replaces, details } = await plugin.diff("101", HOOK, moved, { ...HOOK, stateOnDestroy: null });
  expect(replaces).toEqual(["webhookId"]);
  const { ADD, UPDATE } = proto.PropertyDiff.Kind;
  expect(details).toEqual({ state: UPDATE, stateOnDestroy: ADD, webhookId: UPDATE });
});

it.each([
  ["settings of its own", {}, false],
  ["the settings of a provider in a stack", { account: "eu", explicit: "true" }, false],
  ["a stack", { explicit: "false" }, true],
] as const)(
  "with %s, a state that the list shows is sent only if no stack records our last change",
  async (_what, provider, hasStack) => {
    const sandbox = await sandboxFor();
    const plugin = await pluginFor({ host: "native", config: null });
    await plugin.configure({ ...configFor(sandbox), ...provider }, hasStack ? "default" : "");
    // The calls of `pulumi do`.
    const { __provider } = HOOK;
    const { properties, inputs = {} } = await plugin.read("101", { __provider });
    const checked = await plugin.check({ ...inputs, __provider, state: "active" }, inputs);
    const olds = { ...properties, __provider };
    const news = { ...checked.inputs, __provider };
    await plugin.update("101", olds, news, { preview: true });
    expect(takeRequests(sandbox)).toBe("GET");
    await plugin.update("101", olds, news);
    await plugin.create(news);
    expect(takeRequests(sandbox)).toBe(hasStack ? "" : "PATCH PATCH");
  },
);

it("a list of webhooks is filtered by state, and refuses another state", async () => {
  const { plugin } = await startNative();
  const list = (query: Properties) =>
    plugin.list(
      new proto.ListRequest().setToken("partners:index:PartnerWebhookState").setQuery(toStruct(query)),
    );
  expect(await list({})).toEqual(["101", "102", "103"]);
  expect(await list({ state: "disabled" })).toEqual(["103"]);
  const { message } = await errorOf(list({ state: "off" }));
  expect(message).toBe(
    'There is no "off". Correct it to one of: active, disabled. Nothing was sent. [PARTNERS_RESOURCE]',
  );
});

it("a read of a state that cannot be decoded fails with our own message, and the process continues", async () => {
  const { plugin } = await startNative();
  const state = new struct.Struct();
  state.getFieldsMap().set("webhookId", new struct.Value()); // Of no kind.
  const request = new proto.ReadRequest().setUrn(urnOf(HOOK.__provider)).setId("101").setProperties(state);
  expect((await errorOf(plugin.call("read", request))).message).toMatch(/\[PARTNERS_BUG\]/);
  expect(await plugin.read("101", HOOK)).toMatchObject({ id: "101" });
});

describe("the provider's settings", () => {
  const env = {
    PARTNERS_BASE_URL: "https://partners.example.com",
    PARTNERS_ACCESS_TOKEN: "token-of-the-environment",
  };
  const GIVEN = { baseUrl: "https://eu.example.com", accessToken: "token-of-the-program" };
  const unconfigured = () => pluginFor({ host: "native", config: null, env });

  const check = async (plugin: Plugin, name: string, news: Properties) => {
    const urn = `urn:pulumi:dev::test::pulumi:providers:partners::${name}`;
    const request = new proto.CheckRequest().setUrn(urn).setNews(toStruct(news));
    const response = await plugin.call("checkConfig", request);
    const problems = response.getFailuresList().map((failure) => failure.getReason());
    return { inputs: fromStruct(response.getInputs()), problems: problems.join() };
  };

  it("are checked together, and an explicit provider does not read the environment", async () => {
    const plugin = await unconfigured();
    const { accessToken } = GIVEN;
    const explicit = await check(plugin, "eu", { accessToken, requestTimeout: "soon" });
    expect(explicit.problems).toMatch(/baseUrl.*does not read environment variables/);
    expect(explicit.problems).toContain("requestTimeout");
    expect(secretValue(explicit.inputs["accessToken"])).toBe(accessToken);
    for (const headers of [{ "X-Key": "s3cret" }, '{"X-Key":"s3cret"}']) {
      const { inputs, problems } = await check(plugin, "eu", { ...GIVEN, headers });
      expect([secretValue(inputs["headers"]), problems]).toEqual([headers, ""]);
    }
    const refused = await check(plugin, "eu", { ...GIVEN, headers: { "X-Key": "s3cret\n" } });
    expect(refused.problems).toMatch(/^The Provider's headers contains a value that is not/);
    expect(refused.problems).not.toContain("s3cret");

    // The state must not contain the token of the environment.
    const inputs = { account: "default", explicit: "false" };
    expect(await check(plugin, "default", {})).toEqual({ inputs, problems: "" });
    expect((await check(plugin, "eu", { baseUrl: UNKNOWN })).problems).toBe("");
  });

  it("cause a warning if they have no effect, but not for a plain token, which the engine always passes", async () => {
    const plugin = await unconfigured();
    await check(plugin, "default_0_1_0", { ...GIVEN, basUrl: "x", version: "0.1.0" });
    await plugin.close();
    expect(plugin.stderr()).not.toContain("plain text");
    expect(plugin.stderr().match(/not a pulumi-partners setting/g)).toHaveLength(1);
    expect(plugin.stderr()).toContain('"partners:basUrl"');
    expect(plugin.stderr()).not.toContain(GIVEN.accessToken);
  });

  it("come from the last up, as errors say, only if no program provides current ones", async () => {
    const sandbox = await sandboxFor();
    const config = { ...configFor(sandbox), "partners:accessToken": "wrong-token" };
    const withoutProgram = await pluginFor({ host: "native", config });
    const withProgram = await unconfigured();
    await check(withProgram, "default", { baseUrl: sandbox.url, accessToken: "wrong-token" });
    await withProgram.configure(config);
    // As in `pulumi do`, which has no stack.
    const withoutStack = await unconfigured();
    await withoutStack.configure(config);
    for (const [run, plugin] of Object.entries({ withoutProgram, withProgram, withoutStack })) {
      const { message } = await errorOf(plugin.read("101", HOOK));
      expect(message, run).toContain("[PARTNERS_STATUS]");
      expect(message.includes("a setting after the last up"), run).toBe(plugin === withoutProgram);
    }
  });
});

it("the webhook list is a secret, without values that have a special meaning for the engine", async () => {
  const nested = { a: [1, UNKNOWN], __pulumiAsset: true };
  const record = { id: 7, "4dabf18193072939515e22adb298388d": "x", note: UNKNOWN, nested };
  const { plugin } = await startNative({ shape: { apiKey: ({ key }) => key, webhooks: () => [record] } });
  const request = new proto.InvokeRequest().setTok("partners:index:getPartnerWebhooks");
  const { webhooks } = fromStruct((await plugin.call("invoke", request)).getReturn());
  expect(secretValue(webhooks)).toEqual([
    {
      webhookId: 7,
      state: null,
      url: null,
      name: null,
      record: { id: 7, note: null, nested: { a: [1, null] } },
    },
  ]);
});

it("the engine receives a warning, and a retry as a status, each with its resource and before the response", async () => {
  const { address: engineAddress, messages } = await loggingEngine();
  const { sandbox, plugin } = await startNative({}, { engineAddress });
  const urn = urnOf(KEY.__provider);
  sandbox.inject({ kind: "status", status: 429, headers: { "retry-after": "2" } });
  await plugin.create(KEY);
  expect(messages).toMatchObject([
    { ephemeral: true, urn, message: "POST: 429, retrying in 2 s" },
    { ephemeral: true, urn, message: "done" },
  ]);
  await plugin.delete("key-1", { ...KEY, apiKey: "no-such-key-0123456789abcdef0123456789" });
  const message = expect.stringMatching(/^key sha256:.* was not found/) as string;
  expect(messages.slice(2)).toMatchObject([{ severity: 2, urn, ephemeral: false, message }]);
  expect(plugin.stderr()).toBe("");
});

describe("customTimeouts", () => {
  const URN = urnOf(KEY.__provider);
  const HOOK_URN = urnOf(HOOK.__provider);
  const APIKEY = { ...KEY, apiKey: "old-key-0123456789abcdef" };
  const deletion = (timeout: number) =>
    new proto.DeleteRequest().setUrn(URN).setId("key-1").setProperties(toStruct(APIKEY)).setTimeout(timeout);

  it("end an operation before operationTimeout", async () => {
    const { plugin, sandbox } = await startNative({ delay: 6000, apiKeys: [APIKEY.apiKey] });
    const startedAt = performance.now();
    const { message } = await errorOf(plugin.call("delete", deletion(0.8)));
    expect(message).toMatch(/may already be deleted.*\[PARTNERS_TIMEOUT\]$/);
    expect(performance.now() - startedAt).toBeLessThan(5000);
    expect(takeRequests(sandbox)).toBe("DELETE");
  });

  it("end an operation after operationTimeout", async () => {
    const config = { operationTimeout: "0.3" };
    const { plugin, sandbox } = await startNative({ delay: 1000, apiKeys: [APIKEY.apiKey] }, { config });
    expect((await errorOf(plugin.call("delete", deletion(0)))).message).toMatch(/\[PARTNERS_TIMEOUT\]$/);
    await plugin.call("delete", deletion(15));
    expect(sandbox.apiKeys).toEqual([]);
  });

  it("leave a creation that was sent all of requestTimeout", async () => {
    const { plugin, sandbox } = await startNative({ delay: 1600 });
    const request = new proto.CreateRequest().setUrn(URN).setProperties(toStruct(KEY)).setTimeout(1);
    const created = plain(fromStruct((await plugin.call("create", request)).getProperties()));
    expect(created["apiKey"]).toBe(sandbox.apiKeys[0]);
  });

  it("leave the list, which other resources share, all of operationTimeout, and then send nothing", async () => {
    const { plugin, sandbox } = await startNative({ delay: 1500 });
    const request = new proto.UpdateRequest().setUrn(HOOK_URN).setId("101").setTimeout(0.5);
    const update = plugin.call("update", request.setOlds(toStruct(HOOK)).setNews(toStruct(HOOK)));
    const read = plugin.read("102", { ...HOOK, webhookId: 102 });
    expect((await errorOf(update)).message).toMatch(/\[PARTNERS_TIMEOUT\]$/);
    expect((await read).properties).toMatchObject({ webhookId: 102, state: "active" });
    expect(takeRequests(sandbox)).toBe("GET");
    expect(sandbox.webhooks.get(101)).toBe("active");
  });
});

it("a cancellation ends waits at once, and a creation in flight returns its key", async () => {
  const { sandbox, plugin } = await startNative();
  const held = sandbox.hold();
  const created = plugin.create(KEY);
  await held.reached;
  await plugin.call("cancel", new empty.Empty());
  expect((await errorOf(plugin.create(KEY))).message).toMatch(/\[PARTNERS_INTERRUPTED\]$/);
  await held.release();
  expect(secretValue((await created).properties["apiKey"])).toBeTypeOf("string");
  plugin.kill("SIGINT");
  expect(await plugin.ended).toEqual({ code: 130, signal: null });
});

it("a resource that a move back replaced, whose URN has the type of dynamic resources, is deleted", async () => {
  const [held, other] = ["old-key-0123456789abcdef", "new-key-0123456789abcdef"];
  const { plugin, sandbox } = await startNative({ apiKeys: [held, other] });
  const urn = `urn:pulumi:dev::test::test:Shop$${PARTNER_API_KEY.type}::name`;
  const state = toStruct({ account: "default", apiKey: held });
  await plugin.call("delete", new proto.DeleteRequest().setUrn(urn).setId("key-1").setProperties(state));
  expect(sandbox.apiKeys).toEqual([other]);
});

it("a resource type that does not exist is an error that names those that do", async () => {
  const { plugin } = await startNative();
  const urn = "urn:pulumi:dev::test::partners:index:PartnerWebhook::name";
  const { message } = await errorOf(plugin.call("read", new proto.ReadRequest().setId("101").setUrn(urn)));
  expect(message).toMatch(/no "partners:index:PartnerWebhook".*PartnerWebhookState,.*RESOURCE\]$/);
});

it("a missing method returns UNIMPLEMENTED; without an engine, the process explains itself and ends", async () => {
  const { plugin } = await startNative();
  const { code } = await errorOf(plugin.call("getMapping", new proto.GetMappingRequest()));
  expect(code).toBe(grpc.status[grpc.status.UNIMPLEMENTED]);
  await expect(pluginFor({ host: "native", engineAddress: "" })).rejects.toThrow("Pulumi plugin");
});

it("with refreshBeforeUpdate, the engine is told to read webhook resources first, also after a failure", async () => {
  const { plugin, sandbox } = await startNative({}, { config: { refreshBeforeUpdate: "true" } });
  const urn = urnOf(HOOK.__provider);
  const { inputs } = await plugin.check(HOOK);
  expect(inputs["refreshBeforeUpdate"]).toBe(true);
  const creation = new proto.CreateRequest().setUrn(urn).setProperties(toStruct(inputs));
  const created = await plugin.call("create", creation);
  const outputs = created.getProperties();
  const reading = new proto.ReadRequest().setUrn(urn).setId("101").setProperties(outputs);
  const read = await plugin.call("read", reading);
  const active = toStruct({ ...inputs, state: "active" });
  const change = new proto.UpdateRequest().setUrn(urn).setId("101").setOlds(outputs).setNews(active);
  const responses = [
    created,
    read,
    await plugin.call("update", change),
    await plugin.call("create", creation),
  ];
  expect(responses.map((response) => response.getRefreshBeforeUpdate())).toEqual([true, true, true, true]);

  sandbox.inject({ kind: "status", status: 403, operation: "activateWebhook" });
  expect((await errorOf(plugin.call("update", change))).initFailure?.refreshBeforeUpdate).toBe(true);
});
