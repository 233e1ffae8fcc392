import { onTestFinished, vi } from "vitest";
import type { Sandbox, SandboxOptions } from "../support/sandbox.ts";

import type { Operation } from "../../provider/src/api/operations.js";
import { startGate, type Gate } from "../support/gate.ts";
import type { Plugin, PluginOptions } from "../support/plugin-process.ts";
import { configFor, KEY, pluginFor, sandboxFor, WEBHOOK } from "./partners.ts";

const key = { ...KEY, account: "default" };
const webhook = {
  ...WEBHOOK,
  webhookId: 101,
  state: "disabled",
  stateOnDestroy: "leave",
  account: "default",
};

/** Calls of the engine, by what they ask of the server last. */
export const CALLS = {
  createApiKey: (plugin: Plugin) => plugin.create(key),
  deleteApiKey: (plugin: Plugin) =>
    plugin.delete("key-1", { ...key, apiKey: "a-key-that-is-in-state", keyId: null }),
  listWebhooks: (plugin: Plugin) => plugin.read("101", webhook),
  disableWebhook: (plugin: Plugin) => plugin.create(webhook),
} satisfies Partial<Record<Operation, (plugin: Plugin) => Promise<unknown>>>;

/** What a stop does to each call that is under way, a creation apart: its answer is waited for. */
export const EFFECTS = [
  { call: "listWebhooks", effect: "Nothing was changed on the server." },
  { call: "disableWebhook", effect: "The webhook may have been changed." },
  { call: "deleteApiKey", effect: "The key may already be deleted." },
] as const;

/** A plugin whose requests can be held on their way to its sandbox. */
export async function startHeld(
  { config = {}, ...options }: PluginOptions = {},
  sandboxOptions: SandboxOptions = {},
): Promise<{ sandbox: Sandbox; gate: Gate; plugin: Plugin }> {
  const sandbox = await sandboxFor(sandboxOptions);
  const gate = await startGate();
  onTestFinished(() => gate.close());
  gate.leadTo(sandbox.url);
  const plugin = await pluginFor({
    config: { ...configFor(sandbox), "partners:baseUrl": gate.url, ...config },
    ...options,
  });
  return { sandbox, gate, plugin };
}

/** Waits until the server has been asked, and has answered with the status unless that is `null`. */
export async function untilAsked(
  sandbox: Sandbox,
  operation: Operation,
  status: number | null,
): Promise<void> {
  const matches = (): boolean =>
    sandbox.requests.some((request) => request.operation === operation && request.status === status);
  await vi.waitUntil(matches, { interval: 5, timeout: 10_000 });
}

/** Waits until the plugin has said something on stderr. */
export async function said(plugin: Plugin, words: string): Promise<void> {
  await vi.waitUntil(() => plugin.stderr().includes(words), { interval: 5, timeout: 10_000 });
}
