import { mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type grpc from "@grpc/grpc-js";
import type { Deployment, EngineEvent } from "@pulumi/pulumi/automation/index.js";
import automation from "@pulumi/pulumi/automation/server.js";
import langgrpc from "@pulumi/pulumi/proto/language_grpc_pb.js";
import runtime from "@pulumi/pulumi/runtime/index.js";
import { engineEnv } from "../../provider/tools/engine/engine-env.ts";
import { serveGrpc } from "./grpc-server.ts";
import { startVault } from "./vault.ts";
import { type Ended, mustRun, runProcess, runShell } from "../../provider/tools/child-process.ts";

/** Options of {@link createTestStack}. */
export interface TestStackOptions {
  /**
   * Returns the stack outputs. Runs in this process.
   *
   * @default the program in `files`, in a separate process
   */
  readonly program?: (() => Promise<unknown>) | undefined;
  /** Additional project files by name. */
  readonly files?: Readonly<Record<string, string>>;
  /** Environment variables for the engine and its plugins. */
  readonly env?: Readonly<Record<string, string>>;
}

interface OperationOptions {
  readonly flags?: readonly string[];
  /** Added to the environment of the stack. */
  readonly env?: Readonly<Record<string, string>>;
  /** The time after which the operation is killed and rejects. */
  readonly timeoutMs?: number;
}

/** The result of an operation, whether it succeeded or failed. */
export interface Result {
  readonly ok: boolean;
  /** The errors shown to the user; empty if the operation succeeded. */
  readonly error: string;
  readonly stdout: string;
  readonly stderr: string;
  /**
   * The engine's events as text, without debug messages, in which the SDK itself writes secret outputs in
   * plain text.
   */
  readonly eventLog: string;
  /**
   * The number of resources by operation, including the stack: `{ create: 2, same: 1 }`. Empty if it failed
   * early.
   */
  readonly changes: Readonly<Record<string, number>>;
  /** Milliseconds between start and end of the CLI. */
  readonly ms: number;
}

const MAIN = join(import.meta.dirname, "../../provider/dist/cli/main.js");

/** A stack on its own backend, operated by the real engine. */
export type TestStack = Awaited<ReturnType<typeof createTestStack>>;

/**
 * Creates a stack `dev` of a project `test`. Starts one CLI process per operation; `Stack.up` of the
 * Automation API starts four.
 */
export async function createTestStack({ env, files, program }: TestStackOptions) {
  const vault = await startVault();
  const engine = await engineEnv({ PULUMI_STACK: "dev", ...vault.env, ...env });
  const [project, temporary] = [join(engine.dir, "project"), join(engine.dir, "temporary")];
  for (const folder of [project, temporary]) await mkdir(folder);
  const written = {
    "Pulumi.yaml": "name: test\nruntime: nodejs\n",
    "Pulumi.dev.yaml": vault.stackSettings,
    ...files,
  };
  for (const [name, text] of Object.entries(written)) await writeFile(join(project, name), text);
  // The dynamic provider resolves packages from the project folder.
  await symlink(join(import.meta.dirname, "../../node_modules"), join(project, "node_modules"));
  const server = program && (await serveGrpc(langgrpc.LanguageRuntimeService, new LanguageServer(program)));
  const client = server ? ["--client", server.address, "--exec-kind", "auto.inline"] : [];
  const disposal = new AbortController();

  const options = { cwd: project, env: engine.env, signal: disposal.signal };
  const pulumi = (...args: string[]): Promise<string> =>
    mustRun("pulumi", [...args, "--non-interactive"], options);

  /** Lets commands in a shell run the program of this process, and nobody confirm anything. */
  const prelude = `npx() { shift 3; node '${MAIN}' "$@"; }
    export PULUMI_SKIP_CONFIRMATIONS=true
    pulumi() {
      case "$1" in
        up | preview | refresh | destroy) command pulumi "$@" ${client.join(" ")} ;;
        *) command pulumi "$@" ;;
      esac
    }`;

  let operations = 0;
  const operation =
    (...args: string[]) =>
    async ({ flags = [], env, timeoutMs = 120_000 }: OperationOptions = {}): Promise<Result> => {
      const log = join(engine.dir, `events-${++operations}.json`);
      const ended = await runProcess(
        "pulumi",
        [...args, ...client, "--event-log", log, ...flags, "--non-interactive"],
        // --event-log needs PULUMI_DEBUG_COMMANDS.
        {
          ...options,
          env: { TMPDIR: temporary, ...engine.env, ...env, PULUMI_DEBUG_COMMANDS: "true" },
          timeoutMs,
        },
      );
      // There is no log if the operation failed before the engine started.
      return toResult(ended, await readFile(log, "utf8").catch(() => ""));
    };

  /** The state file in the backend, which must not contain a secret in plain text. */
  const statePath = join(engine.backendDir, ".pulumi/stacks/test/dev.json");
  // As `pulumi stack init` creates them.
  await mkdir(dirname(statePath), { recursive: true });
  await writeFile(join(engine.backendDir, ".pulumi/meta.yaml"), "version: 1\n");
  const checkpoint = { stack: "organization/test/dev", latest: {} };
  await writeFile(statePath, JSON.stringify({ version: 3, checkpoint }));
  return {
    preview: operation("preview"),
    up: operation("up", "--yes", "--skip-preview"),
    refresh: operation("refresh", "--yes", "--skip-preview"),
    destroy: operation("destroy", "--yes", "--skip-preview"),
    /** Runs any other CLI command. @returns Its stdout. @throws if it fails. */
    pulumi,
    /** Runs shell commands as a reader types them. `npx --no -- pulumi-partners` runs the current build. */
    shell: (script: string): Promise<Ended> =>
      runShell(`${prelude}\n${script}`, { ...options, timeoutMs: 600_000 }),
    /** Sets stack configuration. The access token and the headers are secrets. */
    configure: async (settings: Readonly<Record<string, string>>): Promise<void> => {
      const flags = Object.entries(settings).flatMap(([name, value]) => [
        name === "accessToken" || name === "headers" ? "--secret" : "--plaintext",
        `partners:${name}=${value}`,
      ]);
      await pulumi("config", "set-all", ...flags);
    },
    /** The folder of the project. */
    projectDir: project,
    /** Replaces a project file. */
    write: (name: string, text: string): Promise<void> => writeFile(join(project, name), text),
    /** The stack outputs, with secrets in plain text. */
    outputs: async () =>
      JSON.parse(await pulumi("stack", "output", "--json", "--show-secrets")) as Record<string, unknown>,
    stateFile: () => readFile(statePath, "utf8"),
    /** The state, with secrets in plain text. */
    exportStack: async () => JSON.parse(await pulumi("stack", "export", "--show-secrets")) as Deployment,
    backendDir: engine.backendDir,
    /** Kills running commands and removes all files. Does not destroy resources. */
    dispose: async (): Promise<void> => {
      disposal.abort();
      server?.close();
      vault.close();
      await engine.dispose();
    },
  };
}

// Clients share connections by address. If a new engine gets the port of an earlier one, the old connection,
// which waits before it connects again, fails the program's first call. The SDK says nothing of that, as if
// the program declared nothing, and the engine deletes everything.
const { grpcClientOptions } = runtime as unknown as { grpcClientOptions: object };
Object.assign(grpcClientOptions, { "grpc.use_local_subchannel_pool": 1 });

// The language server of the Automation API is missing from its type declarations.
const { LanguageServer } = automation as unknown as {
  LanguageServer: new (program: () => Promise<unknown>) => grpc.UntypedServiceImplementation;
};

/** Combines the output of the CLI and its event log. */
function toResult({ code, stdout, stderr, ms }: Ended, log: string): Result {
  const lines = log.split("\n").filter((line) => line !== "" && !line.includes('"severity":"debug"'));
  const events = lines.map((line) => JSON.parse(line) as EngineEvent);
  const changes = events.find((event) => event.summaryEvent)?.summaryEvent?.resourceChanges ?? {};
  const errors = events.flatMap(({ diagnosticEvent }) =>
    // Engine messages contain color tags such as `<{%fg 1%}>`.
    diagnosticEvent?.severity === "error" ? [diagnosticEvent.message.replaceAll(/<\{%.*?%\}>/g, "")] : [],
  );
  const ok = code === 0;
  // A program in YAML can fail without a word in the events or on stderr.
  const error = ok ? "" : [...errors, stderr].join("\n").trim() || `exit code ${code}`;
  return { ok, error, stdout, stderr, eventLog: lines.join("\n"), changes, ms };
}
