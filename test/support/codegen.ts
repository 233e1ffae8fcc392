import { join } from "node:path";

import { ROOT } from "./checkout.ts";
import { fill, goBuild, hashOf, isExecutable } from "./build-cache.ts";
import { cacheRoot, mustRun } from "./process.ts";
import { onPath } from "./pulumi-cli.ts";

/** The Go module of the tool. Its list of modules includes those of a generated SDK. */
export const CODEGEN_MODULE = join(import.meta.dirname, "codegen");
const HASH = hashOf(CODEGEN_MODULE, "go.mod", "go.sum", "main.go");
const BUILT = join(cacheRoot(), `codegen-${process.platform}-${process.arch}-${HASH}`);
const BINARY = join(BUILT, "codegen");

/** Runs once before the engine tier: builds the tool of codegen/main.go, if the cache has none. Says so where that is not possible for want of Go. */
export async function setup(): Promise<void> {
  if (await canGenerate()) return;
  if ((await onPath("go")) === undefined) {
    console.error("There is no Go, so tests that need an SDK generated from schema.json are skipped.");
    return;
  }
  console.error("Building the SDK generator; about a minute, once per machine ...");
  await fill(BUILT, (folder) => goBuild(CODEGEN_MODULE, join(folder, "codegen"), "-ldflags", "-s -w", "."));
}

/** Whether the tool is there: without Go it may not be. */
export async function canGenerate(): Promise<boolean> {
  return isExecutable(BINARY);
}

/**
 * Binds schema.json and generates SDKs, each in the folder given for its language.
 *
 * @throws {Error} with the diagnostics of the schema, warnings too.
 */
export async function generate(folders: { python?: string; nodejs?: string; go?: string }): Promise<void> {
  await mustRun(BINARY, [join(ROOT, "provider/schema.json"), ...Object.entries(folders).flat()]);
}
