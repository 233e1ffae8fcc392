/**
 * `npm run pack:check` packs the provider. It checks the files, what they reveal, and the links of README;
 * publint and attw check whether Node, bundlers and TypeScript can resolve the exports and their types.
 */
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { ROOT } from "../checkout.ts";
import { mustRun } from "../child-process.ts";

interface Packed {
  readonly filename: string;
  readonly files: readonly { readonly path: string }[];
  readonly size: number;
}

const PROVIDER = join(ROOT, "provider");
/** Text that no published file may contain: folders of this machine, and links to unpublished source maps. */
const PRIVATE = [ROOT, homedir(), "sourceMappingURL"];
/** The files of the package. */
const EXPECTED = /^(package\.json|README\.md|LICENSE|bin\/pulumi-partners\.cjs|dist\/[a-z/-]+\.(js|d\.ts))$/;

const folder = await mkdtemp(join(tmpdir(), "pulumi-partners-"));
try {
  const output = await mustRun("npm", ["pack", "--json", "--pack-destination", folder], { cwd: PROVIDER });
  // npm 10 and 11 print an array, npm 12 an object by package name.
  const [packed] = Object.values(JSON.parse(output) as Record<string, Packed>);
  if (!packed) throw new Error("npm pack printed nothing");
  const texts = new Map<string, string>();
  for (const { path } of packed.files) texts.set(path, await readFile(join(PROVIDER, path), "utf8"));
  const paths = [...texts.keys()];
  const findings = {
    missing: ["README.md", "LICENSE"].filter((path) => !texts.has(path)),
    unexpected: paths.filter((path) => !EXPECTED.test(path)),
    "dead links": texts.get("README.md")?.match(/\]\((?!https:|#)[^)]*/g) ?? [],
    private: paths.filter((path) => PRIVATE.some((text) => texts.get(path)?.includes(text))),
  };
  for (const [what, found] of Object.entries(findings))
    if (found.length > 0) throw new Error(`npm pack is wrong. ${what}: ${found.join(", ")}.`);
  const tarball = join(folder, packed.filename);
  await mustRun("npx", ["--no-install", "publint", tarball, "--strict"], { cwd: ROOT });
  await mustRun("npx", ["--no-install", "attw", tarball, "--format", "ascii"], { cwd: ROOT });
  console.log(`npm pack: ${paths.length} files, ${packed.size} bytes.`);
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
} finally {
  await rm(folder, { recursive: true });
}
