/** What the tools and tests know of this repository: where it is, what it supports, and how to copy it. */
import { existsSync } from "node:fs";
import { cp, mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { mustRun } from "./child-process.ts";

/** The root of the repository. */
export const ROOT = join(import.meta.dirname, "../..");

/** The lowest versions that the package supports. test/engine/docs.test.ts runs them. */
export const LOWEST = {
  /** The minimum of undici 8. */
  node: "22.19.0",
  /** Older versions ignore the inputs that a read returns, so drift shows as an update without a diff. */
  "@pulumi/pulumi": "3.216.0",
  /** Older versions, and undici 7 up to 7.30.2, repeat a CONNECT forever if a proxy closes the connection. */
  undici: "8.13.1",
  /** The newest that the lowest SDK accepts. The SDK accepts TypeScript 6 since 3.229.0. */
  typescript: "5.9.3",
} as const;

/**
 * The oldest Pulumi CLI with which the engine tests run. One before 3.254 would lose the outputs of a dynamic
 * resource when it imports a file.
 */
export const OLDEST_CLI = "3.259.0";

/** Returns the files that Git holds, with changes and files that are not committed yet. */
export async function listFiles(...patterns: readonly string[]): Promise<string[]> {
  const args = ["ls-files", "--cached", "--others", "--exclude-standard", "--", ...patterns];
  const files = (await mustRun("git", args, { cwd: ROOT })).trim().split("\n");
  return files.filter((file) => existsSync(join(ROOT, file)));
}

/** Copies what Git holds of the packages, as in a fresh clone. */
export async function copySources(to: string): Promise<void> {
  for (const file of await listFiles("provider", "README.md", "LICENSE", "package*.json", "tsconfig.json")) {
    await mkdir(dirname(join(to, file)), { recursive: true });
    await cp(join(ROOT, file), join(to, file));
  }
}

/** Copies the files and the build that packing needs, so that packing does not write into this checkout. */
export async function copyBuild(to: string): Promise<void> {
  await copySources(to);
  await cp(join(ROOT, "provider/dist"), join(to, "provider/dist"), { recursive: true });
}
