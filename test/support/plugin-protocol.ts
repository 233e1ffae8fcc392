import grpc from "@grpc/grpc-js";
import providerproto from "@pulumi/pulumi/proto/provider_pb.js";
import statusproto from "@pulumi/pulumi/proto/status_pb.js";
import struct from "google-protobuf/google/protobuf/struct_pb.js";

/** Properties of a resource as plain JavaScript: JSON values, with `__provider` among them. */
export type Properties = Record<string, unknown>;

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
    (bytes) => providerproto.ErrorResourceInitFailed.deserializeBinary(bytes),
    "pulumirpc.ErrorResourceInitFailed",
  );
  if (!failure) return undefined;
  return {
    id: failure.getId(),
    properties: fromStruct(failure.getProperties()),
    reasons: failure.getReasonsList(),
  };
}
