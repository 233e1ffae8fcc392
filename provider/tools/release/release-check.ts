/**
 * `npm run release:check` does what the release workflow does on each platform before it publishes: it checks
 * versions and changelog, packs the npm package and the plugin into dist/release, with SHA-256 sums and an
 * SBOM, and installs both as users do.
 */
import { hash } from "node:crypto";
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { pathToFileURL } from "node:url";
import { isDeepStrictEqual } from "node:util";

import { getPulumi } from "../engine/pulumi-cli.ts";
import manifest from "../../package.json" with { type: "json" };
import { copyBuild, ROOT } from "../checkout.ts";
import { buildPlugin } from "./executable/plugin-tarball.ts";
import { startTime } from "./executable/start-time.ts";
import { inheritedEnv, mustRun, runProcess } from "../child-process.ts";

/** What a release consists of on this platform, as paths. */
export interface Release {
  /** The npm package. */
  readonly npmPackage: string;
  /** What the npm package installs, in CycloneDX format. */
  readonly sbom: string;
  /** The plugin for this platform. */
  readonly plugin: string;
  /** Their SHA-256 sums, as `sha256sum --check` reads them. */
  readonly sums: string;
}

const { name, version } = manifest;
/** Names of files and packages that contain the version. */
const VERSIONED =
  /\b(?:pulumi-resource-partners-v|pulumi-partners-|partners@|resource partners )(\d+\.\d+\.\d+)/g;
const QUIETLY = ["--no-audit", "--no-fund", "--prefer-offline"];
/** What the CLI says when everything is ready to publish, but it is not logged in to Pulumi Cloud. */
const NOT_LOGGED_IN = "Private Registry is not supported";

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
    await checkVersions();
    const npmPackage = await packTwice(output, temporary);
    const sbom = join(output, `${name}-${version}.cdx.json`);
    await writeFile(sbom, await billOfMaterials(join(temporary, name)));
    await installPackage(npmPackage, join(temporary, "empty-project"));
    const { path: plugin } = await buildPlugin(output);
    await installPlugin(plugin, join(temporary, "pulumi-home"));
    const sums = join(output, "SHA256SUMS");
    const lines = await Promise.all(
      [npmPackage, sbom, plugin].map(async (path) => `${await sha256(path)}  ${basename(path)}\n`),
    );
    await writeFile(sums, lines.join(""));
    return { npmPackage, sbom, plugin, sums };
  } finally {
    await rm(temporary, { recursive: true, force: true, maxRetries: 3 });
  }
}

/**
 * Checks that the changelog, the pages and the tag, if one is being released, have the version of
 * package.json.
 */
async function checkVersions(): Promise<void> {
  const changelog = await readFile(join(ROOT, "CHANGELOG.md"), "utf8");
  for (const entry of [`\n## [${version}] - `, `\n[${version}]: https://`])
    if (!changelog.includes(entry)) throw new Error(`CHANGELOG.md has no "${entry.trim()}".`);

  const listed = await mustRun("git", ["ls-files", "*.md", "examples", "provider/schema.json"], {
    cwd: ROOT,
  });
  for (const file of listed.split("\n").filter((file) => file !== "" && file !== "CHANGELOG.md")) {
    const text = await readFile(join(ROOT, file), "utf8");
    const others = [...text.matchAll(VERSIONED)].filter(([, found]) => found !== version);
    if (others.length > 0)
      throw new Error(`${file} names another version: ${others.map(([found]) => found).join(", ")}.`);
  }
  const { GITHUB_REF_TYPE, GITHUB_REF_NAME } = process.env;
  if (GITHUB_REF_TYPE !== "tag") return;
  if (GITHUB_REF_NAME !== `v${version}`) throw new Error(`The tag ${GITHUB_REF_NAME} is not v${version}.`);
  if (changelog.includes(`[${version}] - Unreleased`)) throw new Error("CHANGELOG.md has no date.");
}

