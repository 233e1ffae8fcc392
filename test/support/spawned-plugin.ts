import { spawn } from "node:child_process";
import { once } from "node:events";
import { createRequire } from "node:module";
import { join } from "node:path";
import grpc from "@grpc/grpc-js";
import providergrpc from "@pulumi/pulumi/proto/provider_grpc_pb.js";
import proto from "@pulumi/pulumi/proto/provider_pb.js";
import statusproto from "@pulumi/pulumi/proto/status_pb.js";
import struct from "google-protobuf/google/protobuf/struct_pb.js";
import { onTestFinished } from "vitest";

import { inheritedEnv } from "../../provider/tools/child-process.ts";

/** The programs that the engine starts, by host. */
const PROGRAMS = {
  dynamic: createRequire(import.meta.url).resolve("@pulumi/pulumi/cmd/dynamic-provider"),
  native: join(import.meta.dirname, "../../provider/bin/pulumi-resource-partners"),
};
/** The way in which the engine reaches the handlers. */
export type Host = keyof typeof PROGRAMS;
export const HOSTS: readonly Host[] = ["dynamic", "native"];

/** The methods of a plugin. */
export const METHODS = providergrpc.ResourceProviderService;

/** The folder from which `pulumi-partners/plugin` resolves. */
const REPOSITORY = join(import.meta.dirname, "../..");
/** An address, which the host requires. An engine that has never listened cannot go away. */
const NO_ENGINE = "127.0.0.1:1";
const DEADLINE_MS = 20_000;

/** The options of {@link startPlugin}. */
export interface PluginOptions {
  /** @default "dynamic" */
  readonly host?: Host;
  /**
   * The argument of `configure`: stack configuration by full key, or a provider's arguments. `null` skips the
   * call.
   *
   * @default {}
   */
  readonly config?: Readonly<Record<string, string>> | null;
  /** Environment variables. The process inherits no `PARTNERS_*` and `PULUMI_*` variables. */
  readonly env?: Readonly<Record<string, string>>;
  /** The engine's address as host and port. @default no engine */
  readonly engineAddress?: string;
}

/** Properties of a resource as JSON values, including `__provider`. */
export type Properties = Record<string, unknown>;

/** A running plugin process. */
export type Plugin = Awaited<ReturnType<typeof startPlugin>>;

