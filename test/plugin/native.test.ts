import grpc from "@grpc/grpc-js";
import proto from "@pulumi/pulumi/proto/provider_pb.js";
import empty from "google-protobuf/google/protobuf/empty_pb.js";
import { describe, expect, it, onTestFinished } from "vitest";

import { UNKNOWN } from "../../provider/src/handlers/contract.js";
import { startLoggingEngine } from "../support/engine-log.ts";
import {
  call,
  fromStruct,
  toStruct,
  urnOf,
  type Plugin,
  type Properties,
} from "../support/plugin-process.ts";
import type { Sandbox, SandboxOptions } from "../support/sandbox.ts";
import {
  configFor,
  errorOf,
  HOOK,
  KEY,
  listNatively,
  pluginFor,
  sandboxFor,
  secretValue,
  startHeld,
  takeRequests,
} from "./partners.ts";

const { __provider: KEY_PROVIDER } = KEY;
const { __provider: HOOK_PROVIDER } = HOOK;

async function startNative(
  options?: SandboxOptions,
  env: Record<string, string> = {},
  engineAddress?: string,
): Promise<{ sandbox: Sandbox; plugin: Plugin }> {
  const sandbox = await sandboxFor(options);
  const config = configFor(sandbox);
  const plugin = await pluginFor({ host: "native", config, env, ...(engineAddress && { engineAddress }) });
  return { sandbox, plugin };
}

/** The same properties in the place of secret ones, as the engine passes them on. */
function plain(properties: Properties): Properties {
  return Object.fromEntries(
    Object.entries(properties).map(([name, value]) => [name, secretValue(value) ?? value]),
  );
}

it("a key is created, rotated in place and deleted, and its secrets are marked", async () => {
  const { sandbox, plugin } = await startNative();
  const inputs = (trigger: string): Properties => ({ ...KEY, rotation: { trigger, overlapDays: 7 } });
  const { id, properties: first } = await plugin.create(inputs("1"));
  const [key1] = sandbox.apiKeys;
  const secrets = Object.keys(first).filter((name) => secretValue(first[name]) !== undefined);
  expect(secrets.toSorted()).toEqual(["apiKey", "internal", "response"]);
  const { properties: second } = await plugin.update(id, plain(first), inputs("2"));
  expect(plain(second)).toMatchObject({ apiKey: sandbox.apiKeys[1], previousApiKey: key1 });
  expect(secretValue(second["previousApiKey"])).toBe(key1);
  await plugin.delete(id, { ...KEY, ...plain(second) });
  expect(sandbox.apiKeys).toEqual([]);
  expect(takeRequests(sandbox)).toBe("POST POST DELETE DELETE");
});

it("a webhook is created, drifts, is repaired and restored, and is gone in the end", async () => {
  const { sandbox, plugin } = await startNative();
  const { inputs, failures } = await plugin.check({ ...HOOK, stateOnDestroy: "restore" });
  expect(failures).toEqual([]);
  const news = { ...HOOK, ...inputs };
  const { id, properties } = await plugin.create(news);
  expect(takeRequests(sandbox)).toBe("GET PATCH");
  expect(await plugin.diff(id, properties, news)).toMatchObject({ changes: false });
  sandbox.setWebhookState(101, "active");
  const late = await pluginFor({ host: "native", config: configFor(sandbox) });
  const drifted = await late.read(id, { ...HOOK, ...properties }, inputs);
  expect(drifted.inputs).toEqual({ ...inputs, state: "active" });
  expect(await late.diff(id, drifted.properties, news)).toMatchObject({ changes: true, replaces: [] });
  const { properties: repaired } = await late.update(id, drifted.properties, news);
  expect(sandbox.webhooks.get(101)).toBe("disabled");
  await late.delete(id, { ...HOOK, ...repaired });
  expect(sandbox.webhooks.get(101)).toBe("active");
  expect(takeRequests(sandbox)).toBe("GET PATCH PATCH");
});

