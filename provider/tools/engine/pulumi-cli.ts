/** Puts a Pulumi CLI on PATH, for the demo, the engine tests and the release check. */
import { delimiter, join } from "node:path";
import { ROOT } from "../checkout.ts";
import { mustRun } from "../child-process.ts";

/**
 * The oldest Pulumi CLI with which the engine tests run. One before 3.254 would lose the outputs of a dynamic
 * resource when it imports a file.
 */
export const OLDEST_CLI = "3.259.0";

const SCRIPT = join(import.meta.dirname, "cli-module/build.sh");
const BUILT = join(ROOT, "node_modules/.cache/pulumi-cli");

/** Runs once before the engine tier, so that a build does not count as the time of a test. */
export async function setup(): Promise<void> {
  await providePulumi("yaml", "java");
}

/**
 * Does nothing if `pulumi` on PATH is new enough. Otherwise, builds a CLI with Go and puts it on PATH.
 *
 * @param languages The language hosts that are built besides those for Go, Node and Python.
 * @throws {Error} if the CLI cannot be built.
 */
export async function providePulumi(...languages: readonly ("yaml" | "java")[]): Promise<void> {
  const env = { ...process.env, PULUMI_SKIP_UPDATE_CHECK: "true" };
  const printed = await mustRun("pulumi", ["version"], { env }).catch(() => "");
  const version = /\d+\.\d+\.\d+/.exec(printed)?.[0] ?? "0";
  if (version.localeCompare(OLDEST_CLI, "en", { numeric: true }) >= 0) return;
  console.error(`There is no Pulumi CLI ${OLDEST_CLI} or newer on PATH, so one is built with Go.`);
  console.error("The first time, this takes 3 to 5 minutes on 2 cores ...");
  try {
    await mustRun("bash", [SCRIPT, BUILT, ...languages], { timeoutMs: 25 * 60_000 });
  } catch (cause) {
    throw new Error(`Install Pulumi ${OLDEST_CLI} or newer and put it on PATH, or install Go.`, { cause });
  }
  process.env["PATH"] = `${BUILT}${delimiter}${process.env["PATH"]}`;
}
