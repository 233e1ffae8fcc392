import { describe, expect, it } from "vitest";

import { errorOf, KEY, pluginFor, configFor, start } from "./partners.ts";

const inputs = { ...KEY, account: "default" };
const MAPPING = { "partners:responses": '{"apiKey":"/result/token"}' };

describe("a key that can be read", () => {
  it("has an id that says nothing, and outputs that identify it", async () => {
    const { sandbox, plugin } = await start({ shape: "nested" });
    const { id, properties } = await plugin.create(inputs);
    const key = sandbox.apiKeys[0] ?? "";
    expect(id).toMatch(/^key-[0-9a-f-]{36}$/);
    expect(properties).toMatchObject({
      apiKey: key,
      hint: key.slice(-4),
      response: null,
      account: "default",
    });
    expect(properties["keyId"]).toEqual(expect.any(String));
    expect(properties["createdAt"]).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
    await plugin.delete(id, properties);
    expect(sandbox.apiKeys).toEqual([]);
  });

  it("survives a refresh, which asks nobody", async () => {
    const { sandbox, plugin } = await start();
    const { id, properties } = await plugin.create(inputs);
    sandbox.clearRequests();
    expect(await plugin.read(id, properties)).toMatchObject({ id, properties });
    expect(sandbox.requests).toEqual([]);
  });

  it("is deleted by its id where the mapping says so", async () => {
    const { sandbox, plugin } = await start(
      { shape: "byId" },
      { "partners:responses": '{"apiKeyId":"/apiKey/id"}' },
    );
    const { id, properties } = await plugin.create(inputs);
    await plugin.delete(id, properties);
    expect(sandbox.apiKeys).toEqual([]);
    expect(sandbox.requests.at(-1)?.path).toContain(String(properties["keyId"]));
  });

  it("of hostile characters is deleted as it is", async () => {
    const { sandbox, plugin } = await start({ keyAlphabet: "hostile" });
    const { id, properties } = await plugin.create(inputs);
    expect(properties["apiKey"]).toMatch(/[/+=%?#]/);
    await plugin.delete(id, properties);
    expect(sandbox.apiKeys).toEqual([]);
  });
});

describe("a key that is gone already", () => {
  const held = { ...inputs, apiKey: "no-such-key-0123456789", keyId: null };

  it("counts as deleted if the rest of the API answers", async () => {
    const { sandbox, plugin } = await start();
    await plugin.delete("key-1", held);
    expect(sandbox.requests.map(({ method, status }) => `${method} ${status ?? ""}`)).toEqual([
      "DELETE 404",
      "GET 200",
    ]);
  });

  it("counts as deleted after 410, without asking further", async () => {
    const { sandbox, plugin } = await start();
    sandbox.inject({ kind: "status", operation: "deleteApiKey", status: 410 });
    await plugin.delete("key-1", held);
    expect(sandbox.requests).toHaveLength(1);
  });

  it("counts as deleted, with a warning, if it has an id that the service may know it by", async () => {
    const { plugin } = await start();
    await plugin.delete("key-1", { ...held, keyId: "key_7" });
    expect(plugin.stderr()).toContain("set partners:responses.apiKeyId to the JSON Pointer of the id");
  });

  it("does not at another address than the one it was made at", async () => {
    const { plugin } = await start();
    const { id, properties } = await plugin.create(inputs);
    const { plugin: elsewhere } = await start();
    const { message } = await errorOf(elsewhere.delete(id, properties));
    expect(message).toContain("partners:baseUrl is another address now");
  });

  it.each([401, 403])("does not after %d", async (status) => {
    const { sandbox, plugin } = await start();
    sandbox.inject({ kind: "status", operation: "deleteApiKey", status });
    expect((await errorOf(plugin.delete("key-1", held))).message).toContain(`the server answered ${status}`);
  });

  it.each<[string, Parameters<typeof start>[0] & object]>([
    ["the list is refused", { faults: [{ kind: "status", operation: "listWebhooks", status: 403 }] }],
    ["a login page answers for the list", { faults: [{ kind: "html", operation: "listWebhooks" }] }],
  ])("does not if %s too", async (_what, options) => {
    const { plugin } = await start(options);
    const { message } = await errorOf(plugin.delete("key-1", held));
    expect(message).toContain("the key is gone or that partners:baseUrl is wrong");
  });
});

describe("a response that cannot be read", () => {
  it("is kept in an initialization failure, then recovered by update, then deleted", async () => {
    const { sandbox, plugin } = await start({ shape: "unreadable" });
    const { initFailure, message } = await errorOf(plugin.create(inputs));
    const key = sandbox.apiKeys[0] ?? "";
    expect(initFailure?.id).toMatch(/^key-/);
    expect(initFailure?.properties).toMatchObject({
      ...inputs,
      apiKey: null,
      response: expect.stringContaining(key) as string,
    });
    expect(initFailure?.reasons).toEqual([message]);
    expect(message).toContain("A key EXISTS on the server now.");
    expect(message).not.toContain(key);

    const { id, properties } = initFailure ?? { id: "", properties: {} };
    expect(await plugin.diff(id, properties, inputs)).toMatchObject({ changes: true, replaces: [] });
    expect((await errorOf(plugin.update(id, properties, inputs))).initFailure).toMatchObject({
      id,
      properties,
    });
    expect((await errorOf(plugin.delete(id, properties))).message).toContain("the key is not known yet");
    expect((await plugin.read(id, properties)).properties).toEqual(properties);

    const later = await pluginFor({ config: { ...configFor(sandbox), ...MAPPING } });
    const updated = await later.update(id, properties, inputs);
    expect(updated.properties).toMatchObject({ apiKey: key });
    expect(await later.diff(id, updated.properties, inputs)).toMatchObject({ changes: false });
    await later.delete(id, updated.properties);
    expect(sandbox.apiKeys).toEqual([]);
    expect(sandbox.requests.filter(({ method }) => method === "POST")).toHaveLength(1);
  });

  it("can be deleted at once when the mapping has been set", async () => {
    const { sandbox, plugin } = await start({ shape: "unreadable" });
    const { initFailure } = await errorOf(plugin.create(inputs));
    const later = await pluginFor({ config: { ...configFor(sandbox), ...MAPPING } });
    await later.delete("key-1", initFailure?.properties ?? {});
    expect(sandbox.apiKeys).toEqual([]);
  });

  it.each(["truncate", "resetMidBody", "html"] as const)("because of %s keeps what came", async (kind) => {
    const { sandbox, plugin } = await start();
    sandbox.inject(
      kind === "truncate" ? { kind, bytes: 12 } : kind === "html" ? { kind, effect: true } : { kind },
    );
    const { initFailure, message } = await errorOf(plugin.create(inputs));
    expect(initFailure?.properties).toMatchObject({ apiKey: null, response: expect.any(String) as string });
    expect(message).toContain("A key EXISTS on the server now.");
    expect(sandbox.apiKeys).toHaveLength(1);
  });

  it("with a second secret stays, although the key was found", async () => {
    const { plugin } = await start({
      shape: {
        apiKey: ({ key }) => ({ apiKey: key, signingSecret: "whsec_0123456789abcdef" }),
        webhooks: (list) => list,
      },
    });
    const { properties } = await plugin.create(inputs);
    expect(properties["response"]).toContain("whsec_0123456789abcdef");
  });
});

describe("a creation that failed", () => {
  it("is no resource", async () => {
    const { sandbox, plugin } = await start();
    sandbox.inject({ kind: "reset", operation: "createApiKey", effect: true });
    const { initFailure, message } = await errorOf(plugin.create(inputs));
    expect(initFailure).toBeUndefined();
    expect(message).toContain("A key may exist on the server");
    expect(sandbox.requests).toHaveLength(1);
  });
});

describe("a creation that has been sent", () => {
  it("is waited for longer than the operation may take, as its key would be lost", async () => {
    const { plugin } = await start(
      { latency: 600 },
      { "partners:operationTimeout": "0.3", "partners:requestTimeout": "5" },
    );
    expect((await plugin.create(inputs)).properties["apiKey"]).toEqual(expect.any(String));
  });
});
