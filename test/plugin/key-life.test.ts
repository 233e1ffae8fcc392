import { expect, it } from "vitest";

import type { Properties } from "../support/plugin-process.ts";
import { KEY, start, takeRequests, until } from "./partners.ts";

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

it("a key is created, refreshed, rotated in place, expired, deleted, with no request too many", async () => {
  const { sandbox, plugin } = await start();
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
