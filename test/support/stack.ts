import { mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type grpc from "@grpc/grpc-js";
import type { Deployment, EngineEvent } from "@pulumi/pulumi/automation/index.js";
import automation from "@pulumi/pulumi/automation/server.js";
import langgrpc from "@pulumi/pulumi/proto/language_grpc_pb.js";
import { engineEnv } from "./engine.ts";
import { serveGrpc, type GrpcServer } from "./grpc-server.ts";
import { type Ended, type ProcessOptions, runProcess } from "./process.ts";

/** A Pulumi program as a function; what it returns are the stack's outputs. */
export type Program = () => Promise<unknown>;

/** What a test stack is made of. */
export interface TestStackOptions {
  /** Runs in this process, at every preview and update. @default the project's own program, in a process of its own */
  readonly program?: Program | undefined;
  /** Further files of the project, by name. @default none */
  readonly files?: Readonly<Record<string, string>>;
  /** Variables for the engine and its plugins. None of this machine's `PARTNERS_*` and `PULUMI_*` variables reach them. */
  readonly env?: Readonly<Record<string, string>>;
}

/** How one operation differs from the usual. */
export interface OperationOptions {
  /** Further flags of the CLI, such as `--expect-no-changes` or `--target`. */
  readonly flags?: readonly string[];
  /** Milliseconds after which the operation is interrupted and rejects. @default 120000 */
  readonly timeoutMs?: number;
}

/** What an operation of the engine said and did. A failed one is a result, not an exception: tests look at it. */
export interface Result {
  readonly ok: boolean;
  /** What a person would read as errors; empty if the operation succeeded. */
  readonly error: string;
  readonly stdout: string;
  readonly stderr: string;
  /** The engine's events as one text, without debug messages: in those, the SDK itself writes secret outputs in clear. */
  readonly eventLog: string;
  /** How many resources met which fate, the stack itself included: `{ create: 2, same: 1 }`. Empty if it failed early. */
  readonly changes: Readonly<Record<string, number>>;
  /** Milliseconds, from the start of the CLI to its end. */
  readonly ms: number;
}

/** A stack of its own, on a backend of its own, operated by the real engine. */
export type TestStack = Awaited<ReturnType<typeof createTestStack>>;

/**
 * Makes a stack `dev` of a project `test`, whose program is a function. One CLI process per operation, where the Automation
 * API's `Stack.up` starts four: half the time of a test.
 *
 * @example
 * const stack = await createTestStack({ program: async () => ({ greeting: "hello" }) });
 * expect(await stack.up()).toMatchObject({ ok: true, changes: { create: 1 } });
 * await stack.dispose();
 */
export async function createTestStack({ env, files, ...options }: TestStackOptions) {
  let { program } = options;
  const engine = await engineEnv({ PULUMI_STACK: "dev", ...env });
  const project = join(engine.dir, "project");
  await mkdir(project);
  const written = { "Pulumi.yaml": "name: test\nruntime: nodejs\n", ...files };
  for (const [name, text] of Object.entries(written)) await writeFile(join(project, name), text);
  // The dynamic provider's code resolves packages from the project's folder.
  await symlink(join(import.meta.dirname, "../../node_modules"), join(project, "node_modules"));
  const server = program && (await serveProgram(() => program?.() ?? Promise.resolve()));
  const client = server ? ["--client", server.address, "--exec-kind", "auto.inline"] : [];
  const disposal = new AbortController();

  const run = (args: readonly string[], more: Partial<ProcessOptions> = {}): Promise<Ended> => {
    const usual = { cwd: project, env: engine.env, signal: disposal.signal };
    return runProcess("pulumi", [...args, "--non-interactive"], { ...usual, ...more });
  };

  /** Runs any other command of the CLI. @returns what it printed on stdout. @throws if it fails. */
  const pulumi = async (...args: string[]): Promise<string> => {
    const { code, stdout, stderr } = await run(args);
    if (code !== 0) throw new Error(`pulumi ${args.join(" ")}: ${stderr}`);
    return stdout;
  };

  let operations = 0;
  const operate = async (
    args: string[],
    { flags = [], timeoutMs }: OperationOptions = {},
  ): Promise<Result> => {
    const log = join(engine.dir, `events-${++operations}.json`);
    const ended = await run([...args, ...client, "--event-log", log, ...flags], {
      env: { ...engine.env, PULUMI_DEBUG_COMMANDS: "true" }, // The CLI has no --event-log without it.
      ...(timeoutMs !== undefined && { timeoutMs }),
    });
    // Without a log, the operation failed before the engine began.
    return toResult(ended, await readFile(log, "utf8").catch(() => ""));
  };

  await pulumi("stack", "init", "dev");
  /** The state file as it is in the backend: what must not hold a secret in clear. */
  const statePath = join(engine.backendDir, ".pulumi/stacks/test/dev.json");
  return {
    preview: (more?: OperationOptions) => operate(["preview"], more),
    up: (more?: OperationOptions) => operate(["up", "--yes", "--skip-preview"], more),
    refresh: (more?: OperationOptions) => operate(["refresh", "--yes", "--skip-preview"], more),
    destroy: (more?: OperationOptions) => operate(["destroy", "--yes", "--skip-preview"], more),
    pulumi,
    /** Sets stack configuration for the operations to come, by full key, such as `partners:baseUrl`. */
    configure: async (
      settings: Readonly<Record<string, { readonly value: string; readonly secret?: boolean }>>,
    ): Promise<void> => {
      const flags = Object.entries(settings).flatMap(([key, { value, secret }]) => [
        secret ? "--secret" : "--plaintext",
        `${key}=${value}`,
      ]);
      await pulumi("config", "set-all", ...flags);
    },
    /** Changes the program for the operations to come. */
    setProgram: (next: Program): void => {
      if (!server) throw new Error("The program of this stack is its project's own.");
      program = next;
    },
    /** The stack's outputs, secrets in clear. */
    outputs: async () =>
      JSON.parse(await pulumi("stack", "output", "--json", "--show-secrets")) as Record<string, unknown>,
    stateFile: () => readFile(statePath, "utf8"),
    statePath,
    /** The state with secrets in clear, to look at or to change and import. */
    exportStack: async () => JSON.parse(await pulumi("stack", "export", "--show-secrets")) as Deployment,
    importStack: async (deployment: Deployment): Promise<void> => {
      const file = join(engine.dir, "import.json");
      await writeFile(file, JSON.stringify(deployment));
      await pulumi("stack", "import", "--file", file);
    },
    backendDir: engine.backendDir,
    /** Kills what is still running, and removes stack, backend and temporary folders. Resources are not destroyed. */
    dispose: async (): Promise<void> => {
      disposal.abort();
      server?.close();
      await engine.dispose();
    },
  };
}

// The Automation API's own language server. Its type declarations leave it out.
const { LanguageServer } = automation as unknown as {
  LanguageServer: new (program: Program) => grpc.UntypedServiceImplementation;
};

/** Lets the engine run a program in this process, as the Automation API does with inline programs. */
function serveProgram(program: Program): Promise<GrpcServer> {
  return serveGrpc(langgrpc.LanguageRuntimeService, new LanguageServer(program));
}

/** Reads the outcome from what the CLI printed and from the event log that it wrote. */
function toResult({ code, stdout, stderr, ms }: Ended, log: string): Result {
  const lines = log.split("\n").filter((line) => line !== "" && !line.includes('"severity":"debug"'));
  const events = lines.map((line) => JSON.parse(line) as EngineEvent);
  const changes = events.find((event) => event.summaryEvent)?.summaryEvent?.resourceChanges ?? {};
  const errors = events.flatMap(({ diagnosticEvent }) =>
    // Without the colour tags of the engine's messages: `<{%fg 1%}>`.
    diagnosticEvent?.severity === "error" ? [diagnosticEvent.message.replaceAll(/<\{%.*?%\}>/g, "")] : [],
  );
  const ok = code === 0;
  const error = ok ? "" : [...errors, stderr].join("\n").trim();
  return { ok, error, stdout, stderr, eventLog: lines.join("\n"), changes, ms };
}
