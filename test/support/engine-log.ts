import grpc from "@grpc/grpc-js";
import enginegrpc from "@pulumi/pulumi/proto/engine_grpc_pb.js";
import engine from "@pulumi/pulumi/proto/engine_pb.js";
import empty from "google-protobuf/google/protobuf/empty_pb.js";

/** An engine as far as a plugin tells it something. */
export interface LoggingEngine {
  /** Host and port. */
  readonly address: string;
  /** What plugins have logged so far. */
  readonly messages: readonly engine.LogRequest.AsObject[];
  close(): void;
}

/** Listens for what plugins log. */
export async function startLoggingEngine(): Promise<LoggingEngine> {
  const messages: engine.LogRequest.AsObject[] = [];
  const log: grpc.handleUnaryCall<engine.LogRequest, empty.Empty> = ({ request }, callback) => {
    messages.push(request.toObject());
    callback(null, new empty.Empty());
  };
  const server = new grpc.Server();
  server.addService(enginegrpc.EngineService, { log });
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync("127.0.0.1:0", grpc.ServerCredentials.createInsecure(), (error, bound) => {
      if (error) reject(error);
      else resolve(bound);
    });
  });
  return {
    address: `127.0.0.1:${port}`,
    messages,
    close: () => {
      server.forceShutdown();
    },
  };
}
