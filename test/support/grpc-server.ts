import grpc from "@grpc/grpc-js";

/** A gRPC server on any free port. */
export interface GrpcServer {
  /** The host and the port. */
  readonly address: string;
  close(): void;
}

/** Serves one service on 127.0.0.1. */
export async function serveGrpc<Service extends grpc.UntypedServiceImplementation>(
  definition: grpc.ServiceDefinition<Service>,
  service: grpc.UntypedServiceImplementation,
): Promise<GrpcServer> {
  const server = new grpc.Server();
  server.addService(definition, service);
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync("127.0.0.1:0", grpc.ServerCredentials.createInsecure(), (error, bound) => {
      if (error) reject(error);
      else resolve(bound);
    });
  });
  return {
    address: `127.0.0.1:${port}`,
    close: () => {
      server.forceShutdown();
    },
  };
}
