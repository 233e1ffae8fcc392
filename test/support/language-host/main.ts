import grpc from "@grpc/grpc-js";
import langgrpc from "@pulumi/pulumi/proto/language_grpc_pb.js";
import { languageRuntime } from "./runtime.ts";

// The engine starts a language host with its own address as the one argument, and reads the host's port from the first line.
const engineAddress = process.argv.slice(2).find((arg) => !arg.startsWith("-")) ?? "";

const server = new grpc.Server();
server.addService(langgrpc.LanguageRuntimeService, languageRuntime(engineAddress));
server.bindAsync("127.0.0.1:0", grpc.ServerCredentials.createInsecure(), (error, port) => {
  if (error) throw error;
  console.log(String(port));
});
