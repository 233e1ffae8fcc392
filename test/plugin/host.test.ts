import { describe, expect, it } from "vitest";

import { configFor, errorOf, KEY, pluginFor, sandboxFor, start, WEBHOOK } from "./partners.ts";

const UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";
const orders = { ...WEBHOOK, webhookId: 101, state: "disabled" };

describe("the first calls of a process", () => {
  it("may come in parallel, for both kinds of resource, and share one list", async () => {
    const { sandbox, plugin } = await start();
    const checks = [101, 102, 103].map((webhookId) => plugin.check({ ...orders, webhookId }));
    const [first, , , key] = await Promise.all([...checks, plugin.create({ ...KEY, account: "default" })]);
    expect(first).toMatchObject({ failures: [], inputs: { account: "default", stateOnDestroy: "leave" } });
    expect(key).toMatchObject({ properties: { apiKey: sandbox.apiKeys[0] } });
    expect(sandbox.requests.map(({ method }) => method).sort()).toEqual(["GET", "POST"]);
  });

  it("find the settings of the configuration, and not of another process", async () => {
    const [one, two] = [await sandboxFor(), await sandboxFor()];
    const plugins = [
      await pluginFor({ config: configFor(one) }),
      await pluginFor({ config: configFor(two) }),
    ];
    await Promise.all(plugins.map((plugin) => plugin.create(KEY)));
    expect([one.apiKeys.length, two.apiKeys.length]).toEqual([1, 1]);
  });

  it("name what is missing where nothing is configured", async () => {
    const plugin = await pluginFor({});
    const { message } = await errorOf(plugin.create(KEY));
    expect(message).toContain("2 settings are missing or wrong, so nothing was sent");
    expect((await plugin.check(KEY)).failures).toMatchObject([{ property: "", reason: message }]);
    // The same for a process that is asked again after it failed.
    expect((await errorOf(plugin.create(KEY))).message).toBe(message);
  });
});

describe("check", () => {
  it("lets unknown values pass, without a request", async () => {
    const { sandbox, plugin } = await start();
    const { inputs, failures } = await plugin.check({
      ...WEBHOOK,
      webhookId: UNKNOWN,
      state: UNKNOWN,
      stateOnDestroy: UNKNOWN,
    });
    expect(failures).toEqual([]);
    expect(inputs).toMatchObject({ webhookId: UNKNOWN, state: UNKNOWN, stateOnDestroy: UNKNOWN });
    expect(sandbox.requests).toEqual([]);
  });

  it.each([0, -1, 1.5, 2 ** 53, "7", "", true, null, [], {}])(
    "refuses the webhookId %j",
    async (webhookId) => {
      const { sandbox, plugin } = await start();
      const { failures } = await plugin.check({ ...orders, webhookId });
      expect(failures).toMatchObject([
        { property: "", reason: expect.stringContaining("webhookId must be") as string },
      ]);
      expect(sandbox.requests).toEqual([]);
    },
  );

  it("answers with failures, whatever it is given", async () => {
    const plugin = await pluginFor({});
    for (const news of [
      {},
      { webhookId: {} },
      { webhookId: 101, state: {} },
      { webhookId: 101, state: "active", stateOnDestroy: 7 },
    ]) {
      const { failures } = await plugin.check({ ...WEBHOOK, ...news });
      expect(failures.length).toBeGreaterThan(0);
    }
  });

  it("asks the server about new webhooks only", async () => {
    const { sandbox, plugin } = await start();
    await plugin.check(orders, { ...orders, account: "default" });
    expect(sandbox.requests).toEqual([]);
  });
});

