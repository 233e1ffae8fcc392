import grpc from "@grpc/grpc-js";
import proto from "@pulumi/pulumi/proto/provider_pb.js";
import empty from "google-protobuf/google/protobuf/empty_pb.js";
import { describe, expect, it } from "vitest";

import { UNKNOWN } from "../../provider/src/handlers/contract.js";
import { PARTNER_WEBHOOK_STATES } from "../../provider/src/registration.js";
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
} from "./partners.ts";
import {
  fromStruct,
  toStruct,
  urnOf,
  type Plugin,
  type PluginOptions,
  type Properties,
} from "./plugin-process.ts";

function startNative(options?: SandboxOptions, pluginOptions: PluginOptions = {}) {
  return start(options, { host: "native", ...pluginOptions });
}

describe("a preview", () => {
  const rotation = { trigger: "2", overlapDays: 7 };
  const held = { ...KEY, apiKey: "k".repeat(20), createdAt: "2026-01-01T00:00:00Z" };

  it.each<[what: string, olds: Properties | null, news: Properties, shown: Properties]>([
    ["a new webhook", null, HOOK, { state: "disabled", initialState: UNKNOWN }],
    [
      "a changed webhook",
      { ...HOOK, initialState: "active" },
      { ...HOOK, state: "active" },
      { state: "active", initialState: "active" },
    ],
    ["a new key", null, KEY, { account: "default", apiKey: UNKNOWN, fingerprint: UNKNOWN }],
    [
      "a key that is rotated",
      held,
      { ...KEY, rotation },
      { account: "default", apiKey: UNKNOWN, previousApiKey: held.apiKey },
    ],
    ["a key that stays", held, KEY, { apiKey: held.apiKey, previousApiKey: null }],
    [
      "a key that is rotated, for days that are not known yet,",
      held,
      { ...KEY, rotation: { trigger: "2", overlapDays: UNKNOWN } },
      { apiKey: UNKNOWN, previousApiKey: UNKNOWN },
    ],
    ["a key whose rotation is not known yet", held, { ...KEY, rotation: UNKNOWN }, { apiKey: UNKNOWN }],
  ])("of %s shows what is known, and sends nothing", async (_what, olds, news, shown) => {
    const { sandbox, plugin } = await startNative();
    const { properties } = olds
      ? await plugin.update("id", olds, news, { preview: true })
      : await plugin.create(news, { preview: true });
    expect(plain(properties)).toMatchObject(shown);
    expect(takeRequests(sandbox)).toBe("");
  });
});

it("a difference names the inputs that differ, at any depth, and those that replace the resource", async () => {
  const { plugin } = await startNative();
  const { UPDATE, UPDATE_REPLACE } = proto.PropertyDiff.Kind;
  const moved = { ...HOOK, webhookId: 102, state: "active" };
  const { replaces, details } = await plugin.diff("101", HOOK, moved, HOOK);
  expect(replaces).toEqual(["webhookId"]);
  expect(details.map(([path, detail]) => [path, detail.getKind(), detail.getInputdiff()])).toEqual([
    ["state", UPDATE, true],
    ["webhookId", UPDATE_REPLACE, true],
  ]);

  const { __provider } = PARTNER_WEBHOOK_STATES;
  const fleet = (other: string) => ({ __provider, states: { 101: "active", 102: other } });
  const change = await plugin.diff("default", fleet("active"), fleet("disabled"), fleet("active"));
  expect(change.details.map(([path]) => path)).toEqual(['states["102"]']);
});

const OLD_KEY = "old-key-0123456789abcdef";
it.each([
  ["a webhook that does not exist", HOOK, "999", /999 does not exist.*101, 102, 103/],
  ["a name in place of a webhook id", HOOK, "orders", /positive whole number/],
  ["an id that is not written as one", HOOK, "0101", /positive whole number/],
  ["a variable that is not set", KEY, "env:NO_SUCH", /NO_SUCH is not set/],
  ["a variable that holds no key", KEY, "env:SPACED", /SPACED is not set, or holds no key/],
  ["a key", KEY, OLD_KEY, /"env:"/],
])("an import of %s is refused, and repeats no key", async (_what, { __provider }, id, expected) => {
  const { plugin } = await startNative({}, { env: { SPACED: `${OLD_KEY} ` } });
  const { message } = await errorOf(plugin.read(id, { __provider }));
  expect(message).toMatch(expected);
  expect(message).toMatch(/\[PARTNERS_RESOURCE\]$/);
  expect(message).not.toContain(OLD_KEY);
});

