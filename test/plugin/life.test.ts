import { describe, expect, it } from "vitest";

import { configFor, HOOK, KEY, plain, pluginFor, sandboxFor, start, takeRequests } from "./partners.ts";
import { HOSTS, type Properties } from "./plugin-process.ts";

describe.each(HOSTS)("in the %s host", (host) => {
  it("a key is created, refreshed, rotated in place twice and deleted, without unnecessary requests", async () => {
    const { sandbox, plugin } = await start({}, { host });
    const inputs = (trigger: string) => ({ ...KEY, rotation: { trigger, overlapDays: 7 } });
    const held = (outputs: Properties): Properties => ({ __provider: KEY.__provider, ...plain(outputs) });
    const { id, properties } = await plugin.create(inputs("1"));
    const first = held(properties);
    const [key1 = ""] = sandbox.apiKeys;
    expect(id).toMatch(/^key-[0-9a-f-]{36}$/);
    expect(first).toMatchObject({ apiKey: key1, hint: key1.slice(-4), server: sandbox.url });
    expect(first["fingerprint"]).toMatch(/^sha256:[0-9a-f]{16}$/);
    const response = { body: JSON.stringify({ apiKey: key1 }), encoding: "utf8", complete: true };
    expect(first["response"]).toEqual(response);
    expect(takeRequests(sandbox)).toBe("POST");

    const found = await plugin.read(id, first);
    expect([found.id, held(found.properties)]).toEqual([id, first]);
    expect(await plugin.diff(id, first, inputs("1"))).toMatchObject({ changes: false });
    expect(await plugin.diff(id, first, inputs("2"))).toMatchObject({ changes: true, replaces: [] });
    expect(takeRequests(sandbox)).toBe("");

    const second = held((await plugin.update(id, first, inputs("2"))).properties);
    const [, key2] = sandbox.apiKeys;
    expect(second).toMatchObject({ apiKey: key2, previousApiKey: key1 });
    expect(takeRequests(sandbox)).toBe("POST");
    // A rotation during the overlap first deletes the oldest key, so there are never more than two.
    const third = held((await plugin.update(id, second, inputs("3"))).properties);
    expect(third).toMatchObject({ apiKey: sandbox.apiKeys[1], previousApiKey: key2 });
    expect(takeRequests(sandbox)).toBe("DELETE POST");
    await plugin.delete(id, third);
    expect(sandbox.apiKeys).toEqual([]);
    expect(takeRequests(sandbox)).toBe("DELETE DELETE");
  });

  it("a webhook is created, drifts, is repaired, restored and removed, each in a separate process", async () => {
    const sandbox = await sandboxFor();
    const newPlugin = () => pluginFor({ host, config: configFor(sandbox) });
    const creating = await newPlugin();
    const { inputs, failures } = await creating.check({ ...HOOK, stateOnDestroy: "restore" });
    expect(failures).toEqual([]);
    const news = { ...HOOK, ...inputs };
    const { id, properties } = await creating.create(news);
    expect([id, properties["state"], properties["initialState"]]).toEqual(["101", "disabled", "active"]);
    expect(takeRequests(sandbox)).toBe("GET PATCH");
    const created = { ...HOOK, ...properties };
    expect(await creating.diff(id, created, news)).toMatchObject({ changes: false });

    sandbox.setWebhookState(101, "active");
    const drifted = await (await newPlugin()).read(id, created, news);
    expect(drifted).toMatchObject({ id, inputs: { ...inputs, state: "active" } }); // The engine shows drift as a difference in inputs.
    expect(drifted.properties).toMatchObject({ state: "active", initialState: "active" });
    expect(takeRequests(sandbox)).toBe("GET");

    const updating = await newPlugin();
    expect((await updating.check(news, news)).failures).toEqual([]);
    const olds = { ...HOOK, ...drifted.properties };
    expect(await updating.diff(id, olds, news)).toMatchObject({ changes: true, replaces: [] });
    const { properties: repaired } = await updating.update(id, olds, news);
    expect(sandbox.webhooks.get(101)).toBe("disabled");
    expect(takeRequests(sandbox)).toBe("GET PATCH");
    const deleting = await newPlugin();
    await deleting.delete(id, { ...HOOK, ...repaired });
    expect(sandbox.webhooks.get(101)).toBe("active");
    expect(takeRequests(sandbox)).toBe("GET PATCH");

    sandbox.removeWebhook(101);
    expect((await (await newPlugin()).read(id, { ...HOOK, ...repaired })).id).toBe("");
  });
});
