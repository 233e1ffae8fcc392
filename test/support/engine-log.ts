import type grpc from "@grpc/grpc-js";
import enginegrpc from "@pulumi/pulumi/proto/engine_grpc_pb.js";
import engine from "@pulumi/pulumi/proto/engine_pb.js";
import empty from "google-protobuf/google/protobuf/empty_pb.js";
import { serveGrpc, type GrpcServer } from "./grpc-server.ts";

/** An engine as far as a plugin tells it something. */
export interface LoggingEngine extends GrpcServer {
  /** What plugins have logged so far. */
  readonly messages: readonly engine.LogRequest.AsObject[];
}

/** Listens for what plugins log. */
export async function startLoggingEngine(): Promise<LoggingEngine> {
  const messages: engine.LogRequest.AsObject[] = [];
  const log: grpc.handleUnaryCall<engine.LogRequest, empty.Empty> = ({ request }, callback) => {
    messages.push(request.toObject());
    callback(null, new empty.Empty());
  };
  return { ...(await serveGrpc(enginegrpc.EngineService, { log })), messages };
}
