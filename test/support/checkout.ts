import { cp, mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { mustRun } from "./process.ts";

/** The folder of the repository. */
export const ROOT = join(import.meta.dirname, "../..");

/** The lowest version of each that the package allows and that test/engine/packed.test.ts runs. */
export const LOWEST = {
  /** What undici 8 asks for. */
  node: "22.19.0",
  /** Older ones ignore the inputs that a read returns, and show a drift as an update without a difference. */
  "@pulumi/pulumi": "3.216.0",
  /** Older ones, and all of undici 7 to 7.30.2, repeat a CONNECT without end when a proxy closes the connection. */
  undici: "8.12.4",
  /** The last that the lowest SDK accepts; it takes TypeScript 6 since 3.229.0. */
  typescript: "5.9.3",
} as const;

/** Copies the repository as it is checked out, with the build: what packing needs, so that it does not write into this checkout. */
export async function copyBuild(to: string): Promise<void> {
  const files = (
    await mustRun("git", ["ls-files", "--cached", "--others", "--exclude-standard"], { cwd: ROOT })
  ).split("\n");
  for (const file of files.filter((file) =>
    /^(provider|test\/support|README|LICENSE|package|tsconfig)/.test(file),
  )) {
    await mkdir(dirname(join(to, file)), { recursive: true });
    await cp(join(ROOT, file), join(to, file));
  }
  await cp(join(ROOT, "provider/dist"), join(to, "provider/dist"), { recursive: true });
}
