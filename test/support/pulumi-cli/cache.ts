import { randomUUID } from "node:crypto";
import { link, mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

/** Longer than any build; a lock of that age belongs to nobody. */
const STALE_AFTER_MS = 30 * 60_000;

/** Where binaries are kept between checkouts: `$XDG_CACHE_HOME/pulumi-partners`, or `~/.cache/pulumi-partners`. */
export function cacheRoot(): string {
  const xdg = process.env["XDG_CACHE_HOME"] ?? "";
  return join(isAbsolute(xdg) ? xdg : join(homedir(), ".cache"), "pulumi-partners");
}

/**
 * Fills a new folder of the cache: under a temporary name, renamed once `fill` has succeeded, so that others see it complete or
 * not at all.
 */
export async function publish(name: string, fill: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(cacheRoot(), "tmp-"));
  try {
    await fill(folder);
    const target = join(cacheRoot(), name);
    await rm(target, { recursive: true, force: true }); // An unusable one; a good one would have been taken.
    await rename(folder, target);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * Lets one process of this machine at a time fill the cache. Losing the lock could only cost a second build: {@link publish} is
 * safe without it.
 */
export async function underLock<T>(say: (line: string) => void, work: () => Promise<T>): Promise<T> {
  const lock = join(cacheRoot(), "lock");
  await mkdir(cacheRoot(), { recursive: true });
  await acquire(lock, say);
  try {
    await removeLeftovers();
    return await work();
  } finally {
    await rm(lock, { force: true });
  }
}

async function acquire(lock: string, say: (line: string) => void): Promise<void> {
  const mine = `${lock}-${randomUUID()}`;
  await writeFile(mine, String(process.pid));
  let told = false;
  // A link, unlike a file that is created and then written, appears with the pid in it.
  while (!(await linked(mine, lock))) {
    const owner = await liveOwner(lock);
    if (owner === undefined) {
      await rm(lock, { force: true });
      continue;
    }
    if (!told) say(`Waiting for process ${owner}, which is getting the Pulumi CLI ...`);
    told = true;
    await sleep(1000);
  }
  await rm(mine);
}

async function linked(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to);
    return true;
  } catch (error) {
    if (codeOf(error) === "EEXIST") return false;
    throw error;
  }
}

/** The process that holds the lock, unless it has died, or the lock is older than any build. */
async function liveOwner(lock: string): Promise<number | undefined> {
  try {
    const pid = Number(await readFile(lock, "utf8"));
    const { mtimeMs } = await stat(lock);
    return isAlive(pid) && Date.now() - mtimeMs < STALE_AFTER_MS ? pid : undefined;
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined; // Released in this moment.
    throw error;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) === "EPERM"; // Alive, and another user's.
  }
}

async function removeLeftovers(): Promise<void> {
  for (const name of await readdir(cacheRoot())) {
    if (name.startsWith("tmp-")) await rm(join(cacheRoot(), name), { recursive: true, force: true });
  }
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined;
}
