import { createHash, randomUUID } from "node:crypto";
import { constants, readFileSync } from "node:fs";
import { access, mkdir, rename, rm } from "node:fs/promises";
import { delimiter, join, resolve } from "node:path";
import { cacheRoot, mustRun } from "./process.ts";

/** Hashes the files that determine a cache entry, for its name. */
export function hashOf(folder: string, ...files: readonly string[]): string {
  const hash = createHash("sha256");
  for (const file of files) hash.update(readFileSync(join(folder, file)));
  return hash.digest("hex").slice(0, 12);
}

/** Builds a cache folder under a temporary name, so that other processes see it complete or not at all. */
export async function fill(target: string, work: (folder: string) => Promise<void>): Promise<void> {
  const folder = join(cacheRoot(), `tmp-${randomUUID()}`);
  await mkdir(folder, { recursive: true });
  try {
    await work(folder);
    await rm(target, { recursive: true, force: true });
    await rename(folder, target);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Builds a package of the Go module in a folder. @throws if Go is too old, or the build fails. */
export async function goBuild(cwd: string, output: string, ...args: readonly string[]): Promise<void> {
  const env = { ...process.env, GOFLAGS: "-mod=readonly" };
  await mustRun("go", ["build", "-trimpath", "-o", output, ...args], { cwd, env, timeoutMs: 25 * 60_000 });
}

/** Whether this process may execute a file. */
export async function isExecutable(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}

/** Finds the first executable of a name on PATH. */
export async function onPath(name: string): Promise<string | undefined> {
  for (const folder of (process.env["PATH"] ?? "").split(delimiter)) {
    const candidate = resolve(folder, process.platform === "win32" ? `${name}.exe` : name);
    if (folder !== "" && (await isExecutable(candidate))) return candidate;
  }
  return undefined;
}