/** Packs the npm package here, and again from a build in another folder. @throws {Error} if they differ. */
async function packTwice(output: string, temporary: string): Promise<string> {
  const [copy, second] = [join(temporary, "checkout"), join(temporary, "second")];
  await copyBuild(copy);
  await symlink(join(ROOT, "node_modules"), join(copy, "node_modules"), "junction");
  const pack = (to: string) => npm(["pack", "--workspace", "provider", "--pack-destination", to], copy);
  await pack(output);
  await rm(join(copy, "provider/dist"), { recursive: true });
  await npm(["run", "build", "--workspace", "provider"], copy);
  await mkdir(second);
  await pack(second);
  const file = `${name}-${version}.tgz`;
  if ((await sha256(join(output, file))) !== (await sha256(join(second, file))))
    throw new Error(`${file} differs from the same package built in another folder.`);
  return join(output, file);
}

/** Returns the SBOM of the dependencies that npm installs today together with the package. */
async function billOfMaterials(cwd: string): Promise<string> {
  await mkdir(cwd);
  // Without the SDK, a peer, which the user's project installs.
  const { name, version, license, dependencies } = manifest;
  await writeFile(join(cwd, "package.json"), JSON.stringify({ name, version, license, dependencies }));
  await npm(["install", "--package-lock-only", "--ignore-scripts", ...QUIETLY], cwd);
  return npm(["sbom", "--package-lock-only", "--sbom-format", "cyclonedx"], cwd);
}

/**
 * Installs the npm package in an empty project, without install scripts, and loads its program, plugin and
 * commands.
 */
async function installPackage(npmPackage: string, cwd: string): Promise<void> {
  await mkdir(cwd);
  await writeFile(join(cwd, "package.json"), JSON.stringify({ name: "empty-project", private: true }));
  await npm(["install", "--ignore-scripts", ...QUIETLY, npmPackage], cwd);
  const node = (...args: string[]) => mustRun(process.execPath, args, { cwd });
  for (const entry of [name, `${name}/plugin`, `${name}/sandbox`])
    await node("--eval", `require(${JSON.stringify(entry)})`);
  const printed = await node(`node_modules/${name}/bin/${name}.cjs`, "--version");
  if (printed.trim() !== version) throw new Error(`${name} --version prints ${printed}`);
}

/**
 * Installs the plugin as a user does, starts it, and runs the checks of `pulumi package publish` that need no
 * account.
 */
async function installPlugin(plugin: string, home: string): Promise<void> {
  const { path: pulumi } = await getPulumi();
  await mkdir(join(home, "backend"), { recursive: true });
  const env = {
    ...inheritedEnv(),
    PULUMI_HOME: home,
    PULUMI_BACKEND_URL: pathToFileURL(join(home, "backend")).href,
    PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION: "true",
    PULUMI_IGNORE_AMBIENT_PLUGINS: "true",
    PULUMI_SKIP_UPDATE_CHECK: "true",
  };
  const options = { cwd: home, env };
  await mustRun(pulumi, ["plugin", "install", "resource", "partners", version, "--file", plugin], options);
  const schema = await mustRun(pulumi, ["package", "get-schema", `partners@${version}`], options);
  const file = join(ROOT, "provider/schema.json");
  if (!isDeepStrictEqual(JSON.parse(schema), JSON.parse(await readFile(file, "utf8"))))
    throw new Error("The installed plugin does not serve provider/schema.json.");
  const folder = join(home, `plugins/resource-partners-v${version}`);
  const executable = (await readdir(folder)).find((entry) => entry.startsWith("pulumi-resource-partners"));
  console.log(`The plugin starts in ${Math.round(await startTime([join(folder, executable ?? "")]))} ms.`);

  const pages = [
    "--readme",
    "provider/registry/_index.md",
    "--installation-configuration",
    "provider/registry/installation-configuration.md",
  ];
  const { stderr } = await runProcess(pulumi, ["package", "publish", file, ...pages], { cwd: ROOT, env });
  if (!stderr.includes(NOT_LOGGED_IN)) throw new Error(`pulumi package publish: ${stderr}`);
}

/** Runs the npm that runs this script: on Windows, `npm` is not an executable. */
async function npm(args: readonly string[], cwd: string): Promise<string> {
  const script = process.env["npm_execpath"];
  const [command, first] = script === undefined ? ["npm", []] : [process.execPath, [script]];
  return mustRun(command, [...first, ...args], { cwd });
}

async function sha256(path: string): Promise<string> {
  return hash("sha256", await readFile(path));
}

if (import.meta.main) {
  const { sums } = await rehearseRelease(join(ROOT, "dist/release"));
  console.log(await readFile(sums, "utf8"));
}
