import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";

/** What takes place on a disk. */
export interface InstalledSize {
  readonly packages: number;
  readonly files: number;
  readonly bytes: number;
}

/** Adds up the files in some folders. */
export async function installedSize(...folders: readonly string[]): Promise<InstalledSize> {
  let [packages, files, bytes] = [0, 0, 0];
  for (const folder of folders) {
    for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile()) continue;
      files += 1;
      bytes += (await stat(join(entry.parentPath, entry.name))).size;
      if (entry.name === "package.json" && isPackage(entry.parentPath)) packages += 1;
    }
  }
  return { packages, files, bytes };
}

/** Whether a folder is a package's own: `node_modules/name` or `node_modules/@scope/name`. */
function isPackage(folder: string): boolean {
  return /node_modules\/(@[^/]+\/)?[^/@]+$/.test(folder);
}