describe("a preview", () => {
  const previewOf = async ({ client }: Plugin, urn: string, olds: Properties | null, news: Properties) => {
    if (olds === null) {
      const request = new proto.CreateRequest().setUrn(urn).setPreview(true).setProperties(toStruct(news));
      return fromStruct((await call("create", client.create.bind(client), request)).getProperties());
    }
    const request = new proto.UpdateRequest().setUrn(urn).setPreview(true);
    request.setOlds(toStruct(olds)).setNews(toStruct(news));
    return fromStruct((await call("update", client.update.bind(client), request)).getProperties());
  };
  const rotation = { trigger: "2", overlapDays: 7 };
  const held = { account: "default", apiKey: "k".repeat(20), createdAt: "2026-01-01T00:00:00Z" };

  it.each([
    ["a new webhook", HOOK_PROVIDER, null, HOOK, { state: "disabled", initialState: UNKNOWN }],
    [
      "a changed webhook",
      HOOK_PROVIDER,
      { ...HOOK, initialState: "active" },
      { ...HOOK, state: "active" },
      { state: "active", initialState: "active" },
    ],
    ["a new key", KEY_PROVIDER, null, KEY, { account: "default", apiKey: UNKNOWN, fingerprint: UNKNOWN }],
    [
      "a key that is rotated",
      KEY_PROVIDER,
      held,
      { ...KEY, rotation },
      { account: "default", apiKey: UNKNOWN, previousApiKey: held.apiKey },
    ],
    ["a key that stays", KEY_PROVIDER, held, KEY, { apiKey: held.apiKey, previousApiKey: null }],
    [
      "a key that is rotated, for days that are not known yet,",
      KEY_PROVIDER,
      held,
      { ...KEY, rotation: { trigger: "2", overlapDays: UNKNOWN } },
      { apiKey: UNKNOWN, previousApiKey: UNKNOWN },
    ],
    [
      "a key whose rotation is not known yet",
      KEY_PROVIDER,
      held,
      { ...KEY, rotation: UNKNOWN },
      { apiKey: UNKNOWN },
    ],
  ])("of %s shows what is known, and sends nothing", async (_what, provider, olds, news, shown) => {
    const { sandbox, plugin } = await startNative();
    expect(plain(await previewOf(plugin, urnOf(provider), olds, news))).toMatchObject(shown);
    expect(takeRequests(sandbox)).toBe("");
  });
});

it("a difference names the inputs that differ, and those that replace the resource", async () => {
  const { plugin } = await startNative();
  const request = new proto.DiffRequest().setUrn(urnOf(HOOK_PROVIDER)).setOldInputs(toStruct(HOOK));
  request.setOlds(toStruct(HOOK)).setNews(toStruct({ ...HOOK, webhookId: 102, state: "active" }));
  const difference = await call("diff", plugin.client.diff.bind(plugin.client), request);
  const { UPDATE, UPDATE_REPLACE } = proto.PropertyDiff.Kind;
  expect(difference.getReplacesList()).toEqual(["webhookId"]);
  const details = [...difference.getDetaileddiffMap().entries()].toSorted();
  expect(details.map(([path, detail]) => [path, detail.getKind(), detail.getInputdiff()])).toEqual([
    ["state", UPDATE, true],
    ["webhookId", UPDATE_REPLACE, true],
  ]);
});

describe("an import", () => {
  const OLD_KEY = "old-key-0123456789abcdef";

  it("of a webhook reads its state", async () => {
    const { sandbox, plugin } = await startNative();
    const found = await plugin.read("103", { __provider: HOOK_PROVIDER });
    expect(found.id).toBe("103");
    expect(found.properties).toMatchObject({ webhookId: 103, state: "disabled", initialState: "disabled" });
    expect(await plugin.diff("103", found.properties, { ...HOOK, ...found.inputs })).toMatchObject({
      changes: false,
    });
    expect(takeRequests(sandbox)).toBe("GET");
  });

  it("of a key takes it from the environment, under an ID that stays and does not tell it", async () => {
    const { sandbox, plugin } = await startNative({ apiKeys: [OLD_KEY] }, { OLD_KEY });
    const found = await plugin.read("env:OLD_KEY", { __provider: KEY_PROVIDER });
    expect(found.id).toBe("env:OLD_KEY");
    expect(secretValue(found.properties["apiKey"])).toBe(OLD_KEY);
    expect(await plugin.diff(found.id, plain(found.properties), KEY)).toMatchObject({ changes: false });
    await plugin.delete(found.id, { ...KEY, ...plain(found.properties) });
    expect(sandbox.apiKeys).toEqual([]);
  });

  it.each([
    ["a webhook that does not exist", HOOK_PROVIDER, "999", /999 does not exist.*101, 102, 103/],
    ["a name in place of a webhook id", HOOK_PROVIDER, "orders", /positive whole number/],
    ["an id that is not written as one", HOOK_PROVIDER, "0101", /positive whole number/],
    ["a variable that is not set", KEY_PROVIDER, "env:NO_SUCH", /NO_SUCH is not set/],
    ["a variable that holds no key", KEY_PROVIDER, "env:SPACED", /SPACED is not set, or holds no key/],
    ["a key", KEY_PROVIDER, OLD_KEY, /"env:"/],
  ])("of %s is refused, and repeats no key", async (_what, provider, id, expected) => {
    const { plugin } = await startNative({}, { SPACED: `${OLD_KEY} ` });
    const { message } = await errorOf(plugin.read(id, { __provider: provider }));
    expect(message).toMatch(expected);
    expect(message).toMatch(/\[PARTNERS_RESOURCE\]$/);
    expect(message).not.toContain(OLD_KEY);
  });
});

