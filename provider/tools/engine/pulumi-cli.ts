/** Finds, installs or builds a Pulumi CLI, for the demo, the engine tests and the release check. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { cacheRoot, fill, hashOf, limitCompiledCode } from "../build-cache.ts";
import { isExecutable, mustRun, onPath } from "../child-process.ts";
import { goBuild } from "../go-build.ts";

/** A working Pulumi CLI that is new enough. */
export interface Pulumi {
  /** The path of the executable. */
  readonly path: string;
  /** The version, such as `3.259.0`. */
  readonly version: string;
}

/** In older versions, `pulumi import` of a file loses the outputs of a dynamic resource. */
const MINIMUM_VERSION = "3.254.0";

const MODULE_FOLDER = join(import.meta.dirname, "cli-module");
const PACKAGE = "github.com/pulumi/pulumi/pkg/v3";
const GO_MOD = readFileSync(join(MODULE_FOLDER, "go.mod"), "utf8");
const VERSION = new RegExp(`^\\s*${PACKAGE} v(\\S+)`, "m").exec(GO_MOD)?.[1] ?? "";

/** Where the installer downloads the CLI. */
const SITE = "get.pulumi.com";

const PLATFORM = `${VERSION}-${process.platform}-${process.arch}`;
const INSTALLED = join(cacheRoot(), `pulumi-${PLATFORM}`);
/** Includes a hash, so that a change of the Go modules causes a new build. */
const BUILT = join(cacheRoot(), `pulumi-${PLATFORM}-${hashOf(MODULE_FOLDER, "go.mod", "go.sum")}`);

/** Set by {@link setup} to the CLI that it found, so that test files need not search again. */
const FOUND_VARIABLE = "FOUND_PULUMI_CLI";

/** Runs once before the engine tier, so that the build of a CLI does not count as the time of a test. */
export async function setup(): Promise<void> {
  await limitCompiledCode();
  const pulumi = await getPulumi();
  console.error(`Pulumi ${pulumi.version}: ${pulumi.path}`);
  process.env[FOUND_VARIABLE] = JSON.stringify(pulumi);
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
    // The installed CLI comes with Pulumi's own language host, the built CLI does not.
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
  const remedy = `Install Pulumi ${MINIMUM_VERSION} or newer and put it on PATH, or set PULUMI_CLI to its path.`;
  throw new Error(["No Pulumi CLI was found.", ...failures, remedy].join("\n- "));
}

/** @throws if the CLI does not run, or is too old. */
async function verified(path: string): Promise<Pulumi> {
  const env = { ...process.env, PULUMI_SKIP_UPDATE_CHECK: "true" };
  const version = /\d+\.\d+\.\d+/.exec(await mustRun(path, ["version"], { env }))?.[0] ?? "0";
  if (version.localeCompare(MINIMUM_VERSION, "en", { numeric: true }) < 0)
    throw new Error(`${path} is ${version}, older than ${MINIMUM_VERSION}`);
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

/**
 * Code of other companies' clouds, and of `pulumi cloud`. Nothing that a test runs needs it to be fast, and
 * without inlining, its compilation takes half the time.
 */
const COMPILED_QUICKLY = [
  "github.com/pb33f/...",
  "github.com/aws/...",
  "cloud.google.com/...",
  "github.com/Azure/...",
  "github.com/envoyproxy/...",
  "google.golang.org/api/...",
  "github.com/google/go-tpm/...",
  `${PACKAGE}/cmd/pulumi/cloud`,
];

/** Builds the CLI from its Go module, without a language host: see language-hosts/. */
async function build(folder: string): Promise<void> {
  console.error("This takes about 4 minutes on 2 cores, once per machine.");
  const quickly = COMPILED_QUICKLY.map((pattern) => `-gcflags=${pattern}=-dwarf=false -l`);
  const version = `-X github.com/pulumi/pulumi/sdk/v3/go/common/version.Version=v${VERSION}`;
  const flags = ["-gcflags=all=-dwarf=false", ...quickly, `-ldflags=-s -w ${version}`];
  await goBuild(MODULE_FOLDER, join(folder, "pulumi"), ...flags, `${PACKAGE}/cmd/pulumi`);
}
