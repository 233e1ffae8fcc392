/**
 * Connects the handlers to the engine as a native plugin, for programs in every Pulumi language. It
 * implements the engine's protocol itself, because the SDK's `provider` module has no settings, previews,
 * detailed diffs or unwrapped secrets.
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

import { NOT_A_COMMAND } from "./host-messages.js";
import { NativeConfiguration } from "./native-configuration.js";
import { NativeResources, outputStruct } from "./native-resources.js";
import { PluginHost, type CallFailure } from "./plugin-host.js";

/** Bytes of a message. The limit that the SDK uses: a webhook list can exceed gRPC's default of 4 MB. */
const MAX_MESSAGE = 400 * 1024 * 1024;

/**
 * Serves the engine until the engine ends the process.
 *
 * @param version Of the package, such as `0.1.0`.
 * @param schema The contents of schema.json.
 * @param engine The engine's address, which is the last argument of the process.
 */
export function serve(version: string, schema: object, engine = ""): void {
  if (!/:\d+$/.test(engine)) {
    process.stderr.write(NOT_A_COMMAND);
    process.exitCode = 1;
    return;
  }
  const server = new grpc.Server({ "grpc.max_receive_message_length": MAX_MESSAGE });
  const host = new PluginHost(engine, grpc, promisify(server.tryShutdown.bind(server)));
  // gRPC returns UNIMPLEMENTED for all other methods, as the engine expects.
  server.addService(providerGrpc.ResourceProviderService, methodsOf(host, version, schema));
  server.bindAsync("127.0.0.1:0", grpc.ServerCredentials.createInsecure(), (error, port) => {
    if (error) throw error;
    writeSync(1, `${port}\n`); // The engine waits for this line, and a stream would delay it.
  });
}

function methodsOf(host: PluginHost, version: string, schema: object): grpc.UntypedServiceImplementation {
  const configuration = new NativeConfiguration(host);
  const resources = new NativeResources(host);

  function method<Request extends object, Response>(
    handle: (request: Request) => Response | Promise<Response>,
  ): grpc.handleUnaryCall<Request, Response> {
    return ({ request }, callback) => {
      const urn = (request as { getUrn?(): string }).getUrn?.() ?? "";
      host
        .handleCall({ id: "", urn }, async () => handle(request))
        .then(
          (response) => {
            callback(null, response);
          },
          (failure: unknown) => {
            callback(statusOf(failure as CallFailure));
          },
        );
    };
  }

  /** Sends any number of responses. */
  function stream<Request, Response>(
    handle: (request: Request) => Promise<readonly Response[]>,
  ): grpc.handleServerStreamingCall<Request, Response> {
    return (call) => {
      host
        .handleCall({ id: "", urn: "" }, () => handle(call.request))
        .then(
          (responses) => {
            for (const response of responses) call.write(response);
            call.end();
          },
          (failure: unknown) => {
            call.emit("error", statusOf(failure as CallFailure));
          },
        );
    };
  }

  return {
    getPluginInfo: method(() => new PluginInfo().setVersion(version)),
    getSchema: method(() => new proto.GetSchemaResponse().setSchema(JSON.stringify(schema))),
    cancel: method(() => {
      host.cancel();
      return new Empty();
    }),

    checkConfig: method((request: proto.CheckRequest) => configuration.check(request)),
    diffConfig: method((request: proto.DiffRequest) => configuration.diff(request)),
    configure: method((request: proto.ConfigureRequest) => configuration.configure(request)),

    invoke: method((request: proto.InvokeRequest) => resources.invoke(request)),
    list: stream((request: proto.ListRequest) => resources.list(request)),

    check: method((request: proto.CheckRequest) => resources.check(request)),
    diff: method((request: proto.DiffRequest) => resources.diff(request)),
    create: method((request: proto.CreateRequest) => resources.create(request)),
    read: method((request: proto.ReadRequest) => resources.read(request)),
    update: method((request: proto.UpdateRequest) => resources.update(request)),
    delete: method((request: proto.DeleteRequest) => resources.delete(request)),
  };
}

function statusOf({ message: details, kept }: CallFailure): Partial<grpc.StatusObject> {
  if (kept === null) return { code: grpc.status.UNKNOWN, details };
  const failed = new proto.ErrorResourceInitFailed()
    .setId(kept.id)
    .setProperties(outputStruct(kept.properties))
    .setReasonsList([details]); // The engine prints the reasons, not the message.
  const detail = new Any();
  detail.pack(failed.serializeBinary(), "pulumirpc.ErrorResourceInitFailed");
  const status = new Status().setCode(grpc.status.UNKNOWN).setMessage(details).setDetailsList([detail]);
  const metadata = new grpc.Metadata();
  // The engine's gRPC library reads structured errors from this header.
  metadata.set("grpc-status-details-bin", Buffer.from(status.serializeBinary()));
  return { code: grpc.status.UNKNOWN, details, metadata };
}