describe("the provider's settings", () => {
  const check = async (name: string, news: Properties, env: Record<string, string> = {}) => {
    const plugin = await pluginFor({ host: "native", configureFirst: false, env });
    const urn = `urn:pulumi:dev::test::pulumi:providers:partners::${name}`;
    const request = new proto.CheckRequest().setUrn(urn).setNews(toStruct(news));
    const { client } = plugin;
    const response = await call("checkConfig", client.checkConfig.bind(client), request);
    return {
      plugin,
      inputs: fromStruct(response.getInputs()),
      problems: response
        .getFailuresList()
        .map((failure) => failure.getReason())
        .join(),
    };
  };
  const ENV = {
    PARTNERS_BASE_URL: "https://partners.example.com",
    PARTNERS_ACCESS_TOKEN: "token-of-the-environment",
  };
  const GIVEN = { baseUrl: "https://eu.example.com", accessToken: "token-of-the-program" };

  it("are all checked at once", async () => {
    const { problems } = await check("default_0_1_0", { requestTimeout: "soon" });
    for (const name of ["baseUrl", "accessToken", "requestTimeout"]) expect(problems).toContain(name);
  });

  it("come from the environment for the default provider, whose token stays out of the state", async () => {
    const { inputs, problems } = await check("default", {}, ENV);
    expect(problems).toBe("");
    expect(inputs).toEqual({ account: "default", explicit: "false" });
  });

  it("do not come from the environment for another provider, whose token becomes a secret", async () => {
    const { inputs, problems } = await check("eu", { accessToken: GIVEN.accessToken }, ENV);
    expect(problems).toMatch(/baseUrl.*does not consult the environment/);
    expect(secretValue(inputs["accessToken"])).toBe(GIVEN.accessToken);
    expect(inputs).toMatchObject({ account: "eu", explicit: "true" });
  });

  it("that have no effect are warned of, and nothing is said of a token, which the engine passes in clear", async () => {
    const { plugin } = await check("default", { ...GIVEN, basUrl: "x", version: "0.1.0" });
    await plugin.close();
    expect(plugin.stderr()).not.toContain("plain text");
    expect(plugin.stderr().match(/not a pulumi-partners setting/g)).toHaveLength(1);
    expect(plugin.stderr()).toContain('"partners:basUrl"');
    expect(plugin.stderr()).not.toContain(GIVEN.accessToken);
  });

  it.each([
    "default_0_1_0_beta_1",
    "default_https_/example.com/a-b",
    "default_0_1_0_github_/api.github.com/x",
  ])("are those of stack configuration for the default provider that the engine calls %s", async (name) => {
    const { inputs, problems } = await check(name, {}, ENV);
    expect([inputs, problems]).toEqual([{ account: "default", explicit: "false" }, ""]);
  });

  it.each(["default_eu", "default/eu", "eu::default"])(
    "are those of an explicit provider called %s, whose account it names also where an empty one is given",
    async (name) => {
      const { inputs } = await check(name, { ...GIVEN, account: "" }, ENV);
      expect(inputs).toMatchObject({ account: name, explicit: "true" });
    },
  );

  it.each([
    ["the address", { baseUrl: UNKNOWN }],
    ["a part of the mapping", { ...GIVEN, responses: { apiKey: UNKNOWN } }],
    ["a part of the mapping, as text", { ...GIVEN, responses: JSON.stringify({ apiKey: UNKNOWN }) }],
  ])("are not judged while %s is not known", async (_what, news) => {
    expect((await check("eu", news)).problems).toBe("");
  });

  it("are said to be those of the last up only where no program has given those of now", async () => {
    const sandbox = await sandboxFor();
    const settings = { baseUrl: sandbox.url, accessToken: "wrong-token" };
    const config = { ...configFor(sandbox), "partners:accessToken": "wrong-token" };
    const withoutProgram = await pluginFor({ host: "native", config });
    const { plugin: withProgram } = await check("default", settings);
    await withProgram.configure(config);
    for (const [plugin, hint] of [
      [withoutProgram, true],
      [withProgram, false],
    ] as const) {
      const { message } = await errorOf(plugin.read("101", { ...HOOK }));
      expect(message).toContain("[PARTNERS_STATUS]");
      expect(message.includes("settings of the last up")).toBe(hint);
    }
  });

  it.each([
    ["nothing", { ...GIVEN, account: "eu" }, { ...GIVEN, account: "eu" }, [], []],
    [
      "the address",
      { ...GIVEN, account: "eu" },
      { ...GIVEN, account: "eu", baseUrl: "https://x.example" },
      ["baseUrl"],
      [],
    ],
    ["the account", { ...GIVEN, account: "eu" }, { ...GIVEN, account: "us" }, ["account"], ["account"]],
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
      { ...GIVEN, account: "eu" },
      ["account"],
      [],
    ],
  ])("differ by %s", async (_what, olds, news, changed, replaces) => {
    const { client } = await pluginFor({ host: "native", configureFirst: false });
    const request = new proto.DiffRequest().setOlds(toStruct(olds)).setNews(toStruct(news));
    const difference = await call("diffConfig", client.diffConfig.bind(client), request);
    expect(difference.getDiffsList()).toEqual(changed);
    expect(difference.getReplacesList()).toEqual(replaces);
  });
});

