import { describe, expect, it } from "vitest";

import { PARTNER_WEBHOOK_STATES } from "../../provider/src/registration.js";
import type { Fault } from "../support/sandbox.ts";
import {
  configFor,
  errorOf,
  HOOK,
  KEY,
  LIST,
  loggingEngine,
  plain,
  pluginFor,
  preload,
  sandboxFor,
  secretValue,
  start,
  takeRequests,
  until,
} from "./partners.ts";
import { HOSTS, urnOf } from "./plugin-process.ts";

/** What Pulumi puts in place of a value that is not known yet. */
const UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

it("the first calls of a process may arrive in parallel, for all three kinds of resource, and share one list", async () => {
  const { sandbox, plugin } = await start();
  const [key, hook, list] = await Promise.all([
    plugin.create(KEY),
    plugin.create(HOOK),
    plugin.read("webhooks", LIST),
    ...[102, 103].map((webhookId) => plugin.check({ ...HOOK, webhookId })),
  ]);
  expect(key).toMatchObject({ properties: { apiKey: sandbox.apiKeys[0] } });
  expect(hook).toMatchObject({ id: "101", properties: { state: "disabled", initialState: "active" } });
  expect(list).toMatchObject({ id: "webhooks" });
  expect(sandbox.requests.map(({ method }) => method).sort()).toEqual(["GET", "PATCH", "POST"]);
});

it("check fails without the name of a property, as the engine would print its value", async () => {
  const { plugin } = await start();
  const refused = await Promise.all([
    plugin.check({ ...HOOK, webhookId: "s3cret" }),
    plugin.check({ ...HOOK, state: "s3cret" }),
    plugin.check({ ...HOOK, stateOnDestroy: "s3cret" }),
    plugin.check({ ...HOOK, webhookId: 99 }),
    plugin.check({ ...KEY, rotation: { afterDays: "s3cret" } }),
    plugin.check({ ...KEY, rotation: { s3cret: 1 } }),
  ]);
  for (const { failures } of refused) {
    expect(failures.length).toBeGreaterThan(0);
    expect(failures.map(({ property }) => property).join("")).toBe("");
    expect(JSON.stringify(failures)).not.toContain("s3cret");
  }
});

it("an error that resources have in common is told in full once", async () => {
  const plugin = await pluginFor({
    config: { "partners:baseUrl": "http://127.0.0.1:1", "partners:accessToken": "token" },
  });
  const { message } = await errorOf(plugin.read("101", HOOK));
  expect(message).toContain("nothing listens at 127.0.0.1:1 (ECONNREFUSED)");
  expect(message).toContain("Check partners:baseUrl");
  const again = await errorOf(plugin.read("102", { ...HOOK, webhookId: 102 }));
  expect(again.message).toMatch(
    /ECONNREFUSED\); see the first error for what to do\. \[PARTNERS_CONNECTION\]$/,
  );
});

it("a deletion that is answered 404 warns once of each key, on standard error where no engine listens", async () => {
  const { plugin } = await start();
  const held = { ...KEY, apiKey: "no-such-key-0123456789" };
  await plugin.delete("key-1", held);
  await plugin.delete("key-1", held);
  await until(() => plugin.stderr().endsWith("\n"));
  expect(plugin.stderr()).toMatch(/^pulumi-partners: key sha256:[0-9a-f]{16} was not found .*404.*\n$/);
});

it("webhooks that are read by a program arrive as the service sent them", async () => {
  const record = { id: 7, owner: null, "4dabf18193072939515e22adb298388d": "x", nested: { a: [1, null] } };
  const { plugin } = await start({ shape: { apiKey: ({ key }) => key, webhooks: () => [record] } });
  const { properties } = await plugin.read("webhooks", LIST);
  expect(JSON.parse(String(properties["webhooks"]))).toEqual([{ webhookId: 7, state: null, record }]);
});

it("diff answers without settings and without a request, whatever it is given", async () => {
  const plugin = await pluginFor({});
  for (const inputs of [KEY, HOOK]) {
    const { __provider } = inputs;
    for (const odd of [null, [], {}, UNKNOWN, 7]) {
      const olds = { __provider, apiKey: odd, webhookId: odd, account: odd, rotation: odd, internal: odd };
      expect((await plugin.diff("id", olds, inputs)).changes).toBe(true);
      expect((await plugin.diff("id", inputs, olds)).changes).toBe(true);
    }
  }
});

