/** Fails unless `npm pack` of the provider holds the build, its types, README and LICENSE, and nothing else. */
import { execFileSync } from "node:child_process";
import { statSync } from "node:fs";
import { join } from "node:path";

interface Packed {
  readonly files: readonly { readonly path: string }[];
  readonly size: number;
  readonly unpackedSize: number;
}

const provider = join(import.meta.dirname, "../../provider");
const output = execFileSync("npm", ["pack", "--dry-run", "--json"], {
  cwd: provider,
  encoding: "utf8",
  stdio: ["ignore", "pipe", "ignore"],
});
// npm 10 and 11 print an array, npm 12 an object by package name.
const parsed = JSON.parse(output) as Packed[] | Record<string, Packed>;
const [packed] = Array.isArray(parsed) ? parsed : Object.values(parsed);
if (!packed) throw new Error("npm pack printed nothing");
const paths = packed.files.map(({ path }) => path);

const WANTED = [
  "package.json",
  "README.md",
  "LICENSE",
  "dist/index.js",
  "dist/index.d.ts",
  "dist/plugin/index.js",
  "dist/sandbox/index.js",
  "dist/sandbox/index.d.ts",
  "dist/cli/main.js",
];
const missing = WANTED.filter((path) => !paths.includes(path) || statSync(join(provider, path)).size === 0);
const foreign = paths.filter((path) => !WANTED.includes(path) && !/^dist\/[a-z/-]+\.(js|d\.ts)$/.test(path));
if (missing.length > 0 || foreign.length > 0) {
  console.error(
    `npm pack is wrong. Missing: ${missing.join(", ") || "nothing"}. Foreign: ${foreign.join(", ") || "nothing"}.`,
  );
  process.exit(1);
}
console.log(`npm pack: ${paths.length} files, ${packed.size} bytes packed, ${packed.unpackedSize} unpacked.`);
