/**
 * Packs the provider and fails unless the tarball holds what package.json promises, README and LICENSE, and nothing else; and
 * unless Node, bundlers and TypeScript will find the types, and no link of README is dead there.
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

interface Manifest {
  readonly exports: Record<string, Record<string, string>>;
  readonly bin: Record<string, string>;
}

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
  const manifest = JSON.parse(contents.get("package.json") ?? "{}") as Manifest;
  const promised = [
    ...Object.values(manifest.exports).flatMap((conditions) => Object.values(conditions)),
    ...Object.values(manifest.bin),
  ];
  const wanted = ["package.json", "README.md", "LICENSE", ...promised.map((path) => path.replace("./", ""))];
  const stale = (await staleOutput(join(ROOT, "provider"))).map((file) => `dist/${file}`);
  const links = (contents.get("README.md") ?? "").matchAll(/\]\((?!https:|#)([^)]*)/g);
  const findings = {
    missing: wanted.filter((path) => (contents.get(path) ?? "") === ""),
    foreign: paths.filter((path) => !wanted.includes(path) && !/^dist\/[a-z/-]+\.(js|d\.ts)$/.test(path)),
    stale: stale.filter((path) => contents.has(path)),
    "dead links": [...links].map(([, link = ""]) => link),
    private: paths.filter((path) => PRIVATE.some((text) => contents.get(path)?.includes(text))),
  };
  for (const [what, found] of Object.entries(findings))
    if (found.length > 0) fail(`npm pack is wrong. ${what}: ${found.join(", ")}.`);
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
  const [packed] = Object.values(JSON.parse(output) as Record<string, Packed>);
  if (!packed) throw new Error("npm pack printed nothing");
  return packed;
}

/** Runs a linter for packages and shows what it says where it finds something. */
function lint(...command: readonly string[]): void {
  try {
    execFileSync("npx", ["--no-install", ...command], { cwd: ROOT, encoding: "utf8", stdio: "pipe" });
  } catch (error) {
    fail((error as { stdout?: string }).stdout ?? String(error));
  }
}

function fail(message: string): void {
  console.error(message);
  process.exitCode = 1;
}