it("what leaves the plugin holds no undefined where the inputs and the state lack what is expected", async () => {
  const { plugin } = await start();
  const [key, hook] = [{ __provider: KEY.__provider }, { __provider: HOOK.__provider, webhookId: 101 }];
  expect((await plugin.create(key)).properties).toMatchObject({ ...key, account: null });
  expect((await plugin.update("key-1", { ...key, apiKey: "k" }, key)).properties).toMatchObject({
    apiKey: "k",
  });
  expect(await plugin.read("101", { ...hook, state: "active" })).toMatchObject({
    inputs: { stateOnDestroy: null, account: null },
  });
  const { properties } = await plugin.update("101", hook, { ...hook, state: "active" });
  expect(properties).toMatchObject({ state: "active", initialState: null, stateOnDestroy: null });
});
describe("an error", () => {
  const KEY_IN_STATE = "canary-key-0123456789";
  const held = { ...KEY, apiKey: KEY_IN_STATE };

  it.each([
    ["the list", "webhooks", LIST],
    ["what it gets", "101", { __provider: HOOK.__provider }],
  ])("in a program that reads %s is not about the last update", async (_what, id, properties) => {
    const { sandbox, plugin } = await start();
    sandbox.inject({ kind: "status", status: 401, times: Infinity });
    const { message } = await errorOf(plugin.read(id, properties));
    expect(message).toMatch(/answered 401\. (?!.*--run-program).*\[PARTNERS_STATUS\]$/);
  });

  it.each(["read", "delete"] as const)("of %s prints no stack, no path and no key", async (method) => {
    const { sandbox, plugin } = await start({ apiKeys: [KEY_IN_STATE] });
    sandbox.inject({ kind: "status", status: 403, times: Infinity });
    const call = method === "read" ? plugin.read("101", HOOK) : plugin.delete("key-1", held);
    const { message, initFailure } = await errorOf(call);
    expect(message).toMatch(/--run-program.*\[PARTNERS_STATUS\]$/);
    expect(initFailure).toBeUndefined();
    const printed = message + plugin.stdout() + plugin.stderr();
    expect(printed).not.toMatch(/canary|\n\s+at |\.[jt]s\b|api\/v1/);
  });

  it("that nobody expected is a bug, told without foreign words, and nothing was sent", async () => {
    const sandbox = await sandboxFor();
    const code = `
      import crypto from "node:crypto";
      crypto.randomUUID = () => { throw new TypeError("foreign words at https://foreign.example") };`;
    const plugin = await pluginFor({ config: configFor(sandbox), env: { NODE_OPTIONS: preload(code) } });
    const { message, initFailure } = await errorOf(plugin.create(KEY));
    expect(message).toMatch(
      /^An unexpected TypeError in pulumi-partners at [a-z-]+\.js:\d+\..*\[PARTNERS_BUG\]$/,
    );
    expect(initFailure).toBeUndefined();
    expect(message + plugin.stdout() + plugin.stderr()).not.toContain("foreign");
    expect(sandbox.requests).toEqual([]);
  });
});

describe.each(HOSTS)("in the %s host", (host) => {
  const OLD_KEY = "old-key-0123456789abcdef";

  it("an ID alone reads a webhook, a key from the environment, and a fleet by the name of its account", async () => {
    const { sandbox, plugin } = await start({ apiKeys: [OLD_KEY] }, { host, env: { OLD_KEY } });
    const webhook = await plugin.read("103", { __provider: HOOK.__provider });
    const observed = { webhookId: 103, state: "disabled", initialState: "disabled" };
    expect(webhook).toMatchObject({ id: "103", properties: observed });
    expect(takeRequests(sandbox)).toBe("GET");

    const key = await plugin.read("env:OLD_KEY", { __provider: KEY.__provider });
    const held = { ...KEY, ...plain(key.properties) };
    expect(key.id).toBe("env:OLD_KEY");
    expect(held).toMatchObject({ apiKey: OLD_KEY, previousApiKey: null });
    expect(await plugin.diff(key.id, held, KEY)).toMatchObject({ changes: false });
    await plugin.delete(key.id, held);
    expect(sandbox.apiKeys).toEqual([]);

    const { __provider } = PARTNER_WEBHOOK_STATES;
    const fleet = await plugin.read("default", { __provider });
    expect(fleet.properties).toMatchObject({ states: Object.fromEntries(sandbox.webhooks) });
    await expect(plugin.read("eu", { __provider })).rejects.toThrow(/use its account: "default"/);
  });

  it.each<[what: string, fault: Fault, message: RegExp]>([
    ["whose response is cut off", { kind: "truncate", bytes: 19 }, /^A key was created at .*UNREADABLE\]$/],
    [
      "whose response is lost",
      { kind: "reset", effect: true },
      /A key may have been created .*CONNECTION\]$/,
    ],
  ])(
    "a creation %s is sent once; what came stays in the state, where it can be deleted",
    async (_what, fault, expected) => {
      const { sandbox, plugin } = await start({}, { host });
      sandbox.inject(fault);
      const { __provider } = KEY;
      const { message, initFailure } = await errorOf(plugin.create({ __provider }));
      expect(message).toMatch(expected);
      expect(takeRequests(sandbox)).toBe("POST");
      if (fault.kind === "reset") {
        expect(initFailure).toBeUndefined();
        return;
      }
      const { id = "", properties = {}, reasons } = initFailure ?? {};
      expect(reasons).toEqual([message]); // The engine shows the reasons.
      expect(id).toMatch(/^key-[0-9a-f-]{36}$/);
      const response = { body: '{"apiKey":"pk_live_', encoding: "utf8", complete: false };
      expect(plain(properties)).toMatchObject({ account: null, apiKey: null, response });
      expect(secretValue(properties["response"]) !== undefined).toBe(host === "native");
      // With __provider missing, it could never be deleted.
      expect(properties["__provider"]).toBe(host === "dynamic" ? __provider : undefined);
      const deletion = await errorOf(plugin.delete(id, { __provider, ...plain(properties) }));
      expect(deletion.message).toMatch(/\[PARTNERS_UNREADABLE\]$/);
    },
  );

  it("how far a change of many is shows while it lasts", async () => {
    const { address: engineAddress, messages } = await loggingEngine();
    const config = { "partners:maxConnections": "1" };
    const { plugin } = await start({ latency: 150 }, { host, config, engineAddress });
    const states = { 101: "disabled", 102: "disabled", 103: "active" };
    const { __provider } = PARTNER_WEBHOOK_STATES;
    await plugin.create({ __provider, states, others: "leave", stateOnDestroy: "leave", account: "default" });
    // The dynamic host is not told the URN.
    const [urn, text] =
      host === "native" ? [urnOf(__provider), "webhooks"] : ["", 'webhooks of the account "default"'];
    const message = expect.stringMatching(new RegExp(`^[23]/3 ${text}$`)) as string;
    expect(messages[0]).toMatchObject({ ephemeral: true, urn, message });
  });
});
