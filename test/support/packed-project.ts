import { mkdir, readdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { copyBuild, ROOT } from "./checkout.ts";
import { runShell } from "./cli.ts";
import type { Engine } from "./engine-env.ts";
import type { PackageManager } from "./tested-versions.ts";

/** What is installed beside the package, by name. */
export type Packages = Readonly<Record<string, string>>;

/** What somebody gets who begins today. The SDK takes no TypeScript 7. */
const NEWEST: Packages = { "@pulumi/pulumi": "^3.0.0", typescript: "^6.0.0", "@types/node": "^24.0.0" };

const INSTALL: Readonly<Record<PackageManager, string>> = {
  // The cache of `npm ci` serves: what has been downloaded once is not looked up again.
  npm: "npm install --prefer-offline --no-audit --no-fund",
  pnpm: `"${join(ROOT, "node_modules/.bin/pnpm")}" install --prefer-offline --no-frozen-lockfile`,
};

/** As docs/compatibility.md has it; a test compares. */
export const PNPM_WORKSPACE = "allowBuilds:\n  protobufjs: false\n";

/**
 * Makes a project outside the repository, with the package in it as `npm publish` would send it.
 *
 * @returns the project's folder.
 */
export async function packedProject(
  engine: Engine,
  manager: PackageManager,
  packages: Packages = NEWEST,
): Promise<string> {
  const tarball = await pack(engine);
  const cwd = join(engine.dir, "my-stack");
  await mkdir(cwd);
  const manifest = {
    name: "my-stack",
    private: true,
    dependencies: { ...packages, "pulumi-partners": `file:${tarball}` },
    allowScripts: { node: true, protobufjs: false },
  };
  await writeFile(join(cwd, "package.json"), JSON.stringify(manifest));
  // A dependency of the SDK has an install script; unless that is answered, pnpm installs all and fails.
  if (manager === "pnpm") await writeFile(join(cwd, "pnpm-workspace.yaml"), PNPM_WORKSPACE);
  await shell(INSTALL[manager], cwd, engine);
  return cwd;
}

/** Packs a copy of the checkout. @returns the path of the tarball. */
async function pack(engine: Engine): Promise<string> {
  const checkout = join(engine.dir, "pulumi-partners");
  await copyBuild(checkout);
  await symlink(join(ROOT, "node_modules"), join(checkout, "node_modules"));
  await shell("npm pack --workspace provider --pack-destination ..", checkout, engine);
  const [tarball = ""] = (await readdir(engine.dir)).filter((name) => name.endsWith(".tgz"));
  return join(engine.dir, tarball);
}

/** Runs a command line. @throws if it fails, with all it printed. */
export async function shell(script: string, cwd: string, { env }: Engine): Promise<string> {
  const { code, stdout, stderr } = await runShell(script, { cwd, env, timeoutMs: 240_000 });
  if (code !== 0) throw new Error(`${script}: exit code ${code}\n${stdout}${stderr}`);
  return stdout;
}
