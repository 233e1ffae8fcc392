/**
 * `npm run release:check` does what the release workflow does on each platform before it publishes: it checks
 * versions and pages, packs the npm package and the plugin into dist/release, with SHA-256 sums, and installs
 * both as users do.
 */
import { hash } from "node:crypto";
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { isDeepStrictEqual } from "node:util";

import manifest from "../../package.json" with { type: "json" };
import { copyBuild, listFiles, ROOT } from "../checkout.ts";
import { engineEnv } from "../engine/engine-env.ts";
import { mustRun } from "../child-process.ts";
import { buildPlugin } from "./plugin-tarball.ts";

/** What a release consists of on this platform, as paths. */
export interface Release {
  /** The npm package. */
  readonly npmPackage: string;
  /** The plugin for this platform. */
  readonly plugin: string;
  /** Their SHA-256 sums, as `sha256sum --check` reads them. */
  readonly sums: string;
}

const { name, version } = manifest;
/** Names of files and packages that contain the version. */
const VERSIONED =
  /\b(?:pulumi-resource-partners-v|pulumi-partners-|blob\/v|partners@|resource partners )(\d+\.\d+\.\d+)/g;
/** The page that the Pulumi Registry fetches from the tag. */
const REGISTRY_PAGE = "docs/_index.md";

/**
 * Builds and checks a release.
 *
 * @param output The folder for its files; it is emptied first.
 * @throws {Error} at the first check that fails.
 */
export async function rehearseRelease(output: string): Promise<Release> {
  const temporary = await mkdtemp(join(tmpdir(), "pulumi-partners-"));
  try {
    await rm(output, { recursive: true, force: true });
    await mkdir(output, { recursive: true });
    await checkPages();
    const npmPackage = await packNpm(output, join(temporary, "checkout"));
    await installPackage(npmPackage, join(temporary, "empty-project"));
    const { path: plugin } = await buildPlugin(output);
    await installPlugin(plugin);
    const sums = join(output, "SHA256SUMS");
    const lines = [npmPackage, plugin].map(
      async (path) => `${hash("sha256", await readFile(path))}  ${basename(path)}\n`,
    );
    await writeFile(sums, (await Promise.all(lines)).join(""));
    return { npmPackage, plugin, sums };
  } finally {
    await rm(temporary, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** Checks that the pages and the tag, if one is being released, have the version of package.json. */
async function checkPages(): Promise<void> {
  const changelog = await readFile(join(ROOT, "CHANGELOG.md"), "utf8");
  for (const entry of [`\n## [${version}] - `, `\n[${version}]: https://`])
    if (!changelog.includes(entry)) throw new Error(`CHANGELOG.md has no "${entry.trim()}".`);

  const files = (await listFiles("*.md", "examples", "provider/schema.json")).filter(
    (file) => file !== "CHANGELOG.md",
  );
  if (!files.includes(REGISTRY_PAGE)) throw new Error(`${REGISTRY_PAGE} is missing.`);
  for (const file of files) {
    const text = await readFile(join(ROOT, file), "utf8");
    const others = [...text.matchAll(VERSIONED)].map(([, found]) => found).filter((one) => one !== version);
    if (others.length > 0) throw new Error(`${file} names another version: ${others.join(", ")}.`);
  }
  const { GITHUB_REF_TYPE, GITHUB_REF_NAME } = process.env;
  if (GITHUB_REF_TYPE !== "tag") return;
  if (GITHUB_REF_NAME !== `v${version}`) throw new Error(`The tag ${GITHUB_REF_NAME} is not v${version}.`);
  if (changelog.includes(`[${version}] - Unreleased`)) throw new Error("CHANGELOG.md has no date.");
}

/** Packs the npm package in a copy, because packing writes into the checkout. */
async function packNpm(output: string, copy: string): Promise<string> {
  await copyBuild(copy);
  await symlink(join(ROOT, "node_modules"), join(copy, "node_modules"), "junction");
  await npm(["pack", "--workspace", "provider", "--pack-destination", output], copy);
  return join(output, `${name}-${version}.tgz`);
}

/**
 * Installs the npm package in an empty project, without install scripts, and loads its program, plugin and
 * commands.
 */
async function installPackage(npmPackage: string, cwd: string): Promise<void> {
  await mkdir(cwd);
  await writeFile(join(cwd, "package.json"), JSON.stringify({ name: "empty-project", private: true }));
  await npm(["install", "--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline", npmPackage], cwd);
  const node = (...args: string[]) => mustRun(process.execPath, args, { cwd });
  for (const entry of [name, `${name}/plugin`, `${name}/sandbox`])
    await node("--eval", `require(${JSON.stringify(entry)})`);
  const printed = await node(`node_modules/${name}/bin/${name}.cjs`, "--version");
  if (printed.trim() !== version) throw new Error(`${name} --version prints ${printed}`);
}

/** Installs the plugin as a user does, starts it, and compares its schema. */
async function installPlugin(plugin: string): Promise<void> {
  const engine = await engineEnv();
  try {
    const pulumi = (...args: string[]) => mustRun("pulumi", args, { cwd: engine.dir, env: engine.env });
    await pulumi("plugin", "install", "resource", "partners", version, "--file", plugin, "--reinstall");
    const served = JSON.parse(await pulumi("package", "get-schema", `partners@${version}`)) as unknown;
    const file = join(ROOT, "provider/schema.json");
    if (!isDeepStrictEqual(served, JSON.parse(await readFile(file, "utf8"))))
      throw new Error("The installed plugin does not serve provider/schema.json.");
    await pulumi("schema", "check", file);
  } finally {
    await engine.dispose();
  }
}

/** Runs the npm that runs this script: on Windows, `npm` is not an executable. */
async function npm(args: readonly string[], cwd: string): Promise<string> {
  const script = process.env["npm_execpath"];
  const [command, first] = script === undefined ? ["npm", []] : [process.execPath, [script]];
  return mustRun(command, [...first, ...args], { cwd });
}

if (import.meta.main) {
  const { sums } = await rehearseRelease(join(ROOT, "dist/release"));
  console.log(await readFile(sums, "utf8"));
}
