import { describe, expect, it } from "vitest";

import { HOSTS, urnOf, type Properties } from "../support/spawned-plugin.ts";
import { refuse, replaceAnswers } from "../support/sandbox.ts";
import {
  checked,
  configFor,
  created,
  errorOf,
  FLEET,
  held,
  HOOK,
  KEY,
  LIST,
  loggingEngine,
  pluginFor,
  secretValue,
  start,
  takeRequests,
} from "./support.ts";

describe.each(HOSTS)("in the %s host", (host) => {
  it("a key is created, refreshed, rotated in place and deleted, without unnecessary requests", async () => {
    const { api, plugin } = await start({ host });
    const rotated = (trigger: string) => ({ ...KEY, rotation: { trigger, overlapDays: 7 } });
    const { id, inputs, outputs } = await created(plugin, rotated("1"));
    const [first = ""] = api.keys;
    expect(id).toMatch(/^key-[0-9a-f-]{36}$/);
    const response = { body: JSON.stringify({ apiKey: first }), encoding: "utf8", isCutOff: false };
    expect(outputs).toMatchObject({ apiKey: first, hint: first.slice(-4), server: api.url, response });
    expect(takeRequests(api), "creation, after a look whether the API is there").toBe("GET POST");

    const found = await plugin.read(id, outputs);
    expect([found.id, held(found.properties, KEY)], "refresh").toEqual([id, outputs]);
    expect(await plugin.diff(id, outputs, inputs), "no change").toMatchObject({ changes: false });
    const next = await checked(plugin, rotated("2"), inputs);
    expect(await plugin.diff(id, outputs, next)).toMatchObject({ changes: true, replaces: [] });
    expect(takeRequests(api), "refresh and diff").toBe("");

    const second = held((await plugin.update(id, outputs, next)).properties, KEY);
    expect(second).toMatchObject({ apiKey: [...api.keys][1], previousApiKey: first });
    await plugin.delete(id, second);
    expect([api.keys.size, takeRequests(api)], "rotation and deletion").toEqual([0, "POST DELETE DELETE"]);
  });

  it("webhooks are set, refreshed and released, alone and as a fleet", async () => {
    const { api, plugin } = await start({ host });
    const hook = await created(plugin, { ...HOOK, stateOnDestroy: "restore" });
    const fleet = await created(plugin, { ...FLEET, states: { 102: "disabled" }, stateOnDestroy: "active" });
    expect([...api.webhooks.values()]).toEqual(["disabled", "disabled", "disabled"]);
    expect(takeRequests(api)).toBe("GET PATCH PATCH");
    api.webhooks.set(101, "active");
    const later = await pluginFor({
      host,
      config: configFor(api),
    });
    const drifted = await later.read(hook.id, hook.outputs);
    expect(drifted).toMatchObject({
      id: "101",
      properties: { state: "active" },
      inputs: { state: "active" },
    });
    await later.delete(fleet.id, fleet.outputs);
    await later.delete(hook.id, hook.outputs);
    expect([...api.webhooks.values()]).toEqual(["active", "active", "disabled"]);
    api.webhooks.delete(101);
    const last = await pluginFor({
      host,
      config: configFor(api),
    });
    expect((await last.read(hook.id, hook.outputs)).id, "gone").toBe("");
  });

  it("an ID alone is enough to read a webhook, and a key from the environment", async () => {
    const OLD_KEY = "old-key-0123456789abcdef";
    const { api, plugin } = await start({ host, env: { OLD_KEY } });
    const webhook = await plugin.read("103", { __provider: HOOK.__provider });
    expect(webhook).toMatchObject({ id: "103", properties: { webhookId: 103, state: "disabled" } });
    const { id, properties } = await plugin.read("env:OLD_KEY", KEY);
    const outputs = held(properties, KEY);
    expect([id, outputs["apiKey"]]).toEqual(["env:OLD_KEY", OLD_KEY]);
    expect(await plugin.diff(id, outputs, await checked(plugin, KEY))).toMatchObject({ changes: false });
    expect((await plugin.read("999", { __provider: HOOK.__provider })).id).toBe("");
    expect(api.keys.size).toBe(0);
  });

  it("a failed creation that reached something stays in the state, and is not repeated", async () => {
    const { api, plugin } = await start({ host });
    replaceAnswers(api, "createApiKey", () => ({ status: 201, body: { mystery: "k3y-0123456789abcdef" } }));
    const inputs = await checked(plugin, { ...KEY, __urn: urnOf(KEY.__provider) });
    const { message, initFailure } = await errorOf(plugin.create(inputs));
    expect(message).toMatch(/\/mystery.*\[PARTNERS_UNREADABLE\]$/);
    const { id = "", properties = {}, reasons } = initFailure ?? {};
    expect(reasons).toEqual([message]); // The engine shows the reasons.
    const response = { body: '{"mystery":"k3y-0123456789abcdef"}', encoding: "utf8", isCutOff: false };
    const outputs = held(properties, KEY);
    expect(outputs).toMatchObject({ apiKey: null, response, account: "default", server: api.url });
    expect(secretValue(properties["response"]) !== undefined).toBe(host === "native");
    // Without __provider, the resource could never be deleted.
    expect(properties["__provider"]).toBe(host === "dynamic" ? KEY.__provider : undefined);
    takeRequests(api);
    const repeated = await errorOf(plugin.create(inputs)); // By a retry hook.
    expect([repeated.initFailure?.id, takeRequests(api)]).toEqual([id, ""]);
  });

  it("a failed check names no property, because the engine would print its value", async () => {
    const { plugin } = await start({ host });
    for (const news of [
      { ...HOOK, state: "s3cret" },
      { ...KEY, rotation: { days: "s3cret", overlapDays: 1 } },
    ]) {
      const { failures } = await plugin.check(news);
      expect(failures.map(({ property }) => property)).toEqual([""]);
      expect(JSON.stringify(failures)).not.toContain("s3cret");
    }
  });

  it("responses contain no undefined values if the inputs and the state are incomplete", async () => {
    const { plugin } = await start({ host });
    const hook = { __provider: HOOK.__provider, webhookId: 101 };
    expect((await plugin.create(KEY)).properties).toMatchObject({ account: null, server: null });
    const updated = await plugin.update("key-1", { ...KEY, apiKey: "k".repeat(20) }, KEY);
    expect(held(updated.properties, KEY)).toMatchObject({ apiKey: "k".repeat(20), createdAt: null });
    const found = await plugin.read("101", { ...hook, state: "active", account: "default" });
    expect(found).toMatchObject({ inputs: { stateOnDestroy: "leave" } });
    const { properties } = await plugin.update("101", hook, { ...hook, state: "active" });
    expect(properties).toMatchObject({ state: "active", stateOnDestroy: "leave" });
  });

  it("debug lines, progress and warnings reach the engine before the response", async () => {
    const { address: engineAddress, messages } = await loggingEngine();
    const { api, plugin } = await start({ host, engineAddress, env: { PARTNERS_DEBUG: "1" } });
    const urn = urnOf(KEY.__provider);
    const resource = host === "native" ? { urn } : { urn: "" };
    const sender = host === "native" ? "" : "pulumi-partners: ";
    await plugin.create({ ...KEY, account: "default" });
    const line = (text: RegExp) => ({ severity: 1, ephemeral: false, ...resource, message: match(text) });
    expect(messages.splice(0)).toEqual([
      expect.objectContaining(
        line(new RegExp(`^${sender}listWebhooks GET .* status=200 attempt=1 ms=\\d+$`)),
      ),
      expect.objectContaining(
        line(new RegExp(`^${sender}createApiKey POST .* status=201 attempt=1 ms=\\d+$`)),
      ),
    ]);
    refuse(api, "deleteApiKey", 503);
    await plugin.delete("key-1", { ...KEY, apiKey: "no-such-key-0123456789abcdef" });
    expect(messages).toContainEqual(
      expect.objectContaining({ ephemeral: true, ...resource, message: match(/retrying in/) }),
    );
    expect(messages).toContainEqual(
      expect.objectContaining({ severity: 2, ...resource, message: match(/key …cdef/) }),
    );
    expect(plugin.stderr()).toBe("");
  });

  // gRPC cannot encode lone surrogates: one host would end, with all keys in flight, and the other would
  // never respond.
  it("an error that is cut within a character, or contains half of one, is reported", async () => {
    const { api, plugin } = await start({ host });
    for (const message of [`No! ${"😀".repeat(99)}`, "No \ud83d"]) {
      replaceAnswers(api, "createApiKey", () => ({ status: 400, body: { message } }), 1);
      const { message: reported } = await errorOf(plugin.create(KEY, { deadlineMs: 5000 }));
      expect(reported).toMatch(/\[PARTNERS_STATUS\]$/);
    }
    expect((await plugin.create(KEY)).id).toMatch(/^key-/);
  });
});