/** Starts the SDK's real dynamic-provider host, or the native host, for the current test. */
export async function startPlugin({
  host = "dynamic",
  config = {},
  env = {},
  engineAddress = NO_ENGINE,
}: PluginOptions = {}) {
  const child = spawn(process.execPath, [PROGRAMS[host], engineAddress], {
    cwd: REPOSITORY,
    env: { ...inheritedEnv(), PULUMI_NODEJS_PROJECT: "test", ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const ended = once(child, "close").then(([code, signal]: unknown[]) => ({ code, signal }));
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  const startLimit = AbortSignal.timeout(DEADLINE_MS);
  await Promise.race([once(child.stdout, "data", { signal: startLimit }), ended]);
  const port = /^(\d+)\n/.exec(stdout)?.[1];
  if (port === undefined) throw new Error(`The ${host} host did not start: ${stdout}${stderr}`);
  // Channels to one address share a connection, and an earlier plugin may have had this port.
  const options = { "grpc.use_local_subchannel_pool": 1 };
  const client = new grpc.Client(`127.0.0.1:${port}`, grpc.credentials.createInsecure(), options);
  onTestFinished(() => {
    client.close();
  });

  /** Calls a method. @throws {PluginError} if a handler fails or does not respond in time. */
  const call = <Request, Response>(
    { path, requestSerialize, responseDeserialize }: grpc.MethodDefinition<Request, Response>,
    request: Request,
  ): Promise<Response> =>
    new Promise((resolve, reject) => {
      const deadline = Date.now() + DEADLINE_MS;
      const callback: grpc.requestCallback<Response> = (error, response) => {
        if (response === undefined) reject(error ? new PluginError(path, error) : new Error("no response"));
        else resolve(response);
      };
      client.makeUnaryRequest(path, requestSerialize, responseDeserialize, request, { deadline }, callback);
    });
  // The dynamic host receives only `__provider`; the native host finds its handlers by the URN.
  const urn = ({ __provider, __urn }: Properties): string => {
    if (host === "dynamic" || typeof __provider !== "string") return "";
    return typeof __urn === "string" ? __urn : urnOf(__provider);
  };

  const plugin = {
    host,
    /** The output so far, without the port number at its beginning. */
    stdout: () => stdout.slice(port.length + 1),
    stderr: () => stderr,
    kill: (signal: NodeJS.Signals): void => void child.kill(signal),
    /**
     * Resolves with the exit code or the signal once the process has ended and all its output has arrived.
     */
    ended,
    call,
    /** @param provider The name of the provider: empty in `pulumi do`. */
    configure: async (values: Readonly<Record<string, string>>, provider = "default"): Promise<void> => {
      const request = new proto.ConfigureRequest().setArgs(toStruct(values)).setAcceptsecrets(true);
      const providerUrn = `urn:pulumi:dev::test::pulumi:providers:partners::${provider}`;
      await call(METHODS.configure, request.setUrn(providerUrn));
    },
    check: async (news: Properties, olds: Properties = {}) => {
      const request = new proto.CheckRequest().setNews(toStruct(news)).setOlds(toStruct(olds));
      const response = await call(METHODS.check, request.setUrn(urn(news)));
      return { inputs: fromStruct(response.getInputs()), failures: response.toObject().failuresList };
    },
    create: async (news: Properties, preview = false) => {
      const request = new proto.CreateRequest().setUrn(urn(news)).setPreview(preview);
      const response = await call(METHODS.create, request.setProperties(toStruct(news)));
      return { id: response.getId(), properties: fromStruct(response.getProperties()) };
    },
    /** An empty `id` means that the resource is gone. */
    read: async (id: string, properties: Properties) => {
      const request = new proto.ReadRequest().setUrn(urn(properties)).setId(id);
      const response = await call(METHODS.read, request.setProperties(toStruct(properties)));
      const [inputs, outputs] = [response.getInputs(), response.getProperties()];
      return { id: response.getId(), inputs: fromStruct(inputs), properties: fromStruct(outputs) };
    },
    update: async (id: string, olds: Properties, news: Properties, preview = false) => {
      const request = new proto.UpdateRequest().setUrn(urn(news)).setId(id).setPreview(preview);
      const response = await call(METHODS.update, request.setOlds(toStruct(olds)).setNews(toStruct(news)));
      return { properties: fromStruct(response.getProperties()) };
    },
    /** Lists the resources of a type. @returns The results of the stream. */
    list: async (token: string, limit = 0) => {
      const { path, requestSerialize, responseDeserialize } = METHODS.list;
      const request = new proto.ListRequest().setToken(token).setLimit(limit);
      const results: (proto.ListResponse.Result.AsObject | undefined)[] = [];
      const stream = client.makeServerStreamRequest(path, requestSerialize, responseDeserialize, request);
      const responses = stream as AsyncIterable<proto.ListResponse>;
      try {
        for await (const response of responses) results.push(response.getResult()?.toObject());
      } catch (error) {
        throw new PluginError(path, error as grpc.ServiceError);
      }
      return results;
    },
    delete: async (id: string, properties: Properties): Promise<void> => {
      const request = new proto.DeleteRequest().setUrn(urn(properties)).setId(id);
      await call(METHODS.delete, request.setProperties(toStruct(properties)));
    },
  };
  // The engine passes what `checkConfig` returned.
  if (config) await plugin.configure(host === "native" ? { explicit: "false", ...config } : config);
  return plugin;
}

/** Returns the URN of a resource in the native host, for the `__provider` of the dynamic host. */
export function urnOf(provider: string, resource = "name"): string {
  const [, name = ""] = /\.p(\w+)$/.exec(provider) ?? [];
  return `urn:pulumi:dev::test::partners:index:P${name}::${resource}`;
}

/** Encodes properties. Throws on `undefined`, as the host does. */
export function toStruct(properties: Properties): struct.Struct {
  return struct.Struct.fromJavaScript(properties as Parameters<typeof struct.Struct.fromJavaScript>[0]);
}

/** Decodes properties: the reverse of {@link toStruct}. */
export function fromStruct(properties: struct.Struct | undefined): Properties {
  return properties?.toJavaScript() ?? {};
}

/** The plugin returned an error, or did not respond in time. */
export class PluginError extends Error {
  override readonly name = "PluginError";
  readonly code: grpc.status;
  /**
   * A resource that exists but is incomplete: the engine keeps it in the state, and the next `up` calls
   * `update`.
   */
  readonly initFailure: ReturnType<typeof initFailureIn>;

  constructor(method: string, error: grpc.ServiceError) {
    super(error.code === grpc.status.DEADLINE_EXCEEDED ? `${method} did not respond in time` : error.details);
    this.code = error.code;
    this.initFailure = initFailureIn(error);
  }
}

function initFailureIn({ metadata }: grpc.ServiceError) {
  // The engine's gRPC library reads structured errors from this header.
  const [header] = metadata.get("grpc-status-details-bin");
  if (!Buffer.isBuffer(header)) return undefined;
  const [detail] = statusproto.Status.deserializeBinary(header).getDetailsList();
  const failure = detail?.unpack(
    (bytes) => proto.ErrorResourceInitFailed.deserializeBinary(bytes),
    "pulumirpc.ErrorResourceInitFailed",
  );
  if (!failure) return undefined;
  const properties = fromStruct(failure.getProperties());
  return { id: failure.getId(), properties, /** What users see. */ reasons: failure.getReasonsList() };
}
