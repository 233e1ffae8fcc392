/**
 * `npm run release:check` does what the release workflow does on each platform before it publishes: it checks
 * versions and pages, builds the plugin in dist/release, and installs it. Then npm packs its package there.
 */
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";

import manifest from "../../package.json" with { type: "json" };
import { listFiles, ROOT } from "../checkout.ts";
import { engineEnv } from "../engine/engine-env.ts";
import { providePulumi } from "../engine/pulumi-cli.ts";
import { LONG_LIMIT, mustRun } from "../child-process.ts";
import { ADDRESSES, addressesOf, REPOSITORY } from "./addresses.ts";
import { buildPlugin } from "./plugin-tarball.ts";

const { version } = manifest;
/** Names of files and packages that contain the version. */
const VERSIONED =
  /\b(?:pulumi-resource-partners-v|pulumi-partners-|blob\/v|partners@|resource partners )(\d+\.\d+\.\d+)/g;

/**
 * Builds and checks a release.
 *
 * @param output The folder for its files; it is emptied first.
 * @returns The path of the plugin for this platform.
 * @throws {Error} at the first check that fails.
 */
export async function rehearseRelease(output: string): Promise<string> {
  await checkPages();
  await rm(output, { recursive: true, force: true });
  await mkdir(output, { recursive: true });
  const { path } = await buildPlugin(output, ADDRESSES);
  await installPlugin(path);
  return path;
}

/** Checks that pages have the version and, before a tag is published, that nothing says it is to come. */
async function checkPages(): Promise<void> {
  const { GITHUB_REF_TYPE, GITHUB_REF_NAME, GITHUB_REPOSITORY } = process.env;
  const isTag = GITHUB_REF_TYPE === "tag";
  const changelog = await readFile(join(ROOT, "CHANGELOG.md"), "utf8");
  for (const entry of [`\n## [${version}] - `, `\n[${version}]: https://`])
    if (!changelog.includes(entry)) throw new Error(`CHANGELOG.md has no "${entry.trim()}".`);

  for (const file of await listFiles("*.md", "examples", "provider/schema.json", ":!CHANGELOG.md")) {
    const text = await readFile(join(ROOT, file), "utf8");
    const others = [...text.matchAll(VERSIONED)].map(([, found]) => found).filter((one) => one !== version);
    if (others.length > 0) throw new Error(`${file} names another version: ${others.join(", ")}.`);
    if (isTag && /published\s+yet/.test(text)) throw new Error(`${file} says that nothing is published yet.`);
  }
  if (!isTag) return;
  if (addressesOf(changelog) !== ADDRESSES) throw new Error("CHANGELOG.md has no date.");
  const schema = JSON.parse(await readFile(join(ROOT, "provider/schema.json"), "utf8")) as object;
  if (!isDeepStrictEqual(schema, { ...schema, ...ADDRESSES }))
    throw new Error("provider/schema.json has no address: run `npm run docs`.");
  if (GITHUB_REF_NAME !== `v${version}`) throw new Error(`The tag ${GITHUB_REF_NAME} is not v${version}.`);
  if (REPOSITORY !== `https://github.com/${GITHUB_REPOSITORY}`)
    throw new Error(`${GITHUB_REPOSITORY} cannot release what package.json says is in ${REPOSITORY}.`);
}

/** Installs the plugin as a user does, starts it, and checks its schema. */
async function installPlugin(plugin: string): Promise<void> {
  const engine = await engineEnv();
  try {
    const options = { cwd: engine.dir, env: engine.env, timeoutMs: LONG_LIMIT };
    const pulumi = (...args: string[]) => mustRun("pulumi", args, options);
    await pulumi("plugin", "install", "resource", "partners", version, "--file", plugin, "--reinstall");
    const served = await pulumi("package", "get-schema", `partners@${version}`);
    const source = await readFile(join(ROOT, "provider/schema.json"), "utf8");
    if (!isDeepStrictEqual(JSON.parse(served), { ...(JSON.parse(source) as object), ...ADDRESSES }))
      throw new Error("The installed plugin does not serve provider/schema.json and the addresses.");
    await writeFile(join(engine.dir, "schema.json"), served);
    await pulumi("schema", "check", "schema.json");
  } finally {
    await engine.dispose();
  }
}

if (import.meta.main) {
  await providePulumi();
  console.log(await rehearseRelease(join(ROOT, "dist/release")));
}
