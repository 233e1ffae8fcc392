/**
 * `npm run pack:check` packs the provider. It checks the files, what they reveal, and the links of README;
 * publint and attw check whether Node, bundlers and TypeScript can resolve the exports and their types.
 */
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { join, posix } from "node:path";
import manifest from "../../package.json" with { type: "json" };
import { ROOT } from "../checkout.ts";
import { mustRun } from "../child-process.ts";

interface Packed {
  readonly filename: string;
  readonly files: readonly { readonly path: string }[];
  readonly size: number;
  readonly unpackedSize: number;
}

const PROVIDER = join(ROOT, "provider");
/** Text that no published file may contain: folders of this machine, and links to unpublished source maps. */
const PRIVATE = [ROOT, homedir(), "sourceMappingURL"];
/** What users import and run: every module of the package is reached from one of them. */
const ENTRIES = [
  ...Object.values(manifest.exports).map((entry) => entry.default),
  ...Object.values(manifest.bin),
].map((path) => posix.normalize(path));
/** The files of the package. */
const EXPECTED = /^(package\.json|README\.md|LICENSE|bin\/pulumi-partners\.cjs|dist\/[a-z/-]+\.(js|d\.ts))$/;

const MODULE = /\.(js|ts)$/;

const folder = await mkdtemp(join(tmpdir(), "pulumi-partners-"));
try {
  const output = await mustRun("npm", ["pack", "--json", "--pack-destination", folder], { cwd: PROVIDER });
  // npm 10 and 11 print an array, npm 12 an object by package name.
  const [packed] = Object.values(JSON.parse(output) as Record<string, Packed>);
  if (!packed) throw new Error("npm pack printed nothing");
  const paths = packed.files.map(({ path }) => path);
  const texts = new Map<string, string>();
  for (const path of paths) texts.set(path, await readFile(join(PROVIDER, path), "utf8"));
  const findings = {
    missing: ["README.md", "LICENSE"].filter((path) => !texts.has(path)),
    unexpected: paths.filter((path) => !EXPECTED.test(path)),
    "dead links": texts.get("README.md")?.match(/\]\((?!https:|#)[^)]*/g) ?? [],
    "dead imports": [...texts].flatMap(([path, text]) =>
      importsOf(path, text).filter((imported) => !texts.has(imported)),
    ),
    orphans: paths.filter((path) => MODULE.test(path) && !reachedFrom(ENTRIES, texts).has(moduleOf(path))),
    private: paths.filter((path) => PRIVATE.some((text) => texts.get(path)?.includes(text))),
  };
  for (const [what, found] of Object.entries(findings))
    if (found.length > 0) throw new Error(`npm pack is wrong. ${what}: ${found.join(", ")}.`);
  const tarball = join(folder, packed.filename);
  await mustRun("npx", ["--no-install", "publint", tarball, "--strict"], { cwd: ROOT });
  await mustRun("npx", ["--no-install", "attw", tarball, "--format", "ascii"], { cwd: ROOT });
  const { size, unpackedSize } = packed;
  console.log(`npm pack: ${paths.length} files, ${size} bytes packed, ${unpackedSize} unpacked.`);
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
} finally {
  await rm(folder, { recursive: true });
}

/** Returns the modules of the package that entries import, or their imports do, with the entries. */
function reachedFrom(entries: readonly string[], texts: ReadonlyMap<string, string>): ReadonlySet<string> {
  const reached = new Set<string>();
  const visit = (path: string): void => {
    if (reached.has(path)) return;
    reached.add(path);
    const files = [path, path.replace(/\.js$/, ".d.ts")];
    for (const file of files) importsOf(file, texts.get(file) ?? "").forEach(visit);
  };
  entries.forEach(visit);
  return reached;
}

/** Returns the module that a file contains or declares the types of. */
function moduleOf(path: string): string {
  return path.replace(/\.d\.ts$/, ".js");
}

/** Returns the modules of the package that a file imports, as paths in the package. */
function importsOf(path: string, text: string): string[] {
  return [...text.matchAll(/\b(?:from |import |(?:import|require)\()"(\.[^"]+)"/g)].map(([, target = ""]) =>
    posix.join(posix.dirname(path), target),
  );
}
