/**
 * The language host for `runtime: nodejs`, or with `--bun` for `runtime: bun`, if the CLI comes without
 * Pulumi's own. It implements the part of the LanguageRuntime service that is needed to run a program, and to
 * install and run a plugin from its sources. Pulumi's own cannot be built like the CLI: it is not published
 * as a Go module.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createRequire } from "node:module";
import { join } from "node:path";
import type grpc from "@grpc/grpc-js";
import langproto from "@pulumi/pulumi/proto/language_pb.js";
import plugproto from "@pulumi/pulumi/proto/plugin_pb.js";
import sdk from "@pulumi/pulumi/version.js";
import empty from "google-protobuf/google/protobuf/empty_pb.js";
import { always, answered, engineAddress, runResponse, startServer, streamed } from "./language-server.ts";

const [runtime, ...runtimeArgs] = process.argv.includes("--bun") ? ["bun", "run"] : [process.execPath];
let program: ChildProcess | undefined;

startServer({
  run: answered(runProgram),
  installDependencies: streamed(installDependencies),
  runPlugin: (call: grpc.ServerWritableStream<langproto.RunPluginRequest, langproto.RunPluginResponse>) => {
    runPlugin(call);
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
  return runResponse(code, signal);
}

/** Installs the dependencies of a plugin with the command of Pulumi's own host. */
async function installDependencies(
  call: grpc.ServerWritableStream<
    langproto.InstallDependenciesRequest,
    langproto.InstallDependenciesResponse
  >,
): Promise<void> {
  const cwd = call.request.getInfo()?.getProgramDirectory() ?? "";
  const npm = spawn("npm", ["install", "--loglevel=error"], { cwd, stdio: ["ignore", "pipe", "pipe"] });
  npm.stdout.on("data", (text: Buffer) => {
    call.write(new langproto.InstallDependenciesResponse().setStdout(text));
  });
  npm.stderr.on("data", (text: Buffer) => {
    call.write(new langproto.InstallDependenciesResponse().setStderr(text));
  });
  const [code] = (await once(npm, "close")) as [number | null];
  if (code !== 0) throw new Error(`npm install in ${cwd}: exit code ${code ?? "none"}`);
}

/**
 * Runs a plugin as Pulumi's own host does: with the `cmd/run-plugin` of the plugin's SDK, until the engine
 * cancels the call.
 */
function runPlugin(
  call: grpc.ServerWritableStream<langproto.RunPluginRequest, langproto.RunPluginResponse>,
): void {
  const { request } = call;
  const folder = request.getInfo()?.getProgramDirectory() ?? "";
  const launcher = createRequire(join(folder, "index.js")).resolve("@pulumi/pulumi/cmd/run-plugin");
  const variables = request.getEnvList().map((line) => /^([^=]*)=([^]*)$/.exec(line)?.slice(1) ?? []);
  const plugin = spawn(process.execPath, [launcher, folder, ...request.getArgsList()], {
    cwd: request.getPwd(),
    env: Object.fromEntries(variables) as Record<string, string>,
    stdio: ["ignore", "pipe", "pipe"],
  });
  plugin.stdout.on("data", (text: Buffer) => {
    call.write(new langproto.RunPluginResponse().setStdout(text));
  });
  plugin.stderr.on("data", (text: Buffer) => {
    call.write(new langproto.RunPluginResponse().setStderr(text));
  });
  call.on("cancelled", () => plugin.kill("SIGKILL"));
  plugin.once("close", (code: number | null) => {
    if (!call.cancelled) call.write(new langproto.RunPluginResponse().setExitcode(code ?? 1));
    call.end();
  });
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
