/** What the tools and tests know of this repository: where it is, which files it has, and how to copy it. */
import { existsSync } from "node:fs";
import { cp } from "node:fs/promises";
import { join } from "node:path";
import { mustRun } from "./child-process.ts";

/** The root of the repository. */
export const ROOT = join(import.meta.dirname, "../..");

/** Returns the files that Git holds, with changes and files that are not committed yet. */
export async function listFiles(...patterns: readonly string[]): Promise<string[]> {
  const args = ["ls-files", "--cached", "--others", "--exclude-standard", "--", ...patterns];
  const files = (await mustRun("git", args, { cwd: ROOT })).trim().split("\n");
  return files.filter((file) => existsSync(join(ROOT, file)));
}

/** Copies what Git holds of the packages, as in a fresh clone. */
export async function copySources(to: string): Promise<void> {
  for (const file of await listFiles("provider", "README.md", "LICENSE", "package*.json", "tsconfig.json"))
    await cp(join(ROOT, file), join(to, file));
}
