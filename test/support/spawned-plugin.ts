import { spawn } from "node:child_process";
import { once } from "node:events";
import { createRequire } from "node:module";
import { join } from "node:path";
import grpc from "@grpc/grpc-js";
import providergrpc from "@pulumi/pulumi/proto/provider_grpc_pb.js";
import proto from "@pulumi/pulumi/proto/provider_pb.js";
import statusproto from "@pulumi/pulumi/proto/status_pb.js";
import struct from "google-protobuf/google/protobuf/struct_pb.js";

import { inheritedEnv } from "../../provider/tools/child-process.ts";

/** The programs that the engine starts, by host. */
const PROGRAMS = {
  dynamic: createRequire(import.meta.url).resolve("@pulumi/pulumi/cmd/dynamic-provider"),
  native: join(import.meta.dirname, "../../provider/bin/pulumi-resource-partners"),
};
/** The way in which the engine reaches the handlers. */
export type Host = keyof typeof PROGRAMS;
export const HOSTS: readonly Host[] = ["dynamic", "native"];

/** The folder from which `pulumi-partners/plugin` resolves. */
const REPOSITORY = join(import.meta.dirname, "../..");
/** An address, which the host requires. An engine that has never listened cannot go away. */
const NO_ENGINE = "127.0.0.1:1";
/** Milliseconds after SIGINT until a plugin is killed, as in the engine. */
const KILL_AFTER_MS = 5000;
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

/** Starts the SDK's real dynamic-provider host, or the native host, in the repository's folder. */
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
  const reap = (): void => void child.kill("SIGKILL"); // In case a test ends without close().
  process.once("exit", reap);
  const ended = once(child, "close").then(([code, signal]) => {
    process.off("exit", reap);
    return { code: code as number | null, signal: signal as NodeJS.Signals | null };
  });

  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  const startLimit = AbortSignal.timeout(DEADLINE_MS);
  await Promise.race([once(child.stdout, "data", { signal: startLimit }), ended]);
  const port = /^(\d+)\n/.exec(stdout)?.[1];
  if (port === undefined) throw new Error(`The ${host} host did not start: ${stdout}${stderr}`);
  const address = `127.0.0.1:${port}`;
  const client = new providergrpc.ResourceProviderClient(address, grpc.credentials.createInsecure());

  const plugin = {
    ...callsOf(client, host),
    host,
    /** The output so far, without the port number at its beginning. */
    stdout: () => stdout.slice(port.length + 1),
    stderr: () => stderr,
    kill: (signal: NodeJS.Signals): void => void child.kill(signal),
    /**
     * Resolves with the exit code or the signal once the process has ended and all its output has arrived.
     */
    ended,
    /** Ends the process as the engine does, with SIGINT, then SIGKILL. */
    close: async (): Promise<void> => {
      client.close();
      child.kill("SIGINT");
      const killer = setTimeout(() => child.kill("SIGKILL"), KILL_AFTER_MS);
      await ended;
      clearTimeout(killer);
    },
  };
  // The engine passes what `checkConfig` returned.
  if (config) await plugin.configure(host === "native" ? { explicit: "false", ...config } : config);
  return plugin;
}

type Client = providergrpc.IResourceProviderClient;
type Callback<Response> = (error: grpc.ServiceError | null, response: Response) => void;
type RequestOf<Name extends keyof Client> = Parameters<Client[Name]>[0];
type ResponseOf<Name extends keyof Client> =
  Parameters<Client[Name]>[3] extends Callback<infer Response> ? Response : never;
type Method<Name extends keyof Client> = (
  request: RequestOf<Name>,
  metadata: grpc.Metadata,
  options: grpc.CallOptions,
  callback: Callback<ResponseOf<Name>>,
) => unknown;

