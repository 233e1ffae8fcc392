/**
 * Packs the provider. Fails if the tarball lacks README or LICENSE, or contains unexpected files; if Node,
 * bundlers or TypeScript could not resolve the exports of package.json and their types; or if a link in
 * README is dead.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { ROOT } from "../checkout.ts";

interface Packed {
  readonly filename: string;
  readonly files: readonly { readonly path: string }[];
  readonly size: number;
  readonly unpackedSize: number;
}

/** Text that no published file may contain: folders of this machine, and links to unpublished source maps. */
const PRIVATE = [ROOT, homedir(), "sourceMappingURL"];
/** The files of the package. */
const EXPECTED = /^(package\.json|README\.md|LICENSE|bin\/pulumi-partners\.cjs|dist\/[a-z/-]+\.(js|d\.ts))$/;

const folder = mkdtempSync(join(tmpdir(), "pulumi-partners-"));
try {
  const output = run("npm", ["pack", "--json", "--pack-destination", folder], join(ROOT, "provider"));
  // npm 10 and 11 print an array, npm 12 an object by package name.
  const [packed] = Object.values(JSON.parse(output) as Record<string, Packed>);
  if (!packed) throw new Error("npm pack printed nothing");
  const tarball = join(folder, packed.filename);
  run("tar", ["-xzf", tarball, "-C", folder]);
  const paths = packed.files.map(({ path }) => path);
  const read = (path: string): string => readFileSync(join(folder, "package", path), "utf8");
  const findings = {
    missing: ["README.md", "LICENSE"].filter((path) => !paths.includes(path)),
    unexpected: paths.filter((path) => !EXPECTED.test(path)),
    "dead links": read("README.md").match(/\]\((?!https:|#)[^)]*/g) ?? [],
    private: paths.filter((path) => PRIVATE.some((text) => read(path).includes(text))),
  };
  for (const [what, found] of Object.entries(findings))
    if (found.length > 0) fail(`npm pack is wrong. ${what}: ${found.join(", ")}.`);
  for (const linter of [
    ["publint", tarball, "--strict"],
    ["attw", tarball, "--format", "ascii"],
  ])
    run("npx", ["--no-install", ...linter]);
  console.log(
    `npm pack: ${paths.length} files, ${packed.size} bytes packed, ${packed.unpackedSize} unpacked.`,
  );
} catch (error) {
  fail((error as { stdout?: string }).stdout ?? String(error));
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function run(command: string, args: readonly string[], cwd = ROOT): string {
  return execFileSync(command, args, { cwd, encoding: "utf8", stdio: "pipe" });
}

function fail(message: string): void {
  console.error(message);
  process.exitCode = 1;
}
