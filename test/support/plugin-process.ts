import { spawn } from "node:child_process";
import { once } from "node:events";
import { createRequire } from "node:module";
import { join } from "node:path";
import grpc from "@grpc/grpc-js";
import providergrpc from "@pulumi/pulumi/proto/provider_grpc_pb.js";
import { inheritedEnv } from "./inherited-env.ts";
import { type PluginCalls, pluginCalls } from "./plugin-client.ts";

export { type InitFailure, PluginError, type Properties } from "./plugin-protocol.ts";

const HOST = createRequire(import.meta.url).resolve("@pulumi/pulumi/cmd/dynamic-provider");
/** `pulumi-partners/plugin` resolves from here. */
const REPOSITORY = join(import.meta.dirname, "..", "..");
/** The host insists on an engine's address. Where nobody ever listened, nobody can go away. */
const NO_ENGINE = "127.0.0.1:1";
/** As the engine: that long after SIGINT, it kills a plugin. */
const PATIENCE_MS = 5000;

/** How a plugin process is started. */
export interface PluginOptions {
  /** What `configure` gets: stack configuration by full key, or an explicit provider's arguments. @default {} */
  readonly config?: Readonly<Record<string, string>>;
  /** Variables for the process; none of this machine's `PARTNERS_*` and `PULUMI_*` variables reach it. */
  readonly env?: Readonly<Record<string, string>>;
  /** Whether the host is configured before anything else, as the engine does. @default true */
  readonly configureFirst?: boolean;
  /** Where the engine listens, as host and port. @default nowhere */
  readonly engineAddress?: string;
}

/** How a plugin process ended. */
export interface PluginEnd {
  /** The exit code; `null` where a signal ended it. */
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** A running plugin process. */
export interface Plugin extends PluginCalls {
  /** What it has printed so far, without the port number that it begins with. */
  stdout(): string;
  stderr(): string;
  readonly pid: number;
  kill(signal: NodeJS.Signals): void;
  /** Resolves when the process has ended. */
  readonly ended: Promise<PluginEnd>;
  /** Ends the process as the engine does: SIGINT, and SIGKILL where that does not help. */
  close(): Promise<void>;
}

/** Starts the SDK's real dynamic-provider host in the repository's folder. */
export async function startPlugin({
  config = {},
  env = {},
  configureFirst = true,
  engineAddress = NO_ENGINE,
}: PluginOptions = {}): Promise<Plugin> {
  const child = spawn(process.execPath, [HOST, engineAddress], {
    cwd: REPOSITORY,
    env: { ...inheritedEnv(), PULUMI_NODEJS_PROJECT: "test", ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const reap = (): void => void child.kill("SIGKILL"); // For a test that ends without close().
  process.once("exit", reap);
  const ended = once(child, "exit").then(([code, signal]: unknown[]) => {
    process.off("exit", reap);
    return { code, signal } as PluginEnd;
  });

  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  await Promise.race([once(child.stdout, "data"), ended]);
  const port = /^(\d+)\n/.exec(stdout)?.[1];
  if (port === undefined) throw new Error(`The dynamic-provider host did not start: ${stdout}${stderr}`);
  const client = new providergrpc.ResourceProviderClient(
    `127.0.0.1:${port}`,
    grpc.credentials.createInsecure(),
  );

  const plugin: Plugin = {
    ...pluginCalls(client),
    stdout: () => stdout.slice(port.length + 1),
    stderr: () => stderr,
    pid: child.pid ?? 0,
    kill: (signal) => {
      child.kill(signal);
    },
    ended,
    close: async () => {
      client.close();
      child.kill("SIGINT");
      const killer = setTimeout(() => child.kill("SIGKILL"), PATIENCE_MS);
      await ended;
      clearTimeout(killer);
    },
  };
  if (configureFirst) await plugin.configure(config);
  return plugin;
}