describe("the dynamic host", () => {
  it("lists the webhooks as JSON text, and keeps the list in a refresh", async () => {
    const { api, plugin } = await start();
    const { id, properties } = await plugin.read("webhooks", LIST);
    const list = JSON.parse(String(properties["webhooks"])) as Properties[];
    expect(list[0]).toEqual({ webhookId: 101, state: "active", record: { webhookId: 101, state: "active" } });
    expect(await plugin.read(id, { ...LIST, ...properties })).toMatchObject({ properties });
    expect(takeRequests(api)).toBe("GET");
  });

  it("prints nothing besides an error, and names the settings of the last up where they may count", async () => {
    for (const [status, namesLastUp, act] of [
      [401, false, (plugin) => plugin.read("webhooks", LIST)],
      [403, false, (plugin) => plugin.read("102", { __provider: HOOK.__provider })],
      [404, true, (plugin) => plugin.read("101", { ...HOOK, account: "default" })],
      [401, true, (plugin) => plugin.delete("key-1", { ...KEY, apiKey: "canary-key-0123456789" })],
    ] satisfies [number, boolean, (plugin: Awaited<ReturnType<typeof pluginFor>>) => Promise<unknown>][]) {
      const { api, plugin } = await start();
      for (const operation of ["listWebhooks", "deleteApiKey"] as const)
        refuse(api, operation, status, Infinity);
      const { message, initFailure } = await errorOf(act(plugin));
      expect(message).toMatch(new RegExp(`the server returned ${status}.*\\[PARTNERS_STATUS\\]$`));
      expect(message.includes("--run-program")).toBe(namesLastUp);
      expect(initFailure).toBeUndefined();
      await plugin.close();
      expect(plugin.stdout() + plugin.stderr()).toBe("");
    }
  });
});

function match(pattern: RegExp): string {
  return expect.stringMatching(pattern) as string;
}
