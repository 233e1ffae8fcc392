/**
 * Packs the provider and fails unless the tarball holds the build, its types, README and LICENSE, and nothing else, and unless
 * Node, bundlers and TypeScript will find in it what package.json promises, and no link of README is dead there.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { ROOT } from "./checkout.ts";
import { staleOutput } from "./stale-output.ts";

interface Packed {
  readonly filename: string;
  readonly files: readonly { readonly path: string }[];
  readonly size: number;
  readonly unpackedSize: number;
}

const WANTED = [
  "package.json",
  "README.md",
  "LICENSE",
  "dist/index.js",
  "dist/index.d.ts",
  "dist/plugin/index.js",
  "dist/plugin/index.d.ts",
  "dist/sandbox/sandbox.js",
  "dist/sandbox/sandbox.d.ts",
  "bin/pulumi-partners.cjs",
  "dist/cli/main.js",
];

/** What has no place in a file that others get: this machine's folders, and maps to sources that are not there. */
const PRIVATE = [ROOT, homedir(), "sourceMappingURL"];

const folder = mkdtempSync(join(tmpdir(), "pulumi-partners-"));
try {
  const { filename, files, size, unpackedSize } = pack();
  const tarball = join(folder, filename);
  execFileSync("tar", ["-xzf", tarball, "-C", folder]);
  const contents = new Map(
    files.map(({ path }) => [path, readFileSync(join(folder, "package", path), "utf8")]),
  );
  const paths = [...contents.keys()];
  complain(
    "Missing",
    WANTED.filter((path) => (contents.get(path) ?? "") === ""),
  );
  complain(
    "Foreign",
    paths.filter((path) => !WANTED.includes(path) && !/^dist\/[a-z/-]+\.(js|d\.ts)$/.test(path)),
  );
  complain(
    "Stale",
    (await staleOutput(join(ROOT, "provider"))).filter((file) => paths.includes(`dist/${file}`)),
  );
  complain(
    "Dead links",
    [...(contents.get("README.md") ?? "").matchAll(/\]\((?!https:|#)([^)]*)/g)].map(([, link = ""]) => link),
  );
  complain(
    "Private",
    paths.filter((path) => PRIVATE.some((text) => contents.get(path)?.includes(text))),
  );
  lint("publint", tarball, "--strict");
  lint("attw", tarball, "--format", "ascii");
  console.log(`npm pack: ${files.length} files, ${size} bytes packed, ${unpackedSize} unpacked.`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function pack(): Packed {
  const output = execFileSync("npm", ["pack", "--json", "--pack-destination", folder], {
    cwd: join(ROOT, "provider"),
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  });
  // npm 10 and 11 print an array, npm 12 an object by package name.
  const parsed = JSON.parse(output) as Packed[] | Record<string, Packed>;
  const [packed] = Array.isArray(parsed) ? parsed : Object.values(parsed);
  if (!packed) throw new Error("npm pack printed nothing");
  return packed;
}

function complain(what: string, paths: readonly string[]): void {
  if (paths.length === 0) return;
  console.error(`npm pack is wrong. ${what}: ${paths.join(", ")}.`);
  process.exitCode = 1;
}

/** Runs a linter for packages and shows what it says where it finds something. */
function lint(...command: readonly string[]): void {
  try {
    execFileSync("npx", ["--no-install", ...command], { cwd: ROOT, encoding: "utf8", stdio: "pipe" });
  } catch (error) {
    console.error((error as { stdout?: string }).stdout ?? error);
    process.exitCode = 1;
  }
}
