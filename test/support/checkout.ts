import { execFileSync } from "node:child_process";
import { cp, mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";

/** The folder of the repository. */
export const ROOT = join(import.meta.dirname, "../..");

/** Copies the repository as it is checked out, without what has been installed or built. */
export async function copyCheckout(to: string): Promise<void> {
  const files = execFileSync("git", ["ls-files"], { cwd: ROOT, encoding: "utf8" })
    .split("\n")
    .filter(Boolean);
  for (const file of files) {
    await mkdir(dirname(join(to, file)), { recursive: true });
    await cp(join(ROOT, file), join(to, file));
  }
}

/** {@link copyCheckout}, and the build: what packing needs, so that it does not write into this checkout. */
export async function copyBuild(to: string): Promise<void> {
  await copyCheckout(to);
  await cp(join(ROOT, "provider/dist"), join(to, "provider/dist"), { recursive: true });
}
