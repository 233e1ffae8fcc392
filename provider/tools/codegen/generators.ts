/**
 * Builds and runs the Go program in this folder, for the examples in the schema and for tests of SDKs. The
 * commands of the CLI, such as `pulumi package gen-sdk`, need a language host for each language.
 */
import { join } from "node:path";

import { cacheRoot, fill, hashOf } from "../build-cache.ts";
import { ROOT } from "../checkout.ts";
import { isExecutable, mustRun, onPath } from "../child-process.ts";
import { goBuild } from "../go-build.ts";

/** The Go module of the tool. */
const CODEGEN_MODULE = import.meta.dirname;
const HASH = hashOf(CODEGEN_MODULE, "go.mod", "go.sum", "main.go", "programs.go");
const BUILT = join(cacheRoot(), `codegen-${process.platform}-${process.arch}-${HASH}`);
const BINARY = join(BUILT, "codegen");

/** Builds the tool unless it is cached. Runs once before the engine tier. Prints a note if there is no Go. */
export async function setup(): Promise<void> {
  if (await canGenerate()) return;
  if ((await onPath("go")) === undefined) {
    console.error("Go is not on PATH: SDKs are not tested, and the examples in schema.json are not updated.");
    return;
  }
  console.error("Building the generator of SDKs and examples; about a minute, once per machine ...");
  await fill(BUILT, (folder) => goBuild(CODEGEN_MODULE, join(folder, "codegen"), "-ldflags", "-s -w", "."));
}

/** Whether the tool was built, which needs Go. */
export async function canGenerate(): Promise<boolean> {
  return isExecutable(BINARY);
}

/** What to generate, and in which folder: SDKs, or translations of the programs in a folder. */
export type Targets = Readonly<Partial<Record<"python" | "nodejs" | "go" | "programs", string>>>;

/**
 * Validates a schema, and generates SDKs or programs from it.
 *
 * @throws {Error} with all diagnostics of the schema, including warnings.
 */
export async function generate(targets: Targets, schema = join(ROOT, "provider/schema.json")): Promise<void> {
  await mustRun(BINARY, [schema, ...Object.entries(targets).flat()]);
}
