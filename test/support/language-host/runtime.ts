import type grpc from "@grpc/grpc-js";
import langproto from "@pulumi/pulumi/proto/language_pb.js";
import plugproto from "@pulumi/pulumi/proto/plugin_pb.js";
import sdk from "@pulumi/pulumi/version.js";
import empty from "google-protobuf/google/protobuf/empty_pb.js";
import { ProgramRunner } from "./program-runner.ts";

/**
 * The part of the engine's LanguageRuntime service that running a program needs. gRPC itself answers "unimplemented" to the
 * rest: code generation, packing, plugins written in TypeScript.
 *
 * @param engineAddress - Where the engine listens; the program sends its log there.
 */
export function languageRuntime(engineAddress: string): grpc.UntypedServiceImplementation {
  const runner = new ProgramRunner(engineAddress);

  const run: grpc.handleUnaryCall<langproto.RunRequest, langproto.RunResponse> = (call, callback) => {
    runner.run(call.request).then((response) => {
      callback(null, response);
    }, callback);
  };

  const cancel: grpc.handleUnaryCall<empty.Empty, empty.Empty> = (_call, callback) => {
    runner.stop();
    callback(null, new empty.Empty());
  };

  const about: grpc.handleUnaryCall<langproto.AboutRequest, langproto.AboutResponse> = (_call, callback) => {
    callback(null, new langproto.AboutResponse().setExecutable(process.execPath).setVersion(process.version));
  };

  const getPluginInfo: grpc.handleUnaryCall<empty.Empty, plugproto.PluginInfo> = (_call, callback) => {
    callback(null, new plugproto.PluginInfo().setVersion(sdk.version));
  };

  return {
    run,
    cancel,
    about,
    getPluginInfo,
    // Nothing to download: the only plugin of these programs is the dynamic provider, which the SDK brings.
    getRequiredPackages: answer(langproto.GetRequiredPackagesResponse),
    getRequiredPlugins: answer(langproto.GetRequiredPluginsResponse),
    getProgramDependencies: answer(langproto.GetProgramDependenciesResponse),
    // `pulumi install` asks for this; npm has installed everything already.
    installDependencies: (call: grpc.ServerWritableStream<unknown, unknown>) => {
      call.end();
    },
  };
}

function answer<Response>(Empty: new () => Response): grpc.handleUnaryCall<unknown, Response> {
  return (_call, callback) => {
    callback(null, new Empty());
  };
}
