import type grpc from "@grpc/grpc-js";
import enginegrpc from "@pulumi/pulumi/proto/engine_grpc_pb.js";
import engine from "@pulumi/pulumi/proto/engine_pb.js";
import empty from "google-protobuf/google/protobuf/empty_pb.js";
import { onTestFinished, vi } from "vitest";

import { PARTNER_API_KEY, PARTNER_WEBHOOK_STATE, PARTNER_WEBHOOKS } from "../../provider/src/registration.js";
import { serveGrpc } from "../support/grpc-server.ts";
import { sandboxFor, type Sandbox, type SandboxOptions } from "../support/sandbox.ts";
import {
  PluginError,
  startPlugin,
  type Plugin,
  type PluginOptions,
  type Properties,
} from "../support/spawned-plugin.ts";

export { sandboxFor };

/** Inputs of a `PartnerApiKey` after `check`, with the string that leads the host to our handlers. */
export const KEY = { __provider: PARTNER_API_KEY.__provider, account: "default" };

/** Inputs of a `PartnerWebhookState`. In the sandbox, webhook 101 is active. */
export const HOOK = {
  __provider: PARTNER_WEBHOOK_STATE.__provider,
  webhookId: 101,
  state: "disabled",
  stateOnDestroy: "leave",
  account: "default",
};

/** Inputs of the resource behind `getPartnerWebhooks`. */
export const LIST = { __provider: PARTNER_WEBHOOKS.__provider };

/** Returns stack configuration for a sandbox. */
export function configFor(sandbox: Sandbox): Record<string, string> {
  return { "partners:baseUrl": sandbox.url, "partners:accessToken": sandbox.accessToken };
}

/** Starts a plugin process for the current test. */
export async function pluginFor(options: PluginOptions): Promise<Plugin> {
  const plugin = await startPlugin(options);
  onTestFinished(() => plugin.close());
  return plugin;
}

/** Starts a sandbox, and a plugin that is configured for it. */
export async function start(
  options?: SandboxOptions,
  { config, ...pluginOptions }: PluginOptions = {},
): Promise<{ sandbox: Sandbox; plugin: Plugin }> {
  const sandbox = await sandboxFor(options);
  const plugin = await pluginFor({ config: { ...configFor(sandbox), ...config }, ...pluginOptions });
  return { sandbox, plugin };
}

/** Starts an engine that only records log messages, for the current test. */
export async function loggingEngine() {
  const messages: engine.LogRequest.AsObject[] = [];
  const log: grpc.handleUnaryCall<engine.LogRequest, empty.Empty> = ({ request }, callback) => {
    messages.push(request.toObject());
    callback(null, new empty.Empty());
  };
  const server = await serveGrpc(enginegrpc.EngineService, { log });
  onTestFinished(() => {
    server.close();
  });
  return { address: server.address, messages };
}

/**
 * Unwraps a secret of the native host (pulumi/pulumi, sdk/go/common/resource/sig); `undefined` for any other
 * value.
 */
export function secretValue(value: unknown): unknown {
  const { "4dabf18193072939515e22adb298388d": signature, value: secret } = (value ?? {}) as Properties;
  return signature === "1b47061264138c4ac30d75fd1eb44270" ? secret : undefined;
}

/** Unwraps all secrets in properties, as the engine does before it passes them on. */
export function plain(properties: Properties): Properties {
  return Object.fromEntries(
    Object.entries(properties).map(([name, value]) => [name, secretValue(value) ?? value]),
  );
}

/** Returns the error of a call that must fail. */
export async function errorOf(call: Promise<unknown>): Promise<PluginError> {
  const error = await call.then(
    () => null,
    (reason: unknown) => reason,
  );
  if (error instanceof PluginError) return error;
  throw new Error("expected the call to fail with a PluginError");
}

/** Returns the methods of the requests since the last call, in order: "GET PATCH". */
export function takeRequests(sandbox: Sandbox): string {
  const methods = sandbox.requests.map(({ method }) => method).join(" ");
  sandbox.clearRequests();
  return methods;
}

/** Waits up to 10 s for an effect of another process. */
export function until(condition: () => boolean): Promise<unknown> {
  return vi.waitUntil(condition, { interval: 5, timeout: 10_000 });
}
