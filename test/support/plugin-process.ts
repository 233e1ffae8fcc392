import { spawn } from "node:child_process";
import { once } from "node:events";
import { createRequire } from "node:module";
import { join } from "node:path";
import grpc from "@grpc/grpc-js";
import providergrpc from "@pulumi/pulumi/proto/provider_grpc_pb.js";
import proto from "@pulumi/pulumi/proto/provider_pb.js";
import statusproto from "@pulumi/pulumi/proto/status_pb.js";
import struct from "google-protobuf/google/protobuf/struct_pb.js";
import { inheritedEnv } from "./process.ts";

/** What the engine starts, by host. */
const HOSTS = {
  dynamic: createRequire(import.meta.url).resolve("@pulumi/pulumi/cmd/dynamic-provider"),
  native: join(import.meta.dirname, "../../provider/bin/pulumi-resource-partners"),
};
/** `pulumi-partners/plugin` resolves from here. */
const REPOSITORY = join(import.meta.dirname, "../..");
/** The host insists on an engine's address. Where nobody ever listened, nobody can go away. */
const NO_ENGINE = "127.0.0.1:1";
/** As the engine: that long after SIGINT, it kills a plugin. */
const PATIENCE_MS = 5000;
const DEADLINE_MS = 20_000;

/** How the engine reaches the handlers. */
export type Host = keyof typeof HOSTS;

/** How a plugin process is started. */
export interface PluginOptions {
  /** @default "dynamic" */
  readonly host?: Host;
  /** What `configure` gets: stack configuration by full key, or an explicit provider's arguments. @default {} */
  readonly config?: Readonly<Record<string, string>>;
  /** Variables for the process; none of this machine's `PARTNERS_*` and `PULUMI_*` variables reach it. */
  readonly env?: Readonly<Record<string, string>>;
  /** Whether the host is configured before anything else, as the engine does. @default true */
  readonly configureFirst?: boolean;
  /** Where the engine listens, as host and port. @default nowhere */
  readonly engineAddress?: string;
}

/** A running plugin process. */
export interface Plugin extends PluginCalls {
  /** What it has printed so far, without the port number that it begins with. */
  stdout(): string;
  stderr(): string;
  readonly pid: number;
  /** For what only the native host answers; see {@link call}. */
  readonly client: providergrpc.IResourceProviderClient;
  kill(signal: NodeJS.Signals): void;
  /** Resolves when the process has ended and all its output is here, with the exit code or the signal; the other one is `null`. */
  readonly ended: Promise<{ readonly code: number | null; readonly signal: NodeJS.Signals | null }>;
  /** Ends the process as the engine does: SIGINT, and SIGKILL where that does not help. */
  close(): Promise<void>;
}

/**
 * The dynamic-provider host as the engine sees it. Properties are plain objects with `__provider` among them. Every call
 * rejects with a {@link PluginError} if a handler fails, or if there is no answer in time (20 s unless given).
 */
export interface PluginCalls {
  configure(config: Readonly<Record<string, string>>): Promise<void>;
  check(news: Properties, olds?: Properties): Promise<Checked>;
  diff(id: string, olds: Properties, news: Properties): Promise<Difference>;
  create(news: Properties, deadlineMs?: number): Promise<{ id: string; properties: Properties }>;
  read(id: string, properties: Properties, inputs?: Properties, deadlineMs?: number): Promise<Found>;
  update(id: string, olds: Properties, news: Properties): Promise<{ properties: Properties }>;
  delete(id: string, properties: Properties): Promise<void>;
}

/** Properties of a resource as plain JavaScript: JSON values, with `__provider` among them. */
export type Properties = Record<string, unknown>;

/** What `check` answers. */
export interface Checked {
  readonly inputs: Properties;
  readonly failures: readonly { readonly property: string; readonly reason: string }[];
}

/** What `diff` answers; `changes` is undefined where the handler says neither yes nor no. */
export interface Difference {
  readonly changes: boolean | undefined;
  readonly replaces: readonly string[];
  readonly deleteBeforeReplace: boolean;
}

/** What `read` answers: an empty `id` means that the resource is gone. */
export interface Found {
  readonly id: string;
  readonly properties: Properties;
  /** Undefined where the handler returns none; the engine then keeps the old ones. */
  readonly inputs: Properties | undefined;
}

/** A resource that exists and is not what it should be: it is kept in state, and the next `up` calls `update`. */
export interface InitFailure {
  readonly id: string;
  readonly properties: Properties;
  /** What the user sees. */
  readonly reasons: readonly string[];
}

/** The plugin answered a call with an error, or did not answer in time. */
export class PluginError extends Error {
  override readonly name = "PluginError";
  /** `UNKNOWN` for whatever a handler throws, `DEADLINE_EXCEEDED` for a call that hangs. */
  readonly code: string;
  readonly initFailure: InitFailure | undefined;

  constructor(method: string, error: grpc.ServiceError) {
    super(error.code === grpc.status.DEADLINE_EXCEEDED ? `${method} did not answer in time` : error.details);
    this.code = grpc.status[error.code];
    this.initFailure = initFailure(error);
  }
}

