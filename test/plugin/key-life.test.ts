import { describe, expect, it } from "vitest";

import type { Properties } from "../support/plugin-process.ts";
import { configFor, errorOf, KEY, MAPPING, pluginFor, start, takeRequests, until } from "./partners.ts";

const DAY = 86_400_000;

function inputs(trigger: string): Properties {
  return { ...KEY, rotation: { trigger, overlapDays: 7 } };
}

/** The same state so many days later. */
function aged(outputs: Properties, days: number): Properties {
  const shifted = ["createdAt", "rotatedAt", "previousExpiresAt"].map((name) => {
    const time = outputs[name];
    const earlier = typeof time === "string" ? new Date(Date.parse(time) - days * DAY).toISOString() : time;
    return [name, earlier] as const;
  });
  return { ...outputs, ...Object.fromEntries(shifted) };
}

describe("one life of a key", () => {
  it.each(["base64url", "hostile"] as const)(
    "in %s: created, refreshed, rotated in place, expired, deleted, with no request too many",
    async (keyAlphabet) => {
      // Keys with these characters are not recognised without a pointer.
      const { sandbox, plugin } = await start(
        { keyAlphabet },
        { "partners:responses": '{"apiKey":"/apiKey"}' },
      );
      const { id, properties: first } = await plugin.create(inputs("1"));
      const [key1 = ""] = sandbox.apiKeys;
      expect(id).toMatch(/^key-[0-9a-f-]{36}$/);
      expect(first).toMatchObject({
        apiKey: key1,
        hint: key1.slice(-4),
        server: sandbox.url,
        previousApiKey: null,
      });
      expect(first["fingerprint"]).toMatch(/^sha256:[0-9a-f]{16}$/);
      expect(first["response"]).toEqual({
        body: JSON.stringify({ apiKey: key1 }),
        encoding: "utf8",
        complete: true,
      });
      expect(takeRequests(sandbox)).toBe("POST");

      expect(await plugin.read(id, first)).toMatchObject({ id, properties: first });
      expect(await plugin.diff(id, first, inputs("1"))).toMatchObject({ changes: false });
      expect(takeRequests(sandbox)).toBe("");

      expect(await plugin.diff(id, first, inputs("2"))).toMatchObject({ changes: true, replaces: [] });
      await until(() => plugin.stderr().endsWith("\n"));
      expect(plugin.stderr()).toMatch(/^pulumi-partners: key sha256:\w+ is rotated .*trigger.*\n$/);
      const { properties: second } = await plugin.update(id, first, inputs("2"));
      const key2 = sandbox.apiKeys[1];
      expect(second).toMatchObject({ apiKey: key2, previousApiKey: key1 });
      expect(takeRequests(sandbox)).toBe("POST");

      // A rotation during the overlap deletes the oldest key first, so that there are never more than two.
      const { properties: third } = await plugin.update(id, second, inputs("3"));
      expect(third).toMatchObject({ apiKey: sandbox.apiKeys[1], previousApiKey: key2 });
      expect(takeRequests(sandbox)).toBe("DELETE POST");

      expect(await plugin.diff(id, aged(third, 6), inputs("3"))).toMatchObject({ changes: false });
      expect(await plugin.diff(id, aged(third, 7), inputs("3"))).toMatchObject({
        changes: true,
        replaces: [],
      });
      const { properties: fourth } = await plugin.update(id, aged(third, 7), inputs("3"));
      expect(fourth).toMatchObject({
        apiKey: third["apiKey"],
        previousApiKey: null,
        previousExpiresAt: null,
      });
      expect(sandbox.apiKeys).toEqual([third["apiKey"]]);
      expect(takeRequests(sandbox)).toBe("DELETE");

      await plugin.delete(id, fourth);
      expect(sandbox.apiKeys).toEqual([]);
      expect(takeRequests(sandbox)).toBe("DELETE");
    },
  );
});

it("a key that the service does not find counts as deleted, with one warning that names its fingerprint", async () => {
  const { sandbox, plugin } = await start();
  const held = { ...KEY, apiKey: "no-such-key-0123456789", server: sandbox.url };
  await plugin.delete("key-1", held);
  await plugin.delete("key-1", held);
  expect(takeRequests(sandbox)).toBe("DELETE GET DELETE");
  await until(() => plugin.stderr().endsWith("\n"));
  expect(plugin.stderr()).toMatch(/^pulumi-partners: key sha256:[0-9a-f]{16} was not found .*404.*\n$/);
});

describe("a rotation in place that stops half-way", () => {
  it("forgets the previous key that it has deleted, keeps the present one, and goes on from there", async () => {
    const { sandbox, plugin } = await start();
    const { id, properties } = await plugin.create(inputs("1"));
    const { properties: rotated } = await plugin.update(id, properties, inputs("2"));
    sandbox.inject({ kind: "status", operation: "createApiKey", status: 403 });
    const { message, initFailure } = await errorOf(plugin.update(id, rotated, inputs("3")));
    expect(message).toMatch(/^The previous key is deleted\..*403.*\[PARTNERS_STATUS\]$/);
    const kept = initFailure?.properties ?? {};
    expect(kept).toMatchObject({ apiKey: rotated["apiKey"], previousApiKey: null });
    const { properties: next } = await plugin.update(id, kept, inputs("3"));
    expect(sandbox.apiKeys).toEqual([next["previousApiKey"], next["apiKey"]]);
  });

  it("keeps a key that it cannot read next to the one in use, and promotes it later without another POST", async () => {
    const { sandbox, plugin } = await start({ shape: "unreadable" });
    const mapped = await pluginFor({ config: { ...configFor(sandbox), ...MAPPING } });
    const { id, properties: first } = await mapped.create(inputs("1"));
    const { initFailure, message } = await errorOf(plugin.update(id, first, inputs("2")));
    const [old = "", fresh = ""] = sandbox.apiKeys;
    const kept = initFailure?.properties ?? {};
    expect(initFailure?.id).toBe(id);
    expect(kept).toMatchObject({ apiKey: old, previousApiKey: null });
    expect(JSON.stringify(kept["internal"])).toContain(fresh);
    expect(message).toMatch(/key from before stays in use.*\[PARTNERS_UNREADABLE\]$/);
    expect((await errorOf(plugin.update(id, kept, inputs("3")))).initFailure?.properties).toEqual(kept);
    const { properties: settled } = await mapped.update(id, kept, inputs("2"));
    expect(settled).toMatchObject({ apiKey: fresh, previousApiKey: old });
    expect(takeRequests(sandbox)).toBe("POST POST");
    await mapped.delete(id, kept); // Also before it was promoted: the mapping finds it.
    expect(sandbox.apiKeys).toEqual([]);
  });
});
