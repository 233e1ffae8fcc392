import { join } from "node:path";

import { ROOT } from "./checkout.ts";
import { fill, goBuild, hashOf, isExecutable, onPath } from "./build-cache.ts";
import { cacheRoot, mustRun } from "./process.ts";

/** The Go module of the tool. Its go.mod also lists the dependencies of a generated SDK. */
export const CODEGEN_MODULE = join(import.meta.dirname, "codegen");
const HASH = hashOf(CODEGEN_MODULE, "go.mod", "go.sum", "main.go");
const BUILT = join(cacheRoot(), `codegen-${process.platform}-${process.arch}-${HASH}`);
const BINARY = join(BUILT, "codegen");

/** Runs once before the engine tier: builds codegen/main.go unless it is cached. Prints a note if there is no Go. */
export async function setup(): Promise<void> {
  if (await canGenerate()) return;
  if ((await onPath("go")) === undefined) {
    console.error("Go is not on PATH, so tests that generate an SDK from schema.json are skipped.");
    return;
  }
  console.error("Building the SDK generator; about a minute, once per machine ...");
  await fill(BUILT, (folder) => goBuild(CODEGEN_MODULE, join(folder, "codegen"), "-ldflags", "-s -w", "."));
}

/** Whether the tool was built, which needs Go. */
export async function canGenerate(): Promise<boolean> {
  return isExecutable(BINARY);
}

/**
 * Validates schema.json and generates an SDK in the given folder of each language.
 *
 * @throws {Error} with all diagnostics of the schema, including warnings.
 */
export async function generate(folders: { python?: string; nodejs?: string; go?: string }): Promise<void> {
  await mustRun(BINARY, [join(ROOT, "provider/schema.json"), ...Object.entries(folders).flat()]);
}
