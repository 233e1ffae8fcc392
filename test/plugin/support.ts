import type grpc from "@grpc/grpc-js";
import enginegrpc from "@pulumi/pulumi/proto/engine_grpc_pb.js";
import engine from "@pulumi/pulumi/proto/engine_pb.js";
import empty from "google-protobuf/google/protobuf/empty_pb.js";
import { onTestFinished, vi } from "vitest";

import {
  PARTNER_API_KEY,
  PARTNER_WEBHOOK_STATE,
  PARTNER_WEBHOOK_STATES,
  PARTNER_WEBHOOKS,
} from "../../provider/src/registration.js";
import { serveGrpc } from "../support/grpc-server.ts";
import type { PartnerApiServer } from "../support/partner-api-server.ts";
import { sandboxFor } from "../support/sandbox.ts";
import {
  PluginError,
  startPlugin,
  type Plugin,
  type PluginOptions,
  type Properties,
} from "../support/spawned-plugin.ts";

/** Arguments of each resource, with the string that leads the dynamic host to our handlers. */
export const KEY = { __provider: PARTNER_API_KEY.__provider };
export const HOOK = { __provider: PARTNER_WEBHOOK_STATE.__provider, webhookId: 101, state: "disabled" };
export const FLEET = { __provider: PARTNER_WEBHOOK_STATES.__provider, states: { 101: "disabled" } };

/** The inputs of the resource behind `getPartnerWebhooks`. */
export const LIST = { __provider: PARTNER_WEBHOOKS.__provider };

/** Returns stack configuration for a service. */
export function configFor(api: PartnerApiServer): Record<string, string> {
  return { "partners:baseUrl": api.url, "partners:accessToken": api.accessToken };
}

/** Starts a service, and a plugin that is configured for it. */
export async function start(options: Omit<PluginOptions, "config"> = {}) {
  const api = await sandboxFor();
  return { api, plugin: await startPlugin({ config: configFor(api), ...options }) };
}

/** Returns the environment of a process that first runs some code. */
export function runFirst(code: string): Record<string, string> {
  return { NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(code)}` };
}

/** Creates a resource. Returns its ID, its inputs, and its outputs as the engine passes them on. */
export async function created(plugin: Plugin, args: Properties) {
  const inputs: Properties = { ...(await plugin.check(args)).inputs, __provider: args["__provider"] };
  const { id, properties } = await plugin.create(inputs);
  return { id, inputs, outputs: { __provider: args["__provider"], ...plain(properties) } as Properties };
}

/**
 * Milliseconds that the engine takes for its first message. A response that does not wait for it is earlier.
 * Each message takes less than the one before, so that concurrent ones change their order.
 */
const LOG_DELAY = 30;

/** Starts an engine that only records log messages, for the current test. */
export async function loggingEngine() {
  const messages: engine.LogRequest.AsObject[] = [];
  let received = 0;
  const log: grpc.handleUnaryCall<engine.LogRequest, empty.Empty> = ({ request }, callback) => {
    setTimeout(() => {
      messages.push(request.toObject());
      callback(null, new empty.Empty());
    }, LOG_DELAY / ++received);
  };
  const server = await serveGrpc(enginegrpc.EngineService, { log });
  onTestFinished(server.close);
  return { address: server.address, messages, close: server.close };
}

/**
 * Unwraps a secret of the native host (pulumi/pulumi, sdk/go/common/resource/sig); `undefined` for any other
 * value.
 */
export function secretValue(value: unknown): unknown {
  const { "4dabf18193072939515e22adb298388d": signature, value: secret } = (value ?? {}) as Properties;
  return signature === "1b47061264138c4ac30d75fd1eb44270" ? secret : undefined;
}

/** Unwraps all secrets in properties. */
export function plain(properties: Properties): Properties {
  const entries = Object.entries(properties);
  return Object.fromEntries(entries.map(([name, value]) => [name, secretValue(value) ?? value]));
}

/** Returns the error of a call that must fail. */
export async function errorOf(call: Promise<unknown>): Promise<PluginError> {
  const error = await call.catch((reason: unknown) => reason);
  if (error instanceof PluginError) return error;
  throw new Error("expected the call to fail with a PluginError");
}

/** Waits up to 10 s for an effect of another process. */
export function until(condition: () => boolean): Promise<unknown> {
  return vi.waitUntil(condition, { interval: 5, timeout: 10_000 });
}
