import grpc from "@grpc/grpc-js";

/** Serves one service on any free port of 127.0.0.1. */
export async function serveGrpc<Service extends grpc.UntypedServiceImplementation>(
  definition: grpc.ServiceDefinition<Service>,
  service: grpc.UntypedServiceImplementation,
) {
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