function callsOf(client: Client, host: Host) {
  /** Calls a method. @throws {PluginError} if a handler fails or does not respond in time. */
  const call = async <Name extends keyof Client>(
    name: Name,
    request: RequestOf<Name>,
    deadlineMs = DEADLINE_MS,
  ): Promise<ResponseOf<Name>> => {
    const method = client[name].bind(client) as unknown as Method<Name>;
    return new Promise((resolve, reject) => {
      method(request, new grpc.Metadata(), { deadline: Date.now() + deadlineMs }, (error, response) => {
        if (error) reject(new PluginError(name, error));
        else resolve(response);
      });
    });
  };
  // The dynamic host receives only `__provider`; the native host finds its handlers by the URN.
  const urn = ({ __provider, __urn }: Properties): string => {
    if (host === "dynamic" || typeof __provider !== "string") return "";
    return typeof __urn === "string" ? __urn : urnOf(__provider);
  };

  return {
    call,
    configure: async (values: Readonly<Record<string, string>>): Promise<void> => {
      await call("configure", new proto.ConfigureRequest().setArgs(toStruct(values)).setAcceptsecrets(true));
    },
    check: async (news: Properties, olds: Properties = {}) => {
      const request = new proto.CheckRequest().setNews(toStruct(news)).setOlds(toStruct(olds));
      const response = await call("check", request.setUrn(urn(news)));
      return { inputs: fromStruct(response.getInputs()), failures: response.toObject().failuresList };
    },
    /** `changes` is undefined if the host does not know. */
    diff: async (id: string, olds: Properties, news: Properties, oldInputs: Properties = {}) => {
      const request = new proto.DiffRequest().setUrn(urn(news)).setId(id);
      request.setOlds(toStruct(olds)).setNews(toStruct(news)).setOldInputs(toStruct(oldInputs));
      const response = await call("diff", request);
      const { DIFF_SOME, DIFF_UNKNOWN } = proto.DiffResponse.DiffChanges;
      const changes = response.getChanges();
      return {
        changes: changes === DIFF_UNKNOWN ? undefined : changes === DIFF_SOME,
        replaces: response.getReplacesList(),
        details: Object.fromEntries(
          response.toObject().detaileddiffMap.map(([name, { kind }]) => [name, kind]),
        ),
      };
    },
    create: async (news: Properties, { deadlineMs = DEADLINE_MS, preview = false } = {}) => {
      const request = new proto.CreateRequest().setUrn(urn(news)).setPreview(preview);
      const response = await call("create", request.setProperties(toStruct(news)), deadlineMs);
      return { id: response.getId(), properties: fromStruct(response.getProperties()) };
    },
    /** An empty `id` means that the resource is gone. Without `inputs`, the engine keeps the old inputs. */
    read: async (id: string, properties: Properties, inputs?: Properties) => {
      const request = new proto.ReadRequest().setUrn(urn(properties)).setId(id);
      request.setProperties(toStruct(properties));
      if (inputs) request.setInputs(toStruct(inputs));
      const response = await call("read", request);
      return {
        id: response.getId(),
        properties: fromStruct(response.getProperties()),
        inputs: response.hasInputs() ? fromStruct(response.getInputs()) : undefined,
      };
    },
    update: async (id: string, olds: Properties, news: Properties, { preview = false } = {}) => {
      const request = new proto.UpdateRequest().setUrn(urn(news)).setId(id).setPreview(preview);
      const response = await call("update", request.setOlds(toStruct(olds)).setNews(toStruct(news)));
      return { properties: fromStruct(response.getProperties()) };
    },
    delete: async (id: string, properties: Properties): Promise<void> => {
      const request = new proto.DeleteRequest().setUrn(urn(properties)).setId(id);
      await call("delete", request.setProperties(toStruct(properties)));
    },
  };
}

/** Returns the URN of the resource "name" in the native host, for the `__provider` of the dynamic host. */
export function urnOf(provider: string): string {
  const [, name = ""] = /\.p(\w+)$/.exec(provider) ?? [];
  return `urn:pulumi:dev::test::partners:index:P${name}::name`;
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
  /** `UNKNOWN` for an error of a handler, `DEADLINE_EXCEEDED` for a call that hangs. */
  readonly code: string;
  /**
   * A resource that exists but is incomplete: the engine keeps it in the state, and the next `up` calls
   * `update`.
   */
  readonly initFailure: ReturnType<typeof initFailureIn>;

  constructor(method: string, error: grpc.ServiceError) {
    super(error.code === grpc.status.DEADLINE_EXCEEDED ? `${method} did not respond in time` : error.details);
    this.code = grpc.status[error.code];
    this.initFailure = initFailureIn(error);
  }
}

function initFailureIn(error: grpc.ServiceError) {
  // The engine's gRPC library reads structured errors from this header.
  const [header] = error.metadata.get("grpc-status-details-bin");
  if (!Buffer.isBuffer(header)) return undefined;
  const [detail] = statusproto.Status.deserializeBinary(header).getDetailsList();
  const failure = detail?.unpack(
    (bytes) => proto.ErrorResourceInitFailed.deserializeBinary(bytes),
    "pulumirpc.ErrorResourceInitFailed",
  );
  return (
    failure && {
      id: failure.getId(),
      properties: fromStruct(failure.getProperties()),
      /** The messages that the user sees. */
      reasons: failure.getReasonsList(),
    }
  );
}
