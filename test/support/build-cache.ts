import { createHash, randomUUID } from "node:crypto";
import { constants, readFileSync } from "node:fs";
import { access, mkdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { cacheRoot, runProcess } from "./process.ts";

/** Files that decide what a cached thing is, as a part of its name. */
export function hashOf(folder: string, ...files: readonly string[]): string {
  const hash = createHash("sha256");
  for (const file of files) hash.update(readFileSync(join(folder, file)));
  return hash.digest("hex").slice(0, 12);
}

/** Fills a folder of the cache under another name first, so that others see it complete or not at all. */
export async function fill(target: string, work: (folder: string) => Promise<void>): Promise<void> {
  const folder = join(cacheRoot(), `tmp-${randomUUID()}`);
  await mkdir(folder, { recursive: true });
  const started = performance.now();
  const progress = setInterval(() => {
    console.error(`... ${Math.round((performance.now() - started) / 1000)} s`);
  }, 30_000);
  try {
    await work(folder);
    await rm(target, { recursive: true, force: true });
    await rename(folder, target);
  } finally {
    clearInterval(progress);
    await rm(folder, { recursive: true, force: true });
  }
}

/** Builds a package of the Go module in a folder. @throws If Go is too old for it, or the build fails. */
export async function goBuild(cwd: string, output: string, ...args: readonly string[]): Promise<void> {
  const env = { ...process.env, GOFLAGS: "-mod=readonly" };
  const go = (...more: readonly string[]) => runProcess("go", more, { cwd, env, timeoutMs: 25 * 60_000 });
  const { stdout } = await go("version");
  const version = /go(\d+\.\d+(?:\.\d+)?)/.exec(stdout)?.[1] ?? "none";
  const minimum = /^go (\S+)/m.exec(readFileSync(join(cwd, "go.mod"), "utf8"))?.[1] ?? "";
  if (!atLeast(version, minimum)) throw new Error(`Go ${minimum} or newer is needed, not ${version}`);
  const { code, stderr } = await go("build", "-trimpath", "-o", output, ...args);
  if (code !== 0) throw new Error(`go build failed. If it could not download, see GOPROXY.\n${stderr}`);
}

/** Compares versions such as `3.259.0`. */
export function atLeast(version: string, minimum: string): boolean {
  return version.localeCompare(minimum, "en", { numeric: true }) >= 0;
}

/** Whether a file is there that this process may run. */
export async function isExecutable(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}
