/**
 * Connects a Pulumi CLI and the provider in this clone, for the demo and the engine tests.
 */
import { mkdir, mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, delimiter, dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import manifest from "../../package.json" with { type: "json" };
import { ROOT } from "../checkout.ts";
import { inheritedEnv } from "../child-process.ts";
import { getPulumi, languageHost } from "./pulumi-cli.ts";

/**
 * An engine for one test: the CLI, an empty backend in a temporary folder, and the environment that connects
 * them.
 */
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
  const pulumi = await getPulumi();
  const dir = await mkdtemp(join(tmpdir(), "pulumi-partners-"));
  const [binDir, homeDir, backendDir] = [join(dir, "bin"), join(dir, "home"), join(dir, "backend")];
  await mkdir(backendDir);
  await mkdir(binDir);
  await symlink(pulumi.path, join(binDir, "pulumi"));
  const java = await languageHost("java");
  const plugins = {
    [`resource-partners-v${manifest.version}`]: join(ROOT, "provider/bin/pulumi-resource-partners"),
    // The engine finds the other hosts next to the CLI.
    ...(java !== undefined && { "language-java-v1.0.0": java }),
  };
  for (const [plugin, executable] of Object.entries(plugins)) {
    const folder = join(homeDir, "plugins", plugin);
    await mkdir(folder, { recursive: true });
    await symlink(executable, join(folder, basename(executable)));
  }
  const env = {
    ...inheritedEnv(),
    // The Node that runs the tests also runs programs and plugins.
    PATH: [dirname(process.execPath), binDir, process.env["PATH"]].join(delimiter),
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
