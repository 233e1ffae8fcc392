import { describe, expect, it } from "vitest";

import type { Properties } from "../support/plugin-process.ts";
import { configFor, errorOf, KEY, pluginFor, start } from "./partners.ts";

const FIRST = "pk_live_existing_key_0001";
const OTHER = "pk_live_existing_key_0002";
const apiKeys = [FIRST, OTHER];

function inputs(existingApiKey: string | null = FIRST, rotation: Properties = {}): Properties {
  return { ...KEY, account: "default", rotation, ...(existingApiKey !== null && { existingApiKey }) };
}

describe("an existing key", () => {
  it("is adopted without a request, and deleted with the resource by an operation without a program", async () => {
    const { sandbox, plugin } = await start({ apiKeys });
    const { inputs: checked, failures } = await plugin.check(inputs());
    expect(failures).toEqual([]);
    const { id, properties } = await plugin.create(checked);
    expect(sandbox.requests).toEqual([]);
    expect(properties).toMatchObject({ apiKey: FIRST, hint: "0001", previousApiKey: null, response: null });
    expect(properties).not.toHaveProperty("existingApiKey"); // It would be stored in clear once the argument is removed.
    const destroying = await pluginFor({ config: configFor(sandbox) });
    await destroying.delete(id, properties);
    expect(sandbox.apiKeys).toEqual([OTHER]);
  });

  it("changes nothing when the argument is removed", async () => {
    const { plugin } = await start({ apiKeys });
    const { id, properties } = await plugin.create(inputs());
    expect(await plugin.diff(id, properties, inputs())).toMatchObject({ changes: false });
    expect(await plugin.diff(id, properties, inputs(null))).toMatchObject({ changes: false });
  });

  it("rotates in place, and is deleted by the next update where there is no overlap", async () => {
    const { sandbox, plugin } = await start({ apiKeys });
    const { id, properties } = await plugin.create(inputs());
    const due = inputs(FIRST, { trigger: "1" });
    expect(await plugin.diff(id, properties, due)).toMatchObject({ changes: true, replaces: [] });
    const { properties: rotated } = await plugin.update(id, properties, due);
    expect(rotated).toMatchObject({ apiKey: sandbox.apiKeys[2], previousApiKey: FIRST });
    // The program still names the first key; it is neither adopted again nor kept.
    expect(await plugin.diff(id, rotated, due)).toMatchObject({ changes: true, replaces: [] });
    const { properties: later } = await plugin.update(id, rotated, due);
    expect(sandbox.apiKeys).toEqual([OTHER, rotated["apiKey"]]);
    expect(await plugin.diff(id, later, due)).toMatchObject({ changes: false });
  });

  it.each([
    ["kept for the overlap, then deleted", 7],
    ["deleted by the next update", 0],
  ])("gives way to another one, and is %s", async (_what, overlapDays) => {
    const { sandbox, plugin } = await start({ apiKeys });
    const { id, properties } = await plugin.create(inputs());
    const changed = inputs(OTHER, { overlapDays });
    expect(await plugin.diff(id, properties, changed)).toMatchObject({ changes: true, replaces: [] });
    const { properties: adopted } = await plugin.update(id, properties, changed);
    expect(sandbox.requests).toEqual([]);
    expect(adopted).toMatchObject({ apiKey: OTHER, previousApiKey: FIRST });
    expect(plugin.stderr()).toContain("another key takes the place of key sha256:");
    for (const key of apiKeys) expect(plugin.stderr()).not.toContain(key);
    expect(await plugin.diff(id, adopted, changed)).toMatchObject({ changes: overlapDays === 0 });
    if (overlapDays === 0) {
      const later = await pluginFor({ config: configFor(sandbox) });
      await later.update(id, adopted, changed);
      expect(sandbox.apiKeys).toEqual([OTHER]);
    }
  });

  it("can be taken back while it is the previous key", async () => {
    const { sandbox, plugin } = await start({ apiKeys });
    const { id, properties } = await plugin.create(inputs());
    const { properties: adopted } = await plugin.update(id, properties, inputs(OTHER, { overlapDays: 7 }));
    const { properties: back } = await plugin.update(id, adopted, inputs(FIRST, { overlapDays: 7 }));
    expect(back).toMatchObject({ apiKey: FIRST, previousApiKey: OTHER });
    expect(sandbox.apiKeys).toEqual(apiKeys);
  });

  it("survives a rename and a replacement, in whichever order the engine does it", async () => {
    const { sandbox, plugin } = await start({ apiKeys });
    const { inputs: checked } = await plugin.check(inputs());
    const { id, properties } = await plugin.create(checked);
    await plugin.create(checked);
    await plugin.delete(id, properties);
    const deletingFirst = await pluginFor({ config: configFor(sandbox) });
    await deletingFirst.check(inputs(), checked);
    await deletingFirst.delete(id, properties);
    expect(sandbox.apiKeys).toEqual(apiKeys);
    expect(deletingFirst.stderr()).toContain("a key that existingApiKey names is kept");
  });

  it("that was rotated since is not lost by a rename that names the old one", async () => {
    const { sandbox, plugin } = await start({ apiKeys });
    const { id, properties } = await plugin.create(inputs());
    const { properties: rotated } = await plugin.update(id, properties, inputs(FIRST, { trigger: "1" }));
    await plugin.create(inputs());
    const { message } = await errorOf(plugin.delete(id, rotated));
    expect(message).toContain("the key in use would be lost");
    expect(sandbox.apiKeys).toContain(rotated["apiKey"]);
  });

  it("is refused where keys are deleted by an id that is not known of it", async () => {
    const { plugin } = await start({ apiKeys }, { "partners:responses": '{"apiKeyId":"/apiKey/id"}' });
    const { failures } = await plugin.check(inputs());
    expect(failures.map(({ reason }) => reason).join()).toContain("Use an import file that gives keyId");
  });

  it("is not repeated by the failure that it causes", async () => {
    const { plugin } = await start();
    const { failures } = await plugin.check(inputs("pk_live_…0001"));
    expect(JSON.stringify(failures)).toContain("existingApiKey must be the whole key");
    expect(JSON.stringify(failures)).not.toContain("0001");
  });
});
