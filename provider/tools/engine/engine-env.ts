/**
 * Connects the Pulumi CLI on PATH and the provider in this clone, for the demo and the engine tests.
 */
import { mkdir, mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import manifest from "../../package.json" with { type: "json" };
import { ROOT } from "../checkout.ts";
import { inheritedEnv } from "../child-process.ts";

/** An engine for one test: an empty backend in a temporary folder, and the environment that uses it. */
export interface Engine {
  /** The complete environment for the CLI and for shell commands that call `pulumi`. */
  readonly env: Readonly<Record<string, string>>;
  /** The folder that `PULUMI_BACKEND_URL` names. */
  readonly backendDir: string;
  /** A temporary folder for other files of the test. */
  readonly dir: string;
  /** Removes the temporary folder, including all stacks. */
  dispose(): Promise<void>;
}

/**
 * Creates an {@link Engine}. It ignores the `PULUMI_*` and `PARTNERS_*` variables of this machine and
 * downloads nothing.
 *
 * @param extra Further variables, which override the defaults.
 */
export async function engineEnv(extra: Readonly<Record<string, string>> = {}): Promise<Engine> {
  const dir = await mkdtemp(join(tmpdir(), "pulumi-partners-"));
  const [homeDir, backendDir] = [join(dir, "home"), join(dir, "backend")];
  await mkdir(backendDir);
  const plugin = join(homeDir, `plugins/resource-partners-v${manifest.version}`);
  await mkdir(plugin, { recursive: true });
  const executable = "pulumi-resource-partners";
  await symlink(join(ROOT, "provider/bin", executable), join(plugin, executable));
  const env = {
    ...inheritedEnv(),
    // The Node that runs the tests also runs programs and plugins.
    PATH: [dirname(process.execPath), process.env["PATH"]].join(delimiter),
    PULUMI_HOME: homeDir,
    PULUMI_BACKEND_URL: pathToFileURL(backendDir).href,
    PULUMI_CONFIG_PASSPHRASE: "test",
    PULUMI_SKIP_UPDATE_CHECK: "true",
    PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION: "true",
    // PATH could contain the plugins of another, older CLI.
    PULUMI_IGNORE_AMBIENT_PLUGINS: "true",
    ...extra,
  };
  return { env, backendDir, dir, dispose: () => rm(dir, { recursive: true, force: true, maxRetries: 3 }) };
}
