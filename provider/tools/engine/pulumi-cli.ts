/** Puts a Pulumi CLI on PATH, for the demo, the engine tests and the release check. */
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import sdk from "@pulumi/pulumi/package.json" with { type: "json" };

import { ROOT } from "../checkout.ts";
import { LONG_LIMIT, mustRun } from "../child-process.ts";

/**
 * The oldest Pulumi CLI with which the engine tests run. One before 3.254 would lose the outputs of a dynamic
 * resource when it imports a file.
 */
export const OLDEST_CLI = "3.259.0";

/** A language whose host only some tests need. */
type Language = "yaml" | "java";

/** Where a CLI comes from. Tests replace the parts that need a network, or minutes. */
export interface CliSources {
  /** Returns what `pulumi version` prints. @throws if there is none on PATH. */
  printVersion(): Promise<string>;
  /** Whether a CLI was built here before. */
  isBuilt(): boolean;
  /** Downloads a CLI with all language hosts. @returns Its folder. @throws if that is impossible. */
  download(): Promise<string>;
  /** Builds a CLI with Go. @returns Its folder. */
  build(languages: readonly Language[]): Promise<string>;
}

const CACHE = join(ROOT, "node_modules/.cache");
const BUILT = join(CACHE, "pulumi-cli");
/** Milliseconds for a slow network. Whether there is one, download-cli.ts finds out sooner. */
const DOWNLOAD_LIMIT = 5 * 60_000;

const SOURCES: CliSources = {
  printVersion: () =>
    mustRun("pulumi", ["version"], { env: { ...process.env, PULUMI_SKIP_UPDATE_CHECK: "true" } }),
  isBuilt: () => existsSync(join(BUILT, "pulumi")),
  async download() {
    const folder = join(CACHE, `pulumi-${sdk.version}`);
    const script = join(import.meta.dirname, "download-cli.ts");
    const env = { ...process.env, NODE_USE_ENV_PROXY: "1" };
    // In a process of its own, because the SDK's installer cannot be stopped.
    await mustRun(process.execPath, [script, folder], { env, timeoutMs: DOWNLOAD_LIMIT, ownGroup: true });
    return join(folder, "bin");
  },
  async build(languages) {
    const script = join(import.meta.dirname, "cli-module/build.sh");
    await mustRun("bash", [script, BUILT, ...languages], { timeoutMs: LONG_LIMIT });
    return BUILT;
  },
};

/** Runs once before the engine tier, so that a build does not count as the time of a test. */
export async function setup(): Promise<void> {
  await providePulumi(["yaml", "java"]);
}

/**
 * Does nothing if `pulumi` on PATH is new enough. Otherwise, puts one on PATH that Pulumi's installer
 * downloads or, where its site cannot be reached, that Go builds.
 *
 * @param languages The language hosts that a build needs besides those for Go, Node and Python.
 * @param env Whose PATH is changed. With `PARTNERS_TEST_CLI=build`, Go builds the CLI in any case.
 * @throws {Error} if there is no way to a CLI.
 */
export async function providePulumi(
  languages: readonly Language[] = [],
  env = process.env,
  sources = SOURCES,
): Promise<void> {
  const mustBuild = env["PARTNERS_TEST_CLI"] === "build";
  const printed = await sources.printVersion().catch(() => "");
  const version = /\d+\.\d+\.\d+/.exec(printed)?.[0] ?? "0";
  if (!mustBuild && version.localeCompare(OLDEST_CLI, "en", { numeric: true }) >= 0) return;
  console.error(`Looking for a Pulumi CLI ${OLDEST_CLI} or newer that is not on PATH.`);
  const downloaded = mustBuild || sources.isBuilt() ? null : await download(sources);
  const folder = downloaded ?? (await build(languages, sources));
  env["PATH"] = `${folder}${delimiter}${env["PATH"]}`;
}

/** Returns `null` if no CLI can be downloaded. */
async function download(sources: CliSources): Promise<string | null> {
  console.error("Downloading one with Pulumi's installer, into node_modules/.cache ...");
  return sources.download().catch(() => null);
}

async function build(languages: readonly Language[], sources: CliSources): Promise<string> {
  console.error("Building one with Go. The first time, this takes 3 to 6 minutes on 2 cores ...");
  try {
    return await sources.build(languages);
  } catch (cause) {
    throw new Error(`Install Pulumi ${OLDEST_CLI} or newer and put it on PATH, or install Go.`, { cause });
  }
}
