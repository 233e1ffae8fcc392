/** The gRPC server of a language host. It returns UNIMPLEMENTED for all calls that a host does not serve. */
import grpc from "@grpc/grpc-js";
import langgrpc from "@pulumi/pulumi/proto/language_grpc_pb.js";
import langproto from "@pulumi/pulumi/proto/language_pb.js";

/** The exit code of a program after its SDK has reported the error itself. */
const ALREADY_REPORTED = 32;

/** The address of the engine, which passes it as the only argument. */
export const engineAddress = process.argv.slice(2).find((arg) => !arg.startsWith("-")) ?? "";

/** Serves every call with the same response. */
export function always(response: unknown) {
  return (_call: unknown, callback: grpc.sendUnaryData<unknown>): void => {
    callback(null, response);
  };
}

/** Serves a call with a function that returns its response. */
export function answered<Request, Response>(answer: (request: Request) => Promise<Response>) {
  return (call: grpc.ServerUnaryCall<Request, Response>, callback: grpc.sendUnaryData<Response>): void => {
    answer(call.request).then((response) => {
      callback(null, response);
    }, callback);
  };
}

/** Serves a call with a function that may write messages, and ends the call after it. */
export function streamed<Request, Response>(
  work: (call: grpc.ServerWritableStream<Request, Response>) => Promise<unknown>,
) {
  return (call: grpc.ServerWritableStream<Request, Response>): void => {
    work(call).then(
      () => {
        call.end();
      },
      (error: unknown) => call.emit("error", error),
    );
  };
}

/** Returns the response for the end of a program. */
export function runResponse(code: number | null, signal: NodeJS.Signals | null): langproto.RunResponse {
  const response = new langproto.RunResponse();
  if (code === ALREADY_REPORTED) return response.setBail(true);
  return code === 0 ? response : response.setError(`Program ended with ${signal ?? String(code)}`);
}

/** Starts the server, and prints its port, which the engine reads from the first line of output. */
export function startServer(service: grpc.UntypedServiceImplementation): void {
  const server = new grpc.Server();
  server.addService(langgrpc.LanguageRuntimeService, service);
  server.bindAsync("127.0.0.1:0", grpc.ServerCredentials.createInsecure(), (error, port) => {
    if (error) throw error;
    console.log(String(port));
  });
}
