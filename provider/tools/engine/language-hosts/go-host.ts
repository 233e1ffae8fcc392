/**
 * The language host for `runtime: go` if the CLI comes without Pulumi's own. It implements the part of the
 * LanguageRuntime service that is needed to install the dependencies of a program, with a generated SDK, and
 * to run it.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import langproto from "@pulumi/pulumi/proto/language_pb.js";
import plugproto from "@pulumi/pulumi/proto/plugin_pb.js";
import sdk from "@pulumi/pulumi/version.js";
import { generate } from "../../codegen/generators.ts";
import { mustRun } from "../../child-process.ts";
import { always, answered, engineAddress, runResponse, startServer, streamed } from "./language-server.ts";

/** Milliseconds. A first build compiles Pulumi's SDK with all its dependencies. */
const BUILD_LIMIT = 10 * 60_000;

startServer({
  run: answered(runProgram),
  generatePackage: answered(generatePackage),
  link: answered(link),
  installDependencies: streamed<langproto.InstallDependenciesRequest, unknown>(({ request }) =>
    go(request.getInfo()?.getProgramDirectory() ?? "", "mod", "tidy"),
  ),
  getPluginInfo: always(new plugproto.PluginInfo().setVersion(sdk.version)),
  // The plugin is installed already.
  getRequiredPackages: always(new langproto.GetRequiredPackagesResponse()),
  getRequiredPlugins: always(new langproto.GetRequiredPluginsResponse()),
});

/** Compiles a program, and runs it with the variables that the Go SDK reads. */
async function runProgram(request: langproto.RunRequest): Promise<langproto.RunResponse> {
  const folder = await mkdtemp(join(tmpdir(), "pulumi-partners-"));
  try {
    const executable = join(folder, "program");
    await go(request.getInfo()?.getProgramDirectory() ?? "", "build", "-o", executable);
    const env = {
      ...process.env,
      PULUMI_ORGANIZATION: request.getOrganization(),
      PULUMI_PROJECT: request.getProject(),
      PULUMI_STACK: request.getStack(),
      PULUMI_CONFIG: JSON.stringify(Object.fromEntries(request.getConfigMap().entries())),
      PULUMI_CONFIG_SECRET_KEYS: JSON.stringify(request.getConfigsecretkeysList()),
      PULUMI_DRY_RUN: String(request.getDryrun()),
      PULUMI_PARALLEL: String(request.getParallel()),
      PULUMI_MONITOR: request.getMonitorAddress(),
      PULUMI_ENGINE: engineAddress,
    };
    // The engine shows the output of this process as the output of the program.
    const program = spawn(executable, { cwd: request.getPwd(), env, stdio: "inherit" });
    const [code, signal] = (await once(program, "exit")) as [number | null, NodeJS.Signals | null];
    return runResponse(code, signal);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Generates the SDK of a package, with the generator of Pulumi's own host. */
async function generatePackage(
  request: langproto.GeneratePackageRequest,
): Promise<langproto.GeneratePackageResponse> {
  const folder = await mkdtemp(join(tmpdir(), "pulumi-partners-"));
  try {
    const schema = join(folder, "schema.json");
    await writeFile(schema, request.getSchema());
    await generate({ go: request.getDirectory() }, schema);
    return new langproto.GeneratePackageResponse();
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Points the module of a program at the generated SDKs. */
async function link(request: langproto.LinkRequest): Promise<langproto.LinkResponse> {
  const cwd = request.getInfo()?.getProgramDirectory() ?? "";
  for (const linked of request.getPackagesList()) {
    const folder = join(request.getInfo()?.getRootDirectory() ?? "", linked.getPath());
    const name = (await go(folder, "list", "-m")).trim();
    await go(cwd, "mod", "edit", "-replace", `${name}=./${relative(cwd, folder)}`);
  }
  return new langproto.LinkResponse();
}

async function go(cwd: string, ...args: readonly string[]): Promise<string> {
  return mustRun("go", args, { cwd, timeoutMs: BUILD_LIMIT });
}
