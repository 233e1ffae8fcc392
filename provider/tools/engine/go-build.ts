/** Runs the Go compiler for the Pulumi CLI and its language hosts. */
import { randomUUID } from "node:crypto";
import { rename } from "node:fs/promises";
import { basename } from "node:path";
import { mustRun } from "../child-process.ts";

/**
 * Builds a package of the Go module in a folder. Says every 30 seconds that it is still at it.
 *
 * @param ldflags Flags of the linker.
 * @throws {Error} if Go is missing or too old, or the build fails.
 */
export async function goBuild(cwd: string, output: string, source: string, ldflags = ""): Promise<void> {
  console.error(`Building ${basename(output)} with Go ...`);
  const started = performance.now();
  const timer = setInterval(() => {
    console.error(`Still building after ${Math.round((performance.now() - started) / 1000)} s ...`);
  }, 30_000);
  // The compiler is quicker if it collects less garbage and describes nothing to debuggers. Without cgo, the
  // build needs no C compiler.
  const env = { GOGC: "400", ...process.env, GOFLAGS: "-mod=readonly", CGO_ENABLED: "0" };
  const flags = ["-trimpath", "-gcflags=all=-dwarf=false", `-ldflags=-s -w ${ldflags}`];
  const unfinished = `${output}-${randomUUID()}`;
  try {
    await mustRun("go", ["build", ...flags, "-o", unfinished, source], { cwd, env, timeoutMs: 25 * 60_000 });
    await rename(unfinished, output);
  } finally {
    clearInterval(timer);
  }
}