describe("diff", () => {
  it("answers, whatever it is given", async () => {
    const plugin = await pluginFor({});
    for (const provider of [KEY, WEBHOOK]) {
      expect(await plugin.diff("id", provider, provider)).toMatchObject({
        changes: expect.any(Boolean) as boolean,
      });
      const odd = { ...provider, apiKey: [], webhookId: UNKNOWN, account: { a: 1 } };
      expect(await plugin.diff("id", odd, provider)).toMatchObject({ changes: true });
    }
  });

  it("replaces for another webhook or account, and for nothing else", async () => {
    const plugin = await pluginFor({});
    const olds = { ...orders, stateOnDestroy: "leave", account: "default", initialState: "active" };
    const differs = (news: object) => plugin.diff("101", olds, { ...olds, ...news });
    expect(await differs({})).toMatchObject({ changes: false, replaces: [] });
    expect(await differs({ state: "active" })).toMatchObject({ changes: true, replaces: [] });
    expect(await differs({ stateOnDestroy: "restore" })).toMatchObject({ changes: true, replaces: [] });
    expect(await differs({ webhookId: 102 })).toMatchObject({ changes: true, replaces: ["webhookId"] });
    expect(await differs({ account: "eu" })).toMatchObject({ changes: true, replaces: ["account"] });
    const key = { ...KEY, apiKey: "k", account: "default" };
    expect(await plugin.diff("key-1", key, { ...KEY, account: "default" })).toMatchObject({ changes: false });
    expect(await plugin.diff("key-1", key, { ...KEY, account: "eu" })).toMatchObject({
      replaces: ["account"],
    });
    const older = { ...KEY, apiKey: "k" };
    expect(await plugin.diff("key-1", older, { ...KEY, account: "eu" })).toMatchObject({
      changes: false,
      replaces: [],
    });
  });
});

describe("what leaves the plugin", () => {
  it("has every output, null where there is none", async () => {
    const { plugin } = await start({ shape: "bare" });
    const { properties } = await plugin.create({ ...KEY, account: "default" });
    const present = ["apiKey", "createdAt", "fingerprint", "hint", "keyId", "response"];
    const past = ["memory", "previousApiKey", "previousExpiresAt", "rotatedAt"];
    expect(Object.keys(properties).sort()).toEqual(["__provider", "account", ...present, ...past].sort());
    for (const name of ["keyId", "response", ...past]) expect(properties[name]).toBeNull();
    const hook = await plugin.create({ ...orders, stateOnDestroy: "leave", account: "default" });
    expect(Object.keys(hook.properties).sort()).toEqual(
      ["__provider", "account", "initialState", "state", "stateOnDestroy", "webhookId"].sort(),
    );
  });

  it("holds no undefined where the inputs hold none of what is expected", async () => {
    const { plugin } = await start();
    const created = await plugin.create({ ...KEY });
    expect(created.properties).toMatchObject({ __provider: KEY.__provider });
    const updated = await plugin.update("key-1", { ...KEY, apiKey: "k" }, KEY);
    expect(updated.properties).toMatchObject({ apiKey: "k" });
    const read = await plugin.read("101", { ...WEBHOOK, webhookId: 101, state: "active" });
    expect(read).toMatchObject({ inputs: { stateOnDestroy: null, account: null } });
  });

  it("has no stack and no key where a deletion fails, on stderr neither", async () => {
    const { sandbox, plugin } = await start({ apiKeys: ["canary-key-0123456789"] });
    sandbox.inject({ kind: "status", operation: "deleteApiKey", status: 403 });
    const held = { ...KEY, apiKey: "canary-key-0123456789", keyId: null, account: "default" };
    const { message } = await errorOf(plugin.delete("key-1", held));
    expect(message).toContain("[PARTNERS_STATUS]");
    expect(message + plugin.stderr()).not.toMatch(/canary|\n\s+at |\.js:/);
  });

  it("is not the text of an error that is not ours", async () => {
    const { plugin } = await start();
    // No check has let this through: the end of the overlap is no date.
    const news = { ...KEY, rotation: { trigger: "now", overlapDays: 1e300 } };
    const { message } = await errorOf(plugin.update("key-1", { ...KEY, apiKey: "a-key-0123456789" }, news));
    expect(message).toMatch(/^An unexpected \w+ in pulumi-partners at [a-z-]+\.js:\d+\. This is a bug/);
  });
});
