/**
 * Removes what an earlier build left in provider/dist for sources that are gone: tsc never does, and npm would publish it.
 * After the build and file by file, as tests may be running from dist at the same time.
 */
import { existsSync } from "node:fs";
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";

const PROVIDER = join(import.meta.dirname, "../../provider");

/** The files below `dist` that no source makes, as paths relative to it. */
export async function staleOutput(provider: string): Promise<string[]> {
  const files = await readdir(join(provider, "dist"), { recursive: true, withFileTypes: true });
  return files
    .filter((entry) => entry.isFile() && entry.name !== ".tsbuildinfo")
    .map(({ parentPath, name }) => join(parentPath, name).slice(join(provider, "dist/").length))
    .filter((path) => !existsSync(join(provider, "src", path.replace(/\.d\.ts$|\.js$/, ".ts"))));
}

if (import.meta.main) {
  for (const path of await staleOutput(PROVIDER)) await rm(join(PROVIDER, "dist", path));
}
