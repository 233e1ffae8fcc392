import { onTestFinished } from "vitest";

import { startSandbox, type Sandbox, type SandboxOptions } from "../support/sandbox.ts";
import { PARTNER_API_KEY, PARTNER_WEBHOOK_STATE } from "../../provider/src/resources/registration.js";
import { PluginError, startPlugin, type Plugin, type PluginOptions } from "../support/plugin-process.ts";

/** The strings that a program sends, by which the host finds our handlers. */
export const KEY = { __provider: PARTNER_API_KEY.__provider };
export const WEBHOOK = { __provider: PARTNER_WEBHOOK_STATE.__provider };

/** A sandbox that ends with the test. */
export async function sandboxFor(options?: SandboxOptions): Promise<Sandbox> {
  const sandbox = await startSandbox(options);
  onTestFinished(() => sandbox.close());
  return sandbox;
}

/** The stack configuration of a sandbox's account. */
export function configFor(sandbox: Sandbox): Record<string, string> {
  return { "partners:baseUrl": sandbox.url, "partners:accessToken": sandbox.accessToken };
}

/** A plugin process that ends with the test. */
export async function pluginFor(options: PluginOptions): Promise<Plugin> {
  const plugin = await startPlugin(options);
  onTestFinished(() => plugin.close());
  return plugin;
}

/** A sandbox and a plugin that is configured for it. */
export async function start(
  options?: SandboxOptions,
  config: Record<string, string> = {},
): Promise<{ sandbox: Sandbox; plugin: Plugin }> {
  const sandbox = await sandboxFor(options);
  return { sandbox, plugin: await pluginFor({ config: { ...configFor(sandbox), ...config } }) };
}

/** The error that a call ends with. */
export async function errorOf(call: Promise<unknown>): Promise<PluginError> {
  const error = await call.then(
    () => null,
    (reason: unknown) => reason,
  );
  if (error instanceof PluginError) return error;
  throw new Error("expected the call to fail with a PluginError");
}