it("webhooks are listed as a secret, and what has a meaning to the engine is left out of records", async () => {
  const record = { id: 7, "4dabf18193072939515e22adb298388d": "x", note: UNKNOWN, nested: { a: [1, null] } };
  const { plugin } = await startNative({ shape: { apiKey: ({ key }) => key, webhooks: () => [record] } });
  const { webhooks } = (await listNatively(plugin)) as Properties;
  expect(secretValue(webhooks)).toEqual([
    { webhookId: 7, state: null, record: { id: 7, note: null, nested: { a: [1, null] } } },
  ]);
});

it("two resources that declare one webhook are refused, and the message names the other one", async () => {
  const { plugin } = await startNative();
  const { client } = plugin;
  const check = async (name: string): Promise<string> => {
    const urn = urnOf(HOOK_PROVIDER).replace(/name$/, name);
    const request = new proto.CheckRequest().setUrn(urn).setNews(toStruct(HOOK));
    const response = await call("check", client.check.bind(client), request);
    return response
      .getFailuresList()
      .map((failure) => failure.getReason())
      .join();
  };
  expect(await check("one")).toBe("");
  expect(await check("one")).toBe(""); // As for a replacement, which is checked twice.
  expect(await check("two")).toMatch(
    /101 is declared twice, by PartnerWebhookState "one" and PartnerWebhookState "two"/,
  );
});

it("a warning is one to the engine, names its resource, and arrives before the answer", async () => {
  const engine = await startLoggingEngine();
  onTestFinished(() => {
    engine.close();
  });
  const { plugin } = await startNative({}, {}, engine.address);
  await plugin.delete("key-1", { ...KEY, apiKey: "no-such-key-0123456789" });
  expect(engine.messages).toEqual([
    expect.objectContaining({
      severity: 2,
      urn: urnOf(KEY_PROVIDER),
      ephemeral: false,
      message: expect.stringMatching(/^key sha256:.*404/) as string,
    }),
  ]);
  expect(plugin.stderr()).toBe("");
});

it("a retry shows in the status of its resource while it lasts", async () => {
  const engine = await startLoggingEngine();
  onTestFinished(() => {
    engine.close();
  });
  const { sandbox, plugin } = await startNative({}, {}, engine.address);
  sandbox.inject({ kind: "status", status: 429, headers: { "retry-after": "1" } });
  await plugin.create(KEY);
  expect(engine.messages).toEqual([
    expect.objectContaining({
      ephemeral: true,
      urn: urnOf(KEY_PROVIDER),
      message: "POST: 429, trying again in 1 s",
    }),
  ]);
});

it("a creation whose key is not recognised stays in the state, with its response", async () => {
  const { plugin } = await startNative({
    shape: { apiKey: () => ({ result: "ok" }), webhooks: (list) => list },
  });
  const { initFailure, message } = await errorOf(plugin.create(KEY));
  expect(message).toMatch(/\[PARTNERS_UNREADABLE\]$/);
  expect(initFailure).toMatchObject({ id: expect.stringMatching(/^key-/) as string, reasons: [message] });
  expect(secretValue(initFailure?.properties["response"])).toMatchObject({ complete: true });
});

it("a cancellation ends waits at once, and a creation in flight hands its key over", async () => {
  const { gate, plugin } = await startHeld({ host: "native" });
  const held = gate.hold(1, "after");
  const created = plugin.create(KEY);
  await held.reached;
  await call("cancel", plugin.client.cancel.bind(plugin.client), new empty.Empty());
  expect((await errorOf(plugin.create(KEY))).message).toMatch(/\[PARTNERS_INTERRUPTED\]$/);
  await held.release();
  expect(secretValue((await created).properties["apiKey"])).toBeTypeOf("string");
  plugin.kill("SIGINT");
  expect(await plugin.ended).toEqual({ code: null, signal: "SIGINT" });
});

it("a method that it does not have is answered UNIMPLEMENTED", async () => {
  const { plugin } = await startNative();
  const error = await errorOf(
    call("getMapping", plugin.client.getMapping.bind(plugin.client), new proto.GetMappingRequest()),
  );
  expect(error.code).toBe(grpc.status[grpc.status.UNIMPLEMENTED]);
});

it("without an engine it says what it is, and ends", async () => {
  await expect(pluginFor({ host: "native", engineAddress: "" })).rejects.toThrow("plugin of Pulumi");
});
