/**
 * `npm run build` ends with this: it removes the output of deleted sources from provider/dist, which tsc
 * keeps and npm would publish. `tsc --build --clean` or rimraf would remove files that running tests need.
 */
import { existsSync, readdirSync, rmSync } from "node:fs";
import { join, relative } from "node:path";

const PROVIDER = join(import.meta.dirname, "../..");
const DIST = join(PROVIDER, "dist");

for (const entry of readdirSync(DIST, { recursive: true, withFileTypes: true })) {
  const file = join(entry.parentPath, entry.name);
  const source = relative(DIST, file).replace(/\.d\.ts$|\.js$/, ".ts");
  const isOutput = entry.isFile() && entry.name !== ".tsbuildinfo";
  if (isOutput && !existsSync(join(PROVIDER, "src", source))) rmSync(file);
}
