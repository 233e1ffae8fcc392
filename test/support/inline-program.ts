import grpc from "@grpc/grpc-js";
import langgrpc from "@pulumi/pulumi/proto/language_grpc_pb.js";
import automation from "@pulumi/pulumi/automation/server.js";

/** A Pulumi program as a function; what it returns are the stack's outputs. */
export type Program = () => Promise<unknown>;

// The Automation API's own language server. Its type declarations leave it out.
const { LanguageServer } = automation as unknown as {
  LanguageServer: new (program: Program) => grpc.UntypedServiceImplementation;
};

/** A language host inside this process, for the CLI's `--client` flag. */
export interface ProgramServer {
  readonly address: string;
  close(): void;
}

/** Lets the engine run a program in this process, as the Automation API does with inline programs. */
export async function serveProgram(program: Program): Promise<ProgramServer> {
  const server = new grpc.Server();
  server.addService(langgrpc.LanguageRuntimeService, new LanguageServer(program));
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