describe("the provider's settings", () => {
  const ENV = {
    PARTNERS_BASE_URL: "https://partners.example.com",
    PARTNERS_ACCESS_TOKEN: "token-of-the-environment",
  };
  const GIVEN = { baseUrl: "https://eu.example.com", accessToken: "token-of-the-program" };
  const FROM_ENVIRONMENT = { account: "default", explicit: "false" };
  const unconfigured = () => pluginFor({ host: "native", config: null, env: ENV });

  const check = async (plugin: Plugin, name: string, news: Properties) => {
    const urn = `urn:pulumi:dev::test::pulumi:providers:partners::${name}`;
    const request = new proto.CheckRequest().setUrn(urn).setNews(toStruct(news));
    const response = await plugin.call("checkConfig", request);
    const problems = response.getFailuresList().map((failure) => failure.getReason());
    return { inputs: plain(fromStruct(response.getInputs())), problems: problems.join() };
  };

  it.each<[name: string, news: Properties, inputs: Properties]>([
    // How the engine calls the provider of stack configuration: its token stays out of the state.
    ["default", {}, FROM_ENVIRONMENT],
    ["default_0_1_0_beta_1", {}, FROM_ENVIRONMENT],
    ["default_https_/example.com/a-b", {}, FROM_ENVIRONMENT],
    ["default_0_1_0_github_/api.github.com/x", {}, FROM_ENVIRONMENT],
    // Others are explicit, and name the account, also where an empty one is given.
    ["default_eu", { ...GIVEN, account: "" }, { account: "default_eu", explicit: "true" }],
    ["default/eu", { ...GIVEN, account: "" }, { account: "default/eu", explicit: "true" }],
    ["eu::default", { ...GIVEN, account: "us" }, { account: "us", explicit: "true" }],
    // What is not known yet is not judged.
    ["eu", { baseUrl: UNKNOWN }, { account: "eu" }],
    ["eu", { ...GIVEN, responses: { apiKey: UNKNOWN } }, { account: "eu" }],
    ["eu", { ...GIVEN, responses: JSON.stringify({ apiKey: UNKNOWN }) }, { account: "eu" }],
  ])("of a provider called %s with %j are completed by %j", async (name, news, added) => {
    const { inputs, problems } = await check(await unconfigured(), name, news);
    expect([inputs, problems]).toEqual([{ ...news, ...inputs, ...added }, ""]);
    if (added === FROM_ENVIRONMENT) expect(inputs).toEqual(FROM_ENVIRONMENT);
  });

  it("are all checked at once; those of an explicit provider do not come from the environment", async () => {
    const plugin = await unconfigured();
    const request = new proto.CheckRequest().setUrn("urn:pulumi:dev::test::pulumi:providers:partners::eu");
    request.setNews(toStruct({ accessToken: GIVEN.accessToken, requestTimeout: "soon" }));
    const response = await plugin.call("checkConfig", request);
    const problems = response
      .getFailuresList()
      .map((failure) => failure.getReason())
      .join();
    expect(problems).toMatch(/baseUrl.*does not read environment variables/);
    expect(problems).toContain("requestTimeout");
    expect(secretValue(fromStruct(response.getInputs())["accessToken"])).toBe(GIVEN.accessToken);
  });

  it("that have no effect are warned of, and nothing is said of a token, which the engine passes in clear", async () => {
    const plugin = await unconfigured();
    await check(plugin, "default", { ...GIVEN, basUrl: "x", version: "0.1.0" });
    await plugin.close();
    expect(plugin.stderr()).not.toContain("plain text");
    expect(plugin.stderr().match(/not a pulumi-partners setting/g)).toHaveLength(1);
    expect(plugin.stderr()).toContain('"partners:basUrl"');
    expect(plugin.stderr()).not.toContain(GIVEN.accessToken);
  });

  it("are said to be those of the last up only where no program has given those of now", async () => {
    const sandbox = await sandboxFor();
    const config = { ...configFor(sandbox), "partners:accessToken": "wrong-token" };
    const withoutProgram = await pluginFor({ host: "native", config });
    const withProgram = await unconfigured();
    await check(withProgram, "default", { baseUrl: sandbox.url, accessToken: "wrong-token" });
    await withProgram.configure(config);
    for (const plugin of [withoutProgram, withProgram]) {
      const { message } = await errorOf(plugin.read("101", HOOK));
      expect(message).toContain("[PARTNERS_STATUS]");
      expect(message.includes("settings of the last up")).toBe(plugin === withoutProgram);
    }
  });

  const EU = { ...GIVEN, account: "eu" };
  it.each<[what: string, olds: Properties, news: Properties, changed: string[], replaces: string[]]>([
    ["nothing", EU, EU, [], []],
    ["the address", EU, { ...EU, baseUrl: "https://x.example" }, ["baseUrl"], []],
    ["the account", EU, { ...EU, account: "us" }, ["account"], ["account"]],
    [
      "the account of stack configuration, which must not replace keys when it is set back",
      { ...GIVEN, account: "prod", explicit: "false" },
      { ...GIVEN, account: "default", explicit: "false" },
      ["account"],
      [],
    ],
    [
      "the names, from dynamic resources",
      { "partners:baseUrl": GIVEN.baseUrl, "partners:accessToken": GIVEN.accessToken },
      EU,
      ["account"],
      [],
    ],
  ])("differ by %s", async (_what, olds, news, changed, replaces) => {
    const plugin = await unconfigured();
    const request = new proto.DiffRequest().setOlds(toStruct(olds)).setNews(toStruct(news));
    const difference = await plugin.call("diffConfig", request);
    expect(difference.getDiffsList()).toEqual(changed);
    expect(difference.getReplacesList()).toEqual(replaces);
  });
});

