import { afterEach, describe, expect, test } from "vitest";
import { type Plugin, type PluginOptions, startPlugin } from "../support/plugin-process.ts";

/** A provider small enough to see through: what comes back is what the host and the harness made of it. */
const PROVIDER = `
  let settings;
  exports.handler = () => ({
    configure({ config }) { settings = { a: config.get("ns:a") ?? null, variable: process.env.PARTNERS_SUPPORT_TEST ?? null }; },
    async check(olds, news) {
      return { inputs: { ...news, old: olds.value ?? null }, failures: news.bad ? [{ property: "bad", reason: "is bad" }] : [] };
    },
    async diff(id, olds, news) { return { changes: olds.value !== news.value, replaces: ["value"], deleteBeforeReplace: true }; },
    async create(news) {
      if (news.hang) await new Promise(() => {});
      if (news.fail) throw Object.assign(new Error("hidden"), { id: "kept", properties: news, reasons: ["the reason"] });
      console.log("created");
      return { id: "one", outs: { ...news, settings } };
    },
    async read(id, props) { return props.gone ? { id: "" } : { id, props, inputs: { seen: true } }; },
    async update(id, olds, news) { return { outs: { from: olds.value, to: news.value } }; },
    async delete(id) { throw new Error("cannot delete " + id); },
  })`;

function props(more: Record<string, unknown> = {}): Record<string, unknown> {
  return { __provider: PROVIDER, ...more };
}

describe("startPlugin", () => {
  let plugin: Plugin;
  afterEach(() => plugin.close());
  const start = async (options?: PluginOptions): Promise<void> => {
    plugin = await startPlugin(options);
  };

  test("carries plain objects to every handler and back", async () => {
    await start({ config: { "ns:a": "configured" }, env: { PARTNERS_SUPPORT_TEST: "given" } });
    expect(await plugin.check(props({ value: 2, bad: true }), props({ value: 1 }))).toEqual({
      inputs: props({ value: 2, bad: true, old: 1 }),
      failures: [{ property: "bad", reason: "is bad" }],
    });
    expect(await plugin.diff("one", props({ value: 1 }), props({ value: 2 }))).toEqual({
      changes: true,
      replaces: ["value"],
      deleteBeforeReplace: true,
    });
    expect(await plugin.create(props({ list: [1, null, { deep: "x" }] }))).toEqual({
      id: "one",
      properties: props({ list: [1, null, { deep: "x" }], settings: { a: "configured", variable: "given" } }),
    });
    expect(await plugin.read("one", props({ value: 1 }))).toEqual({
      id: "one",
      properties: props({ value: 1 }),
      inputs: props({ seen: true }),
    });
    expect(await plugin.read("one", props({ gone: true }))).toMatchObject({ id: "", inputs: undefined });
    expect(await plugin.update("one", props({ value: 1 }), props({ value: 2 }))).toEqual({
      properties: props({ from: 1, to: 2 }),
    });
    await expect(plugin.delete("one", props())).rejects.toMatchObject({
      name: "PluginError",
      message: "cannot delete one",
    });
    expect(plugin.stdout()).toBe("created\n");
    expect(plugin.stderr()).toContain("cannot delete one");
  });

  test("decodes an initialization failure", async () => {
    await start();
    await expect(plugin.create(props({ fail: true }))).rejects.toMatchObject({
      code: "UNKNOWN",
      initFailure: { id: "kept", properties: props({ fail: true }), reasons: ["the reason"] },
    });
  });

  test("rejects a call that hangs, and can still close", async () => {
    await start();
    await expect(plugin.create(props({ hang: true }), 200)).rejects.toMatchObject({
      code: "DEADLINE_EXCEEDED",
    });
  });

  test("keeps this machine's own settings out", async () => {
    process.env["PARTNERS_SUPPORT_TEST"] = "leaked";
    try {
      await start();
      const { properties } = await plugin.create(props());
      expect(properties["settings"]).toEqual({ a: null, variable: null });
    } finally {
      delete process.env["PARTNERS_SUPPORT_TEST"];
    }
  });

  test("leaves the order of the first calls to the test", async () => {
    await start({ configureFirst: false });
    await plugin.configure({ "ns:a": "late" });
    expect((await plugin.create(props())).properties["settings"]).toMatchObject({ a: "late" });
  });
});
