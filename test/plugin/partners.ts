import proto from "@pulumi/pulumi/proto/provider_pb.js";
import { afterAll, beforeAll, beforeEach, onTestFinished, vi } from "vitest";

import { PARTNER_API_KEY, PARTNER_WEBHOOK_STATE, PARTNER_WEBHOOKS } from "../../provider/src/registration.js";
import { startGate, type Gate } from "../support/gate.ts";
import {
  call,
  fromStruct,
  PluginError,
  startPlugin,
  type Plugin,
  type PluginOptions,
  type Properties,
} from "../support/plugin-process.ts";
import { startSandbox, type Sandbox, type SandboxOptions } from "../support/sandbox.ts";

/** Inputs of a `PartnerApiKey` as `check` completes them, with the string by which the host finds our handlers. */
export const KEY = { __provider: PARTNER_API_KEY.__provider, account: "default" };

/** Inputs of a `PartnerWebhookState`; the sandbox has 101 active. */
export const HOOK = {
  __provider: PARTNER_WEBHOOK_STATE.__provider,
  webhookId: 101,
  state: "disabled",
  stateOnDestroy: "leave",
  account: "default",
};

/** What `getPartnerWebhooks` reads with. */
export const LIST = { __provider: PARTNER_WEBHOOKS.__provider };

/** A setting under which the key of the sandbox's shape "unreadable" is found. */
export const MAPPING = { "partners:responses": '{"apiKey":"/result/token"}' };

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

/** The same for all tests of a file, as starting a process takes longest. @returns a function for the tests to call */
export function startShared(config: Record<string, string> = {}): () => { sandbox: Sandbox; plugin: Plugin } {
  let shared: { sandbox: Sandbox; plugin: Plugin };
  beforeAll(async () => {
    const sandbox = await startSandbox();
    shared = { sandbox, plugin: await startPlugin({ config: { ...configFor(sandbox), ...config } }) };
  }, 60_000); // As long as a test may take: a busy machine starts a process slowly.
  beforeEach(() => {
    shared.sandbox.clearFaults();
    shared.sandbox.clearRequests();
  });
  afterAll(() => Promise.all([shared.plugin.close(), shared.sandbox.close()]));
  return () => shared;
}

/** A plugin whose requests can be held on their way to its sandbox. */
export async function startHeld({ config = {}, ...options }: PluginOptions = {}): Promise<{
  sandbox: Sandbox;
  gate: Gate;
  plugin: Plugin;
}> {
  const sandbox = await sandboxFor();
  const gate = await startGate();
  onTestFinished(() => gate.close());
  gate.leadTo(sandbox.url);
  const plugin = await pluginFor({
    config: { ...configFor(sandbox), "partners:baseUrl": gate.url, ...config },
    ...options,
  });
  return { sandbox, gate, plugin };
}

/** What a value that the native host marks as secret holds (pulumi/pulumi, sdk/go/common/resource/sig); else `undefined`. */
export function secretValue(value: unknown): unknown {
  const { "4dabf18193072939515e22adb298388d": signature, value: secret } = (value ?? {}) as Properties;
  return signature === "1b47061264138c4ac30d75fd1eb44270" ? secret : undefined;
}

/** Calls `getPartnerWebhooks` in the native host. */
export async function listNatively({ client }: Plugin): Promise<unknown> {
  const request = new proto.InvokeRequest().setTok("partners:index:getPartnerWebhooks");
  return fromStruct((await call("invoke", client.invoke.bind(client), request)).getReturn());
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

/** The methods of the requests since the last look, in order: "GET PATCH". */
export function takeRequests(sandbox: Sandbox): string {
  const methods = sandbox.requests.map(({ method }) => method).join(" ");
  sandbox.clearRequests();
  return methods;
}

/** Waits for something that another process does, 10 s at most. */
export function until(condition: () => boolean): Promise<unknown> {
  return vi.waitUntil(condition, { interval: 5, timeout: 10_000 });
}

/** An option for Node that runs code in the plugin process before anything else. @param code An ES module. */
export function preload(code: string): string {
  return `--import data:text/javascript,${encodeURIComponent(code)}`;
}
