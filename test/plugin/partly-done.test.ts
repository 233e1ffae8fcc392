import { expect, it } from "vitest";

import type { Sandbox } from "../support/sandbox.ts";
import type { Plugin, Properties } from "../support/plugin-process.ts";
import { errorOf, KEY, start } from "./partners.ts";

function inputs(trigger: string): Properties {
  return { ...KEY, account: "default", rotation: { trigger, overlapDays: 7 } };
}

interface Rotated {
  readonly sandbox: Sandbox;
  readonly plugin: Plugin;
  readonly id: string;
  readonly outputs: Properties;
}

/** A key that was rotated, so that there are two. */
async function rotated(options: Parameters<typeof start>[0] = {}): Promise<Rotated> {
  const { sandbox, plugin } = await start(options);
  const { id, properties } = await plugin.create(inputs("1"));
  const { properties: outputs } = await plugin.update(id, properties, inputs("2"));
  return { sandbox, plugin, id, outputs };
}

it("a deletion that fails after one of the keys is deleted says so, and the next one deletes the rest", async () => {
  const { sandbox, plugin, id, outputs } = await rotated();
  sandbox.inject({ kind: "status", operation: "deleteApiKey", status: 403, skip: 1 });
  const { message } = await errorOf(plugin.delete(id, outputs));
  expect(sandbox.apiKeys).toEqual([outputs["apiKey"]]);
  expect(message).toContain("A key of this resource is deleted. What came next failed: ");
  expect(message).toContain("Nothing else was changed on the server. The access token does not permit this");
  expect(message).toMatch(/ \[PARTNERS_STATUS\]$/);
  await plugin.delete(id, outputs);
  expect(sandbox.apiKeys).toEqual([]);
});

it("a deletion of which the first part fails says that nothing was changed", async () => {
  const { sandbox, plugin, id, outputs } = await rotated();
  sandbox.inject({ kind: "status", operation: "deleteApiKey", status: 403 });
  const { message } = await errorOf(plugin.delete(id, outputs));
  expect(message).toContain("the server answered 403");
  expect(message).toContain("Nothing was changed on the server.");
  expect(message).not.toContain("is deleted");
  expect(sandbox.apiKeys).toHaveLength(2);
});

it("a rotation that fails after the previous key is deleted says so", async () => {
  const { sandbox, plugin, id, outputs } = await rotated();
  sandbox.inject({ kind: "status", operation: "createApiKey", status: 403 });
  const { message, initFailure } = await errorOf(plugin.update(id, outputs, inputs("3")));
  expect(message).toContain("The previous key is deleted. What came next failed: createApiKey");
  expect(message).toContain("Nothing else was changed on the server.");
  expect(initFailure?.reasons).toEqual([message]);
  expect(sandbox.apiKeys).toEqual([outputs["apiKey"]]);
});

it("a rotation whose answer cannot be read says that the previous key is deleted, too", async () => {
  const { sandbox, plugin, id, outputs } = await rotated();
  sandbox.inject({ kind: "truncate", operation: "createApiKey", bytes: 5 });
  const { message } = await errorOf(plugin.update(id, outputs, inputs("3")));
  expect(message).toContain("The previous key is deleted. What came next failed: createApiKey");
  expect(message).toContain("A key EXISTS on the server now.");
  expect(sandbox.apiKeys).not.toContain(outputs["previousApiKey"]);
});
