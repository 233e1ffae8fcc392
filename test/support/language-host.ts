/**
 * What the engine starts for `runtime: nodejs` where the CLI comes without Pulumi's own language host: the part of the
 * LanguageRuntime service that running a program needs. gRPC itself answers "unimplemented" to the rest.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { createRequire } from "node:module";
import { join } from "node:path";
import grpc from "@grpc/grpc-js";
import langgrpc from "@pulumi/pulumi/proto/language_grpc_pb.js";
import langproto from "@pulumi/pulumi/proto/language_pb.js";
import plugproto from "@pulumi/pulumi/proto/plugin_pb.js";
import sdk from "@pulumi/pulumi/version.js";
import empty from "google-protobuf/google/protobuf/empty_pb.js";

/** The SDK's launcher exits with this code when it has already told the user what is wrong. */
const ALREADY_REPORTED = 32;

// The engine starts a language host with its own address as the one argument, and reads the host's port from the first line.
const engineAddress = process.argv.slice(2).find((arg) => !arg.startsWith("-")) ?? "";
let program: ChildProcess | undefined;

const server = new grpc.Server();
server.addService(langgrpc.LanguageRuntimeService, {
  run: (call: Call<langproto.RunRequest>, callback: grpc.sendUnaryData<langproto.RunResponse>) => {
    runProgram(call.request).then((response) => {
      callback(null, response);
    }, callback);
  },
  cancel: (_call: Call<unknown>, callback: grpc.sendUnaryData<empty.Empty>) => {
    program?.kill("SIGINT");
    callback(null, new empty.Empty());
  },
  about: answer(() =>
    new langproto.AboutResponse().setExecutable(process.execPath).setVersion(process.version),
  ),
  getPluginInfo: answer(() => new plugproto.PluginInfo().setVersion(sdk.version)),
  // Nothing to download: the only plugin of these programs is the dynamic provider, which the SDK brings.
  getRequiredPackages: answer(() => new langproto.GetRequiredPackagesResponse()),
  getRequiredPlugins: answer(() => new langproto.GetRequiredPluginsResponse()),
  getProgramDependencies: answer(() => new langproto.GetProgramDependenciesResponse()),
});
server.bindAsync("127.0.0.1:0", grpc.ServerCredentials.createInsecure(), (error, port) => {
  if (error) throw error;
  console.log(String(port));
});

type Call<Request> = grpc.ServerUnaryCall<Request, unknown>;

function answer<Response>(make: () => Response): grpc.handleUnaryCall<unknown, Response> {
  return (_call, callback) => {
    callback(null, make());
  };
}

/** Runs a program as Pulumi's own host does: the SDK's `cmd/run` in a process of its own. */
async function runProgram(request: langproto.RunRequest): Promise<langproto.RunResponse> {
  // Resolved from the program's folder: a program runs with the SDK it has installed, not with ours.
  const launcher = createRequire(join(request.getPwd(), "index.js")).resolve("@pulumi/pulumi/cmd/run");
  const child = spawn(process.execPath, [launcher, ...launcherArgs(request)], {
    env: { ...process.env, ...launcherEnv(request) },
    stdio: "inherit", // The engine reads this process's output and shows it as the program's.
  });
  program = child;
  const ending = await new Promise<string | number>((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (code, signal) => {
      resolve(signal ?? code ?? 0);
    });
  });
  program = undefined;
  const response = new langproto.RunResponse();
  if (ending === ALREADY_REPORTED) return response.setBail(true);
  return ending === 0 ? response : response.setError(`Program ended with ${ending}`);
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

function launcherEnv(request: langproto.RunRequest): Record<string, string> {
  return {
    PULUMI_CONFIG: JSON.stringify(Object.fromEntries(request.getConfigMap().entries())),
    PULUMI_CONFIG_SECRET_KEYS: JSON.stringify(request.getConfigsecretkeysList()),
    PULUMI_NODEJS_TYPESCRIPT: "true",
  };
}
