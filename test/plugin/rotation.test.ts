import { describe, expect, it } from "vitest";

import type { Properties } from "../support/plugin-process.ts";
import { configFor, errorOf, KEY, pluginFor, start } from "./partners.ts";

const OVERLAP = { overlapDays: 7 };
const DAY = 86_400_000;
const MAPPING = { "partners:responses": '{"apiKey":"/result/token"}' };

function inputs(rotation: Properties = OVERLAP, more: Properties = {}): Properties {
  return { ...KEY, account: "default", rotation, ...more };
}

/** As many days later: nothing but the times in state tells. */
function aged(outputs: Properties, days: number): Properties {
  const earlier = (time: unknown): unknown =>
    typeof time === "string" ? new Date(Date.parse(time) - days * DAY).toISOString() : time;
  const { createdAt, rotatedAt, previousExpiresAt } = outputs;
  return {
    ...outputs,
    createdAt: earlier(createdAt),
    rotatedAt: earlier(rotatedAt),
    previousExpiresAt: earlier(previousExpiresAt),
  };
}

describe("a rotation with overlap", () => {
  it("makes a key, keeps the old one for the time of overlap, and deletes it then", async () => {
    const { sandbox, plugin } = await start({ shape: "nested" });
    const { id, properties: first } = await plugin.create(inputs());
    const due = inputs({ ...OVERLAP, trigger: "2" });
    expect(await plugin.diff(id, first, due)).toMatchObject({ changes: true, replaces: [] });
    const { properties: second } = await plugin.update(id, first, due);
    const [old, present] = sandbox.apiKeys;
    expect(second).toMatchObject({
      apiKey: present,
      previousApiKey: old,
      hint: present?.slice(-4),
      response: null,
    });
    expect(second["keyId"]).not.toBe(first["keyId"]);
    expect(second["fingerprint"]).not.toBe(first["fingerprint"]);
    const { rotatedAt, previousExpiresAt } = second as Record<string, string>;
    expect(Date.parse(previousExpiresAt ?? "") - Date.parse(rotatedAt ?? "")).toBe(7 * DAY);

    expect(await plugin.diff(id, second, due)).toMatchObject({ changes: false });
    expect(await plugin.diff(id, aged(second, 6), due)).toMatchObject({ changes: false });
    expect(await plugin.diff(id, aged(second, 7), due)).toMatchObject({ changes: true, replaces: [] });
    const { properties: third } = await plugin.update(id, aged(second, 7), due);
    expect(sandbox.apiKeys).toEqual([present]);
    expect(third).toMatchObject({ apiKey: present, previousApiKey: null, previousExpiresAt: null });
    await plugin.delete(id, third);
    expect(sandbox.apiKeys).toEqual([]);
  });

  it("within the time of overlap first deletes the older key, so that there are never more than two", async () => {
    const { sandbox, plugin } = await start();
    const { id, properties: first } = await plugin.create(inputs());
    const { properties: second } = await plugin.update(id, first, inputs({ ...OVERLAP, trigger: "2" }));
    sandbox.clearRequests();
    const { properties: third } = await plugin.update(id, second, inputs({ ...OVERLAP, trigger: "3" }));
    expect(sandbox.requests.map(({ method }) => method)).toEqual(["DELETE", "POST"]);
    expect(sandbox.apiKeys).toEqual([third["previousApiKey"], third["apiKey"]]);
    expect(third["previousApiKey"]).toBe(second["apiKey"]);
    await plugin.delete(id, third);
    expect(sandbox.apiKeys).toEqual([]);
  });

  it("deletes both by their ids where the mapping says so", async () => {
    const { sandbox, plugin } = await start(
      { shape: "byId" },
      { "partners:responses": '{"apiKeyId":"/apiKey/id"}' },
    );
    const { id, properties } = await plugin.create(inputs());
    const { properties: second } = await plugin.update(id, properties, inputs({ ...OVERLAP, trigger: "2" }));
    expect(sandbox.apiKeys).toHaveLength(2);
    await plugin.delete(id, second);
    expect(sandbox.apiKeys).toEqual([]);
  });

  it("is not done twice because the inputs in state are old ones", async () => {
    const { sandbox, plugin } = await start();
    const { id, properties } = await plugin.create(inputs({ ...OVERLAP, afterDays: 30 }));
    const due = aged(properties, 30);
    const { properties: rotated } = await plugin.update(id, due, inputs({ ...OVERLAP, afterDays: 30 }));
    expect(await plugin.diff(id, rotated, inputs({ ...OVERLAP, afterDays: 30 }))).toMatchObject({
      changes: false,
    });
    expect(sandbox.apiKeys).toHaveLength(2);
  });
});

