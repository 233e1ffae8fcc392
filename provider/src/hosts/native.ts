/**
 * Connects the handlers to the engine as a native plugin, for programs in every Pulumi language. It
 * implements the engine's protocol directly and does not load the SDK, which is slow to start.
 */
import { writeSync } from "node:fs";
import { promisify } from "node:util";

import * as grpc from "@grpc/grpc-js";
import { PluginInfo } from "@pulumi/pulumi/proto/plugin_pb.js";
import providerGrpc from "@pulumi/pulumi/proto/provider_grpc_pb.js";
import proto from "@pulumi/pulumi/proto/provider_pb.js";
import { Status } from "@pulumi/pulumi/proto/status_pb.js";
import { Any } from "google-protobuf/google/protobuf/any_pb.js";
import { Empty } from "google-protobuf/google/protobuf/empty_pb.js";

import { PartialFailure } from "../shared/partial-failure.js";
import { isRefreshedFirst } from "../shared/resource-adapter.js";
import { NativeConfiguration } from "./native-configuration.js";
import { invoke } from "./native-functions.js";
import { NativeResources, outputStruct } from "./native-resources.js";
import { PluginHost, type CallContext } from "./plugin-host.js";

/**
 * Serves the engine until the engine ends the process.
 *
 * @param version The version of the package, such as `0.1.0`.
 * @param schema The contents of schema.json.
 * @param engine The engine's address as host and port, which is the last argument of the process.
 */
export function serve(version: string, schema: object, engine = ""): void {
  if (!/:\d+$/.test(engine)) {
    process.stderr.write(
      "This is a Pulumi plugin. Pulumi starts it when needed: see the README of pulumi-partners.\n",
    );
    process.exitCode = 1;
    return;
  }
  // The limit that the SDK uses. A webhook list can exceed gRPC's default of 4 MB.
  const server = new grpc.Server({ "grpc.max_receive_message_length": 400 * 1024 * 1024 });
  const finish = promisify(server.tryShutdown.bind(server));
  const host = new NativeHost(new PluginHost(engine, () => grpc, { finish, canRefreshFirst: true }));
  // gRPC returns UNIMPLEMENTED for all other methods, as the engine expects.
  server.addService(providerGrpc.ResourceProviderService, host.methods(version, schema));
  server.bindAsync("127.0.0.1:0", grpc.ServerCredentials.createInsecure(), (error, port) => {
    if (error) throw error;
    writeSync(1, `${port}\n`); // The engine waits for this line, and a stream would delay it.
  });
}

class NativeHost {
  readonly #host: PluginHost;
  readonly #configuration: NativeConfiguration;

  constructor(host: PluginHost) {
    this.#host = host;
    this.#configuration = new NativeConfiguration(host);
  }

  methods(version: string, schema: object): grpc.UntypedServiceImplementation {
    const { handlers, lifetime } = this.#host;
    const configuration = this.#configuration;
    const resources = new NativeResources(this.#host);
    const deletion: CallContext = { lastUp: true, deletes: true };
    return {
      getPluginInfo: this.#method(() => new PluginInfo().setVersion(version)),
      getSchema: this.#method(() => new proto.GetSchemaResponse().setSchema(JSON.stringify(schema))),
      cancel: this.#method(() => {
        lifetime.cancel();
        return new Empty();
      }),

      checkConfig: this.#method((request: proto.CheckRequest) => configuration.check(request)),
      diffConfig: this.#method((request: proto.DiffRequest) => configuration.diff(request)),
      configure: this.#method((request: proto.ConfigureRequest) => configuration.configure(request)),

      invoke: this.#method((request: proto.InvokeRequest) => invoke(handlers, request)),

      check: this.#method((request: proto.CheckRequest) => resources.check(request)),
      diff: this.#method((request: proto.DiffRequest) => resources.diff(request)),
      create: this.#method((request: proto.CreateRequest) => resources.create(request)),
      read: this.#method((request: proto.ReadRequest) => resources.read(request), readContext),
      update: this.#method((request: proto.UpdateRequest) => resources.update(request)),
      delete: this.#method(
        (request: proto.DeleteRequest) => resources.delete(request),
        () => deletion,
      ),
      list: this.#listing((request: proto.ListRequest) => resources.list(request)),
    };
  }

  /**
   * Implements a method of the service.
   *
   * @param callOf Returns what the message for an error must know about a request.
   */
  #method<Request extends object, Response>(
    handle: (request: Request) => Response | Promise<Response>,
    callOf: (request: Request) => CallContext = () => ({}),
  ): grpc.handleUnaryCall<Request, Response> {
    return ({ request }, callback) => {
      const resource = request as { getUrn?(): string; getTimeout?(): number };
      const urn = resource.getUrn?.() ?? "";
      this.#host
        .handleCall(urn, async () => handle(request), resource.getTimeout?.())
        .then(
          (response) => {
            callback(null, response);
          },
          (error: unknown) => {
            callback(this.#statusOf(error, urn, callOf(request)));
          },
        );
    };
  }

  /** Implements a method that returns several responses. */
  #listing<Request, Response>(
    handle: (request: Request) => Promise<readonly Response[]>,
  ): grpc.handleServerStreamingCall<Request, Response> {
    return (call) => {
      this.#host
        .handleCall("", () => handle(call.request))
        .then(
          (responses) => {
            for (const response of responses) call.write(response);
            call.end();
          },
          (error: unknown) => {
            call.emit("error", this.#statusOf(error));
          },
        );
    };
  }

  /**
   * Converts anything thrown into a status with our own message, because foreign messages may contain
   * anything.
   */
  #statusOf(error: unknown, urn = "", call: CallContext = {}): Partial<grpc.StatusObject> {
    const lastUp = call.lastUp === true && !this.#configuration.isCurrent;
    const details = this.#host.describeError(error, { ...call, lastUp }, urn);
    if (!(error instanceof PartialFailure)) return { code: grpc.status.UNKNOWN, details };
    const { id, properties } = error;
    const failed = new proto.ErrorResourceInitFailed()
      .setId(id)
      .setProperties(outputStruct(properties))
      .setRefreshBeforeUpdate(isRefreshedFirst(properties))
      .setReasonsList([details]); // The engine prints the reasons, not the message.
    const detail = new Any();
    detail.pack(failed.serializeBinary(), "pulumirpc.ErrorResourceInitFailed");
    const status = new Status().setCode(grpc.status.UNKNOWN).setMessage(details).setDetailsList([detail]);
    const metadata = new grpc.Metadata();
    // The engine's gRPC library reads structured errors from this header.
    metadata.set("grpc-status-details-bin", Buffer.from(status.serializeBinary()));
    return { code: grpc.status.UNKNOWN, details, metadata };
  }
}

/**
 * Returns what the message for a failed read must know. It reads only one value of the state: the others may
 * be why the read failed.
 */
function readContext(request: proto.ReadRequest): CallContext {
  const refreshesFirst = request.getProperties()?.getFieldsMap().get("refreshBeforeUpdate")?.getBoolValue();
  return { lastUp: true, refreshesFirst: refreshesFirst === true };
}
