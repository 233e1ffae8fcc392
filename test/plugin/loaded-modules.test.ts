import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";

import type { Plugin } from "../support/plugin-process.ts";
import { HOOK } from "./answered.ts";
import { configFor, KEY, pluginFor, sandboxFor } from "./partners.ts";

const RECORDER = join(import.meta.dirname, "..", "support", "loaded-modules.cjs");

/** The folders of our build, and packages, that a plugin process has loaded modules from after some calls. */
async function loadedBy(calls: (plugin: Plugin) => Promise<unknown>): Promise<Set<string>> {
  const folder = await mkdtemp(join(tmpdir(), "loaded-modules-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, "modules");
  const sandbox = await sandboxFor();
  const env = { NODE_OPTIONS: `--require=${RECORDER}`, LOADED_MODULES: file };
  const plugin = await pluginFor({ config: configFor(sandbox), env });
  await calls(plugin);
  await plugin.close();
  const modules = (await readFile(file, "utf8")).split("\n");
  return new Set(
    modules.flatMap((path) => {
      const [, own] = /[\\/]provider[\\/]dist[\\/](\w+)[\\/]/.exec(path) ?? [];
      if (own !== undefined) return [own];
      return /[\\/]node_modules[\\/]undici[\\/]/.test(path) ? ["undici"] : [];
    }),
  );
}

it("a process that only compares loads neither undici nor what is for programs and people", async () => {
  const loaded = await loadedBy(async (plugin) => {
    await plugin.check(HOOK, HOOK);
    await plugin.diff("101", HOOK, HOOK);
    await plugin.check(KEY, KEY);
    await plugin.delete("101", HOOK);
  });
  expect([...loaded].sort()).toEqual(["api", "plugin"]);
});

it("a process that sends requests loads undici, and still nothing of the sandbox and the command line", async () => {
  const loaded = await loadedBy((plugin) => plugin.read("101", HOOK));
  expect([...loaded].sort()).toEqual(["api", "plugin", "undici"]);
});
