import { type ChildProcess, spawn } from "node:child_process";
import { createRequire } from "node:module";
import { join } from "node:path";
import langproto from "@pulumi/pulumi/proto/language_pb.js";

/** The SDK's launcher exits with this code when it has already told the user what is wrong; the engine then adds nothing. */
const ALREADY_REPORTED = 32;

/** Starts a Pulumi program as Pulumi's own Node.js language host does: the SDK's `cmd/run` in a process of its own. */
export class ProgramRunner {
  readonly #engineAddress: string;
  #program: ChildProcess | undefined;

  constructor(engineAddress: string) {
    this.#engineAddress = engineAddress;
  }

  /** Runs the program to its end. Rejects only where no process could be started, for instance without an installed SDK. */
  async run(request: langproto.RunRequest): Promise<langproto.RunResponse> {
    // Resolved from the program's folder: a program runs with the SDK it has installed, not with ours.
    const launcher = createRequire(join(request.getPwd(), "index.js")).resolve("@pulumi/pulumi/cmd/run");
    const { nodeargs } = options(request);
    const nodeArgs = typeof nodeargs === "string" ? nodeargs.split(/\s+/).filter(Boolean) : [];
    const program = spawn(
      process.execPath,
      [...nodeArgs, launcher, ...launcherArgs(request, this.#engineAddress)],
      {
        env: { ...process.env, ...launcherEnv(request) },
        stdio: "inherit", // The engine reads this process's output and shows it as the program's.
      },
    );
    this.#program = program;
    const ending = await new Promise<number | NodeJS.Signals>((resolve, reject) => {
      program.once("error", reject);
      program.once("exit", (code, signal) => {
        resolve(signal ?? code ?? 0);
      });
    });
    this.#program = undefined;
    return response(ending);
  }

  /** Interrupts the program, if one is running. */
  stop(): void {
    this.#program?.kill("SIGINT");
  }
}

function response(ending: number | NodeJS.Signals): langproto.RunResponse {
  const result = new langproto.RunResponse();
  if (ending === 0) return result;
  if (ending === ALREADY_REPORTED) return result.setBail(true);
  return result.setError(
    typeof ending === "number"
      ? `Program exited with non-zero exit code: ${ending}`
      : `Program ended by ${ending}`,
  );
}

function launcherArgs(request: langproto.RunRequest, engineAddress: string): string[] {
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
  const { typescript, tsconfig } = options(request);
  return {
    PULUMI_CONFIG: JSON.stringify(Object.fromEntries(request.getConfigMap().entries())),
    PULUMI_CONFIG_SECRET_KEYS: JSON.stringify(request.getConfigsecretkeysList()),
    PULUMI_NODEJS_TYPESCRIPT: String(typescript !== false),
    ...(typeof tsconfig === "string" && { PULUMI_NODEJS_TSCONFIG_PATH: tsconfig }),
  };
}

/** What stands under `runtime: options:` in Pulumi.yaml. */
function options(request: langproto.RunRequest): Record<string, unknown> {
  return request.getInfo()?.getOptions()?.toJavaScript() ?? {};
}