it("webhooks are listed as a secret, and what has a meaning to the engine is left out of records", async () => {
  const record = { id: 7, "4dabf18193072939515e22adb298388d": "x", note: UNKNOWN, nested: { a: [1, null] } };
  const { plugin } = await startNative({ shape: { apiKey: ({ key }) => key, webhooks: () => [record] } });
  const request = new proto.InvokeRequest().setTok("partners:index:getPartnerWebhooks");
  const { webhooks } = fromStruct((await plugin.call("invoke", request)).getReturn());
  expect(secretValue(webhooks)).toEqual([
    { webhookId: 7, state: null, record: { id: 7, note: null, nested: { a: [1, null] } } },
  ]);
});

it("two resources that declare one webhook are refused, and the message names the other one", async () => {
  const { plugin } = await startNative();
  const check = async (name: string) => (await plugin.check(HOOK, {}, name)).failures;
  expect(await check("one")).toEqual([]);
  expect(await check("one")).toEqual([]); // As for a replacement, which is checked twice.
  expect((await check("two"))[0]?.reason).toMatch(
    /101 is declared twice, by PartnerWebhookState "one" and PartnerWebhookState "two"/,
  );
});

it("a warning is one to the engine, a retry shows in the status: both name the resource, and precede the answer", async () => {
  const { address: engineAddress, messages } = await loggingEngine();
  const { sandbox, plugin } = await startNative({}, { engineAddress });
  const urn = urnOf(KEY.__provider);
  sandbox.inject({ kind: "status", status: 429, headers: { "retry-after": "1" } });
  await plugin.create(KEY);
  expect(messages).toMatchObject([{ ephemeral: true, urn, message: "POST: 429, trying again in 1 s" }]);
  await plugin.delete("key-1", { ...KEY, apiKey: "no-such-key-0123456789" });
  const message = expect.stringMatching(/^key sha256:.*404/) as string;
  expect(messages.slice(1)).toMatchObject([{ severity: 2, urn, ephemeral: false, message }]);
  expect(plugin.stderr()).toBe("");
});

it("a cancellation ends waits at once, and a creation in flight hands its key over", async () => {
  const { sandbox, plugin } = await startNative();
  const held = sandbox.hold();
  const created = plugin.create(KEY);
  await held.reached;
  await plugin.call("cancel", new empty.Empty());
  expect((await errorOf(plugin.create(KEY))).message).toMatch(/\[PARTNERS_INTERRUPTED\]$/);
  await held.release();
  expect(secretValue((await created).properties["apiKey"])).toBeTypeOf("string");
  plugin.kill("SIGINT");
  expect(await plugin.ended).toEqual({ code: null, signal: "SIGINT" });
});

it("a method that it does not have is answered UNIMPLEMENTED; without an engine it says what it is, and ends", async () => {
  const { plugin } = await startNative();
  const { code } = await errorOf(plugin.call("getMapping", new proto.GetMappingRequest()));
  expect(code).toBe(grpc.status[grpc.status.UNIMPLEMENTED]);
  await expect(pluginFor({ host: "native", engineAddress: "" })).rejects.toThrow("plugin of Pulumi");
});
