/** Finds, installs or builds a Pulumi CLI, for the demo, the engine tests and the release check. */
import { readFileSync } from "node:fs";
import { chmod, copyFile, symlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { cacheRoot, fill, hashOf } from "../build-cache.ts";
import { OLDEST_CLI } from "../checkout.ts";
import { isExecutable, mustRun, onPath } from "../child-process.ts";
import { goBuild } from "./go-build.ts";

/** A working Pulumi CLI that is new enough, with Pulumi's language hosts in the same folder. */
export interface Pulumi {
  /** The path of the executable. */
  readonly path: string;
  /** The version, such as `3.274.1`. */
  readonly version: string;
}

/** The Go module that pins the CLI and builds it, with the hosts that have no module of their own. */
const MODULE = join(import.meta.dirname, "cli-module");
const PACKAGE = "github.com/pulumi/pulumi/pkg/v3";
const SDK = "github.com/pulumi/pulumi/sdk/v3";
const GO_MOD = readFileSync(join(MODULE, "go.mod"), "utf8");
const VERSION = new RegExp(`^\\s*${PACKAGE} v(\\S+)`, "m").exec(GO_MOD)?.[1] ?? "";
const HASH = hashOf(MODULE, "go.mod", "go.sum", "language-host/main.go", "language-host/sdk.go");
const PLATFORM = `${VERSION}-${process.platform}-${process.arch}`;
const INSTALLED = join(cacheRoot(), `pulumi-${PLATFORM}`);
const BUILT = join(cacheRoot(), `pulumi-${PLATFORM}-${HASH}`);

/** Where the installer downloads the CLI. */
const SITE = "get.pulumi.com";

/** Set by {@link setup} to the CLI that it found, so that test files need not search again. */
const FOUND_VARIABLE = "FOUND_PULUMI_CLI";

/** Language hosts that are Go modules of their own, with the versions that are built. */
const HOSTS = [
  ["yaml", "github.com/pulumi/pulumi-yaml@v1.25.0"],
  ["java", "github.com/pulumi/pulumi-java/pkg@v1.21.2"],
] as const;

/**
 * Runs once before the engine tier, so that a build does not count as the time of a test. A CLI that was
 * built here also gets the hosts for YAML and Java, which the demo does not need.
 */
export async function setup(): Promise<void> {
  const pulumi = await getPulumi();
  console.error(`Pulumi ${pulumi.version}: ${pulumi.path}`);
  process.env[FOUND_VARIABLE] = JSON.stringify(pulumi);
  if (pulumi.path !== join(BUILT, "pulumi")) return;
  for (const [language, module] of HOSTS) {
    const host = join(BUILT, `pulumi-language-${language}`);
    if (await isExecutable(host)) continue;
    const { Dir: folder } = JSON.parse(await mustRun("go", ["mod", "download", "-json", module])) as {
      readonly Dir: string;
    };
    await goBuild(folder, host, `./cmd/pulumi-language-${language}`);
  }
}

/**
 * Finds a Pulumi CLI: `PULUMI_CLI`, `pulumi` on PATH, or the cache. Otherwise, fills the cache with the SDK's
 * installer, or by building the CLI from its Go module.
 *
 * @throws {Error} if every way fails, with the reasons.
 */
export async function getPulumi(): Promise<Pulumi> {
  const found = process.env[FOUND_VARIABLE];
  if (found !== undefined) return JSON.parse(found) as Pulumi;

  const failures: string[] = [];
  const ways = [
    () => process.env["PULUMI_CLI"],
    () => onPath("pulumi"),
    () => join(INSTALLED, "bin/pulumi"),
    () => join(BUILT, "pulumi"),
    () => fill(INSTALLED, install).then(() => join(INSTALLED, "bin/pulumi")),
    () => fill(BUILT, build).then(() => join(BUILT, "pulumi")),
  ];
  for (const way of ways) {
    try {
      const path = await way();
      if (path !== undefined && (await isExecutable(path))) return await verified(path);
    } catch (error) {
      failures.push(error instanceof Error ? error.message : String(error));
      console.error(failures.at(-1));
    }
  }
  const remedy = `Install Pulumi ${OLDEST_CLI} or newer and put it on PATH, or set PULUMI_CLI to its path.`;
  throw new Error(["No Pulumi CLI was found.", ...failures, remedy].join("\n- "));
}

/** Returns the path of a language host in the folder of the CLI; `undefined` if it has none. */
export async function languageHost(language: string): Promise<string | undefined> {
  const path = join(dirname((await getPulumi()).path), `pulumi-language-${language}`);
  return (await isExecutable(path)) ? path : undefined;
}

/** @throws if the CLI does not run, or is too old. */
async function verified(path: string): Promise<Pulumi> {
  const env = { ...process.env, PULUMI_SKIP_UPDATE_CHECK: "true" };
  const version = /\d+\.\d+\.\d+/.exec(await mustRun(path, ["version"], { env }))?.[0] ?? "0";
  if (version.localeCompare(OLDEST_CLI, "en", { numeric: true }) < 0)
    throw new Error(`${path} is ${version}, older than ${OLDEST_CLI}`);
  return { path, version };
}

/**
 * Runs the installer in its own process group, because it has no timeout and leaves its shell script running.
 */
async function install(root: string): Promise<void> {
  await fetch(`https://${SITE}`, { method: "HEAD", signal: AbortSignal.timeout(20_000) }).catch(() => {
    throw new Error(`${SITE} cannot be reached; building the Pulumi CLI from source`);
  });
  console.error(`Installing the Pulumi CLI ${VERSION} with the SDK's installer; at most 3 minutes ...`);
  const installer = `
    const { PulumiCommand } = require("@pulumi/pulumi/automation");
    PulumiCommand.install(${JSON.stringify({ version: VERSION, root })}).catch((error) => {
      console.error(error.message);
      process.exit(1);
    });`;
  const options = { cwd: import.meta.dirname, timeoutMs: 180_000, ownGroup: true };
  await mustRun(process.execPath, ["-e", installer], options).catch((error: unknown) => {
    // The rest of the message is the installer's script.
    const reason = (error as Error).message.trimEnd().split("\n").at(-1) ?? "";
    throw new Error(`The Pulumi CLI cannot be installed; building it from source: ${reason.slice(0, 200)}`);
  });
}

/** Builds the CLI from its Go module, with what Pulumi's releases have in the same folder. */
async function build(folder: string): Promise<void> {
  console.error("This takes 3 to 5 minutes on 2 cores, once per machine.");
  const version = `-X ${SDK}/go/common/version.Version=v${VERSION}`;
  await goBuild(MODULE, join(folder, "pulumi"), `${PACKAGE}/cmd/pulumi`, version);
  await goBuild(MODULE, join(folder, "language-host"), "./language-host");
  for (const language of ["go", "nodejs", "python"])
    await symlink("language-host", join(folder, `pulumi-language-${language}`));
  const sdk = (await mustRun("go", ["list", "-m", "-f", "{{.Dir}}", SDK], { cwd: MODULE })).trim();
  for (const [from, name] of [
    ["python/cmd", "pulumi-language-python-exec"],
    ["nodejs/dist", "pulumi-resource-pulumi-nodejs"],
  ] as const) {
    await copyFile(join(sdk, from, name), join(folder, name));
    await chmod(join(folder, name), 0o755);
  }
}