/** Starts the SDK's real dynamic-provider host, or the native one, in the repository's folder. */
export async function startPlugin({
  host = "dynamic",
  config = {},
  env = {},
  configureFirst = true,
  engineAddress = NO_ENGINE,
}: PluginOptions = {}): Promise<Plugin> {
  const child = spawn(process.execPath, [HOSTS[host], engineAddress], {
    cwd: REPOSITORY,
    env: { ...inheritedEnv(), PULUMI_NODEJS_PROJECT: "test", ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const reap = (): void => void child.kill("SIGKILL"); // For a test that ends without close().
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

  const plugin: Plugin = {
    ...pluginCalls(client, host),
    client,
    stdout: () => stdout.slice(port.length + 1),
    stderr: () => stderr,
    pid: child.pid ?? 0,
    kill: (signal) => {
      child.kill(signal);
    },
    ended,
    close: async () => {
      client.close();
      child.kill("SIGINT");
      const killer = setTimeout(() => child.kill("SIGKILL"), PATIENCE_MS);
      await ended;
      clearTimeout(killer);
    },
  };
  if (configureFirst) await plugin.configure(config);
  return plugin;
}

function pluginCalls(client: providergrpc.ResourceProviderClient, host: Host): PluginCalls {
  // The dynamic host is told nothing else than `__provider`, and the native one does not know that.
  const urn = ({ __provider }: Properties): string =>
    host === "dynamic" || typeof __provider !== "string" ? "" : urnOf(__provider);
  return {
    configure: async (values) => {
      const request = new proto.ConfigureRequest().setArgs(toStruct(values)).setAcceptsecrets(true);
      await call("configure", client.configure.bind(client), request);
    },
    check: async (news, olds = {}) => {
      const request = new proto.CheckRequest()
        .setUrn(urn(news))
        .setNews(toStruct(news))
        .setOlds(toStruct(olds));
      const response = await call("check", client.check.bind(client), request);
      return { inputs: fromStruct(response.getInputs()), failures: response.toObject().failuresList };
    },
    diff: async (id, olds, news) => {
      const request = new proto.DiffRequest()
        .setUrn(urn(news))
        .setId(id)
        .setOlds(toStruct(olds))
        .setNews(toStruct(news));
      const response = await call("diff", client.diff.bind(client), request);
      const { DIFF_SOME, DIFF_UNKNOWN } = proto.DiffResponse.DiffChanges;
      const changes = response.getChanges();
      return {
        changes: changes === DIFF_UNKNOWN ? undefined : changes === DIFF_SOME,
        replaces: response.getReplacesList(),
        deleteBeforeReplace: response.getDeletebeforereplace(),
      };
    },
    create: async (news, deadlineMs) => {
      const request = new proto.CreateRequest().setUrn(urn(news)).setProperties(toStruct(news));
      const response = await call("create", client.create.bind(client), request, deadlineMs);
      return { id: response.getId(), properties: fromStruct(response.getProperties()) };
    },
    read: async (id, properties, inputs, deadlineMs) => {
      const request = new proto.ReadRequest()
        .setUrn(urn(properties))
        .setId(id)
        .setProperties(toStruct(properties));
      if (inputs) request.setInputs(toStruct(inputs));
      const response = await call("read", client.read.bind(client), request, deadlineMs);
      return {
        id: response.getId(),
        properties: fromStruct(response.getProperties()),
        inputs: response.hasInputs() ? fromStruct(response.getInputs()) : undefined,
      };
    },
    update: async (id, olds, news) => {
      const request = new proto.UpdateRequest()
        .setUrn(urn(news))
        .setId(id)
        .setOlds(toStruct(olds))
        .setNews(toStruct(news));
      const response = await call("update", client.update.bind(client), request);
      return { properties: fromStruct(response.getProperties()) };
    },
    delete: async (id, properties) => {
      const request = new proto.DeleteRequest()
        .setUrn(urn(properties))
        .setId(id)
        .setProperties(toStruct(properties));
      await call("delete", client.delete.bind(client), request);
    },
  };
}

/** The URN of the resource "name" that the native host has for what the dynamic one finds by its `__provider`. */
export function urnOf(provider: string): string {
  const [, name = ""] = /\.p(\w+)$/.exec(provider) ?? [];
  return `urn:pulumi:dev::test::partners:index:P${name}::name`;
}

type Method<Request, Response> = (
  request: Request,
  metadata: grpc.Metadata,
  options: Partial<grpc.CallOptions>,
  callback: (error: grpc.ServiceError | null, response: Response) => void,
) => grpc.ClientUnaryCall;

/** Calls a method of the plugin. @throws {PluginError} also where it does not answer in time. */
export async function call<Request, Response>(
  name: string,
  method: Method<Request, Response>,
  request: Request,
  deadlineMs = DEADLINE_MS,
): Promise<Response> {
  const { error, response } = await new Promise<{ error: grpc.ServiceError | null; response: Response }>(
    (resolve) => {
      method(request, new grpc.Metadata(), { deadline: Date.now() + deadlineMs }, (error, response) => {
        resolve({ error, response });
      });
    },
  );
  if (error) throw new PluginError(name, error); // Thrown here, its stack leads to the test.
  return response;
}

/** What goes over the wire for properties. Throws on `undefined`, as the host does. */
export function toStruct(properties: Properties): struct.Struct {
  return struct.Struct.fromJavaScript(properties as Parameters<typeof struct.Struct.fromJavaScript>[0]);
}

/** The reverse of {@link toStruct}. */
export function fromStruct(properties: struct.Struct | undefined): Properties {
  return properties?.toJavaScript() ?? {};
}

function initFailure(error: grpc.ServiceError): InitFailure | undefined {
  // Go's gRPC, and so the engine, reads structured errors from this header.
  const [header] = error.metadata.get("grpc-status-details-bin");
  if (!Buffer.isBuffer(header)) return undefined;
  const [detail] = statusproto.Status.deserializeBinary(header).getDetailsList();
  const failure = detail?.unpack(
    (bytes) => proto.ErrorResourceInitFailed.deserializeBinary(bytes),
    "pulumirpc.ErrorResourceInitFailed",
  );
  if (!failure) return undefined;
  return {
    id: failure.getId(),
    properties: fromStruct(failure.getProperties()),
    reasons: failure.getReasonsList(),
  };
}
