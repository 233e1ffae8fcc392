import { describe, expect, it } from "vitest";

import {
  configFor,
  errorOf,
  HOOK,
  KEY,
  LIST,
  MAPPING,
  pluginFor,
  preload,
  sandboxFor,
  start,
} from "./partners.ts";

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

it("of an explicit provider, debug lines and errors name the host and the account", async () => {
  const sandbox = await sandboxFor();
  const config = { ...configFor(sandbox), "partners:explicit": "true", "partners:account": "eu" };
  const plugin = await pluginFor({ config, env: { PARTNERS_DEBUG: "1" } });
  sandbox.inject({ kind: "status", status: 403 });
  const { message } = await errorOf(plugin.read("101", { ...HOOK, account: "eu" }));
  const { host } = new URL(sandbox.url);
  expect(message).toContain(`GET /webhooks at ${host} (account "eu"): `);
  await plugin.close(); // What it wrote last may arrive after its last answer.
  expect(plugin.stderr()).toMatch(new RegExp(`^partners listWebhooks .* host=${host} .* account="eu"$`, "m"));
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

describe("what leaves the plugin", () => {
  it("has every output, null where there is none", async () => {
    const { plugin } = await start();
    const key = await plugin.create(KEY);
    const names =
      "__provider account apiKey createdAt fingerprint hint internal previousApiKey previousExpiresAt response rotatedAt server";
    expect(Object.keys(key.properties).sort().join(" ")).toBe(names);
    expect(key.properties).toMatchObject({ previousApiKey: null, rotatedAt: null, internal: null });
    const hook = await plugin.create(HOOK);
    expect(Object.keys(hook.properties).sort().join(" ")).toBe(
      "__provider account initialState server state stateOnDestroy webhookId",
    );
  });

  it("holds no undefined where the inputs and the state lack what is expected", async () => {
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

  it("keeps __provider and all properties of an initialization failure, without undefined", async () => {
    const { sandbox, plugin } = await start({ shape: "unreadable" });
    const { __provider } = KEY;
    const failed = await errorOf(plugin.create({ __provider }));
    const { id, properties, reasons } = failed.initFailure ?? { id: "", properties: {}, reasons: [] };
    expect(id).toMatch(/^key-[0-9a-f-]{36}$/);
    expect(properties).toMatchObject({
      __provider,
      account: null,
      apiKey: null,
      response: { complete: true },
    });
    expect(reasons).toEqual([failed.message]); // The engine shows the reasons.
    const later = await pluginFor({ config: { ...configFor(sandbox), ...MAPPING } });
    await later.delete(id, properties); // With __provider missing, it could never be deleted.
    expect(sandbox.apiKeys).toEqual([]);
  });
});

describe("an error", () => {
  const KEY_IN_STATE = "canary-key-0123456789";
  const held = { ...KEY, apiKey: KEY_IN_STATE };

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
