import { mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Deployment } from "@pulumi/pulumi/automation/index.js";
import { engineEnv } from "./engine-env.ts";
import { type Program, serveProgram } from "./inline-program.ts";
import { type Result, toResult } from "./operation.ts";
import { type Ended, type ProcessOptions, type RunningProcess, startProcess } from "./process.ts";

/** The folder whose node_modules has `pulumi-partners` and the SDK. */
const REPOSITORY = join(import.meta.dirname, "..", "..");

/** Stack configuration by full key, such as `partners:baseUrl`. */
export type Configuration = Readonly<Record<string, { readonly value: string; readonly secret?: boolean }>>;

/** What a test stack is made of. */
export interface TestStackOptions {
  /** Runs in this process, at every preview and update. @default the project's own program, in a process of its own */
  readonly program?: Program | undefined;
  /** Further files of the project, by name. @default none */
  readonly files?: Readonly<Record<string, string>>;
  /** @default none */
  readonly config?: Configuration;
  /** Variables for the engine and its plugins. None of this machine's `PARTNERS_*` and `PULUMI_*` variables reach them. */
  readonly env?: Readonly<Record<string, string>>;
  /** @default "test" */
  readonly projectName?: string;
  /** @default "dev" */
  readonly stackName?: string;
}

/** How one operation differs from the usual. */
export interface OperationOptions {
  /** Further flags of the CLI, such as `--expect-no-changes` or `--target`. */
  readonly flags?: readonly string[];
  /** Milliseconds after which the operation is interrupted and rejects. @default 120000 */
  readonly timeoutMs?: number;
}

/** A stack of its own, on a backend of its own, operated by the real engine. */
export interface TestStack {
  preview(options?: OperationOptions): Promise<Result>;
  up(options?: OperationOptions): Promise<Result>;
  refresh(options?: OperationOptions): Promise<Result>;
  destroy(options?: OperationOptions): Promise<Result>;
  /** Sets stack configuration for the operations to come. */
  configure(settings: Configuration): Promise<void>;
  /** Changes the program for the operations to come. */
  setProgram(program: Program): void;
  /** The stack's outputs, secrets in clear. */
  outputs(): Promise<Record<string, unknown>>;
  /** The state file as it lies in the backend: what must not hold a secret in clear. */
  stateFile(): Promise<string>;
  /** The state with secrets in clear, to look at or to change and import. */
  exportStack(): Promise<Deployment>;
  importStack(deployment: Deployment): Promise<void>;
  readonly backendDir: string;
  /** The project's folder, for other commands that work in one. */
  readonly projectDir: string;
  /** The environment that the CLI runs with. */
  readonly env: Readonly<Record<string, string>>;
  /** Interrupts what is still running, and removes stack, backend and temporary folders. Resources are not destroyed. */
  dispose(): Promise<void>;
}

/**
 * Makes a stack whose program is a function. One CLI process per operation, where the Automation API's `Stack.up` starts four
 * (it also asks for outputs, twice, and for the history): half the time of a test.
 *
 * @example
 * const stack = await createTestStack({ program: async () => ({ greeting: "hello" }) });
 * expect(await stack.up()).toMatchObject({ ok: true, changes: { create: 1 } });
 * await stack.dispose();
 */
export async function createTestStack(options: TestStackOptions): Promise<TestStack> {
  const { projectName = "test", stackName = "dev", config = {}, files = {} } = options;
  let { program } = options;
  const engine = await engineEnv({ PULUMI_STACK: stackName, ...options.env });
  const project = join(engine.dir, "project");
  await mkdir(project);
  await writeFile(join(project, "Pulumi.yaml"), `name: ${projectName}\nruntime: nodejs\n`);
  // The dynamic provider's code resolves packages from the project's folder.
  await symlink(join(REPOSITORY, "node_modules"), join(project, "node_modules"));
  for (const [name, text] of Object.entries(files)) await writeFile(join(project, name), text);
  const server = program && (await serveProgram(() => program?.() ?? Promise.resolve()));
  const client = server ? ["--client", server.address, "--exec-kind", "auto.inline"] : [];
  const running = new Set<RunningProcess>();

  const pulumi = async (args: readonly string[], more: Partial<ProcessOptions> = {}): Promise<Ended> => {
    const process = startProcess("pulumi", [...args, "--non-interactive"], {
      cwd: project,
      env: engine.env,
      ...more,
    });
    running.add(process);
    return process.ended.finally(() => running.delete(process));
  };

  const pulumiOrThrow = async (...args: string[]): Promise<string> => {
    const { code, stdout, stderr } = await pulumi(args);
    if (code !== 0) throw new Error(`pulumi ${args.join(" ")}: ${stderr}`);
    return stdout;
  };

  let operations = 0;
  const operate = async (
    args: string[],
    { flags = [], timeoutMs }: OperationOptions = {},
  ): Promise<Result> => {
    const log = join(engine.dir, `events-${++operations}.json`);
    const ended = await pulumi([...args, ...client, "--event-log", log, ...flags], {
      env: { ...engine.env, PULUMI_DEBUG_COMMANDS: "true" }, // The CLI has no --event-log without it.
      ...(timeoutMs !== undefined && { timeoutMs }),
    });
    // Without a log, the operation failed before the engine began.
    return toResult(ended, await readFile(log, "utf8").catch(() => ""));
  };

  await pulumiOrThrow("stack", "init", stackName);
  const configure = async (settings: Configuration): Promise<void> => {
    const flags = Object.entries(settings).flatMap(([key, { value, secret }]) => [
      secret ? "--secret" : "--plaintext",
      `${key}=${value}`,
    ]);
    if (flags.length > 0) await pulumiOrThrow("config", "set-all", ...flags);
  };
  await configure(config);

  return {
    preview: (more) => operate(["preview"], more),
    up: (more) => operate(["up", "--yes", "--skip-preview"], more),
    refresh: (more) => operate(["refresh", "--yes", "--skip-preview"], more),
    destroy: (more) => operate(["destroy", "--yes", "--skip-preview"], more),
    configure,
    setProgram: (next) => {
      if (!server) throw new Error("The program of this stack is its project's own.");
      program = next;
    },
    outputs: async () =>
      JSON.parse(await pulumiOrThrow("stack", "output", "--json", "--show-secrets")) as Record<
        string,
        unknown
      >,
    stateFile: () =>
      readFile(join(engine.backendDir, ".pulumi", "stacks", projectName, `${stackName}.json`), "utf8"),
    exportStack: async () =>
      JSON.parse(await pulumiOrThrow("stack", "export", "--show-secrets")) as Deployment,
    importStack: async (deployment) => {
      const file = join(engine.dir, "import.json");
      await writeFile(file, JSON.stringify(deployment));
      await pulumiOrThrow("stack", "import", "--file", file);
    },
    backendDir: engine.backendDir,
    projectDir: project,
    env: engine.env,
    dispose: async () => {
      await Promise.all([...running].map((process) => process.stop()));
      server?.close();
      await engine.dispose();
    },
  };
}
