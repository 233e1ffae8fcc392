/**
 * The language host for `runtime: nodejs`, or with `--bun` for `runtime: bun`, if the CLI comes without Pulumi's own. It implements the part of the LanguageRuntime
 * service that is needed to run a program. gRPC returns UNIMPLEMENTED for all other calls.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createRequire } from "node:module";
import { join } from "node:path";
import grpc from "@grpc/grpc-js";
import langgrpc from "@pulumi/pulumi/proto/language_grpc_pb.js";
import langproto from "@pulumi/pulumi/proto/language_pb.js";
import plugproto from "@pulumi/pulumi/proto/plugin_pb.js";
import sdk from "@pulumi/pulumi/version.js";
import empty from "google-protobuf/google/protobuf/empty_pb.js";

/** The exit code of the SDK's launcher after it has reported the error itself. */
const ALREADY_REPORTED = 32;

// The engine passes its address as the only argument, and reads the port of the host from the first line of output.
const engineAddress = process.argv.slice(2).find((arg) => !arg.startsWith("-")) ?? "";
const [runtime, ...runtimeArgs] = process.argv.includes("--bun") ? ["bun", "run"] : [process.execPath];
let program: ChildProcess | undefined;

const always = (response: unknown) => (_call: unknown, callback: grpc.sendUnaryData<unknown>) => {
  callback(null, response);
};
const server = new grpc.Server();
server.addService(langgrpc.LanguageRuntimeService, {
  run: (
    { request }: grpc.ServerUnaryCall<langproto.RunRequest, unknown>,
    callback: grpc.sendUnaryData<langproto.RunResponse>,
  ) => {
    runProgram(request).then((response) => {
      callback(null, response);
    }, callback);
  },
  cancel: (_call: unknown, callback: grpc.sendUnaryData<empty.Empty>) => {
    program?.kill("SIGINT");
    callback(null, new empty.Empty());
  },
  about: always(new langproto.AboutResponse().setExecutable(process.execPath).setVersion(process.version)),
  getPluginInfo: always(new plugproto.PluginInfo().setVersion(sdk.version)),
  // There is nothing to download: the SDK includes the dynamic provider, the only plugin of these programs.
  getRequiredPackages: always(new langproto.GetRequiredPackagesResponse()),
  getRequiredPlugins: always(new langproto.GetRequiredPluginsResponse()),
  getProgramDependencies: always(new langproto.GetProgramDependenciesResponse()),
});
server.bindAsync("127.0.0.1:0", grpc.ServerCredentials.createInsecure(), (error, port) => {
  if (error) throw error;
  console.log(String(port));
});

/** Runs a program as Pulumi's own host does: with the SDK's `cmd/run`, in a separate process. */
async function runProgram(request: langproto.RunRequest): Promise<langproto.RunResponse> {
  // A program runs with the SDK that is installed in its folder, not with ours.
  const launcher = createRequire(join(request.getPwd(), "index.js")).resolve("@pulumi/pulumi/cmd/run");
  const env = {
    ...process.env,
    PULUMI_CONFIG: JSON.stringify(Object.fromEntries(request.getConfigMap().entries())),
    PULUMI_CONFIG_SECRET_KEYS: JSON.stringify(request.getConfigsecretkeysList()),
    ...(runtime !== "bun" && { PULUMI_NODEJS_TYPESCRIPT: "true" }), // Bun runs TypeScript itself.
  };
  // The engine shows the output of this process as the output of the program.
  program = spawn(runtime, [...runtimeArgs, launcher, ...launcherArgs(request)], { env, stdio: "inherit" });
  const [code, signal] = (await once(program, "exit")) as [number | null, NodeJS.Signals | null];
  program = undefined;
  const response = new langproto.RunResponse();
  if (code === ALREADY_REPORTED) return response.setBail(true);
  return code === 0 ? response : response.setError(`Program ended with ${signal ?? String(code)}`);
}

function launcherArgs(request: langproto.RunRequest): string[] {
  const flags = {
    monitor: request.getMonitorAddress(),
    engine: engineAddress,
    organization: request.getOrganization(),
    project: request.getProject(),
    "root-directory": request.getInfo()?.getRootDirectory() ?? "",
    stack: request.getStack(),
    pwd: request.getPwd(),
    parallel: String(request.getParallel()),
  };
  return [
    ...Object.entries(flags).flatMap(([name, value]) => (value === "" ? [] : [`--${name}`, value])),
    ...(request.getDryrun() ? ["--dry-run"] : []),
    request.getInfo()?.getEntryPoint() ?? ".",
    ...request.getArgsList(),
  ];
}