describe("a rotation that stops half-way", () => {
  it("because the answer is unreadable keeps all keys, and goes on without making another", async () => {
    const { sandbox, plugin } = await start({ shape: "unreadable" });
    const mapped = await pluginFor({ config: { ...configFor(sandbox), ...MAPPING } });
    const { id, properties: first } = await mapped.create(inputs());
    const due = inputs({ ...OVERLAP, trigger: "2" });
    const { initFailure, message } = await errorOf(plugin.update(id, first, due));
    const [old = "", fresh = ""] = sandbox.apiKeys;
    expect(message).toContain("A key EXISTS on the server now.");
    expect(message).not.toContain(fresh);
    expect(initFailure?.id).toBe(id);
    const kept = initFailure?.properties ?? {};
    expect(kept).toMatchObject({ apiKey: old, previousApiKey: null });
    expect(JSON.stringify(kept["memory"])).toContain(fresh);

    // Whatever the program says meanwhile, the answer is read first.
    const impatient = inputs({ ...OVERLAP, trigger: "3" });
    expect(await plugin.diff(id, kept, impatient)).toMatchObject({ changes: true, replaces: [] });
    expect((await errorOf(plugin.update(id, kept, impatient))).initFailure?.properties).toEqual(kept);
    expect((await errorOf(plugin.delete(id, kept))).message).toContain("the key is not known yet");
    expect(sandbox.apiKeys).toEqual([old, fresh]);

    const { properties: settled } = await mapped.update(id, kept, due);
    expect(settled).toMatchObject({ apiKey: fresh, previousApiKey: old });
    expect(await mapped.diff(id, settled, due)).toMatchObject({ changes: false });
    expect(sandbox.requests.filter(({ method }) => method === "POST")).toHaveLength(2);
    await mapped.delete(id, kept); // Also before it was settled: the mapping finds it.
    expect(sandbox.apiKeys).toEqual([]);
  });

  it("between deleting the older key and making a new one forgets the older key, and goes on", async () => {
    const { sandbox, plugin } = await start();
    const { id, properties: first } = await plugin.create(inputs());
    const { properties: second } = await plugin.update(id, first, inputs({ ...OVERLAP, trigger: "2" }));
    sandbox.inject({ kind: "status", operation: "createApiKey", status: 403 });
    const due = inputs({ ...OVERLAP, trigger: "3" });
    const { initFailure } = await errorOf(plugin.update(id, second, due));
    const kept = initFailure?.properties ?? {};
    expect(kept).toMatchObject({ apiKey: second["apiKey"], previousApiKey: null, previousExpiresAt: null });
    expect(sandbox.apiKeys).toEqual([second["apiKey"]]);
    const { properties: third } = await plugin.update(id, kept, due);
    expect(sandbox.apiKeys).toEqual([third["previousApiKey"], third["apiKey"]]);
  });

  it.each([
    ["the older key cannot be deleted", "deleteApiKey"],
    ["the new key cannot be made", "createApiKey"],
  ] as const)("before anything was done, because %s, changes nothing in state", async (_what, operation) => {
    const { sandbox, plugin } = await start();
    const { id, properties: first } = await plugin.create(inputs());
    const before =
      operation === "createApiKey"
        ? first
        : (await plugin.update(id, first, inputs({ ...OVERLAP, trigger: "2" }))).properties;
    const keys = sandbox.apiKeys;
    sandbox.inject({ kind: "status", operation, status: 403 });
    const { initFailure } = await errorOf(plugin.update(id, before, inputs({ ...OVERLAP, trigger: "3" })));
    expect(initFailure).toBeUndefined();
    expect(sandbox.apiKeys).toEqual(keys);
  });

  it("because the service allows one key only says how to rotate there", async () => {
    const { sandbox, plugin } = await start({ oneKeyAtATime: true });
    const { id, properties } = await plugin.create(inputs());
    const { message } = await errorOf(plugin.update(id, properties, inputs({ ...OVERLAP, trigger: "2" })));
    expect(message).toContain("a rotation in place needs two for a while");
    expect(message).toContain("deleteBeforeReplace");
    expect(sandbox.apiKeys).toEqual([properties["apiKey"]]);
  });
});

it("afterDays without overlapDays is refused, with the reason", async () => {
  const { plugin } = await start();
  const { failures } = await plugin.check(inputs({ afterDays: 90 }));
  expect(failures).toEqual([
    { property: "", reason: expect.stringContaining("needs overlapDays beside it") as string },
  ]);
});
