/** Keeps what is slow to build, such as the Pulumi CLI, in the cache folder of the user. */
import { hash, randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { mkdir, rename, rm } from "node:fs/promises";
import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";

/** Returns the folder for slow builds: `$XDG_CACHE_HOME/pulumi-partners`, or `~/.cache/pulumi-partners`. */
export function cacheRoot(): string {
  const xdg = process.env["XDG_CACHE_HOME"] ?? "";
  return join(isAbsolute(xdg) ? xdg : join(homedir(), ".cache"), "pulumi-partners");
}

/** Hashes the files that determine a cache entry, for its name. */
export function hashOf(folder: string, ...files: readonly string[]): string {
  const contents = files.map((file) => readFileSync(join(folder, file)));
  return hash("sha256", Buffer.concat(contents)).slice(0, 12);
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
